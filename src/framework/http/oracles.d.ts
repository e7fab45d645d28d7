/** Types for libraries that have none, as far as the properties use them. Each gives a second opinion on a header. */
declare module "cookie" {
  export function parse(header: string): Record<string, string | undefined>;
}

declare module "negotiator" {
  export default class Negotiator {
    constructor(request: { readonly headers: Readonly<Record<string, string>> });
    encodings(available: readonly string[]): string[];
  }
}

declare module "range-parser" {
  /** -1: not satisfiable. -2: no range. */
  export default function parseRange(size: number, header: string): -1 | -2 | readonly { start: number; end: number }[];
}

declare module "fresh" {
  export default function fresh(
    request: Readonly<Record<string, string | undefined>>,
    response: Readonly<Record<string, string | undefined>>,
  ): boolean;
}
