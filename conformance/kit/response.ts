/** The response of a subject, with its headers as received, including order, case and repetition. */

/** Header lines in order. */
export type HeaderLines = readonly (readonly [name: string, value: string])[];

/** One whole response. It calls `read` when it is accessed. */
export class HttpResponse {
  readonly #status: number;
  readonly #headers: HeaderLines;
  readonly #bytes: Buffer;
  readonly #read: (() => void) | undefined;

  constructor(status: number, headers: HeaderLines, bytes: Buffer, read?: () => void) {
    this.#status = status;
    this.#headers = headers;
    this.#bytes = bytes;
    this.#read = read;
  }

  get status(): number {
    this.#read?.();
    return this.#status;
  }

  get headers(): HeaderLines {
    this.#read?.();
    return this.#headers;
  }

  get bytes(): Buffer {
    this.#read?.();
    return this.#bytes;
  }

  /** The body as UTF-8. */
  get text(): string {
    return this.bytes.toString("utf8");
  }

  /** The body as text; JSON is formatted like the output of `JSON.stringify`. */
  get plain(): string {
    return plainJson(this.text);
  }

  /** The lines of one header joined by ", ", or undefined if there is none. */
  header(name: string): string | undefined {
    const values = this.all(name);
    return values.length === 0 ? undefined : values.join(", ");
  }

  /** The media type in lower case, without its parameters, or undefined if there is none. */
  get type(): string | undefined {
    return this.header("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
  }

  /** The charset in lower case, without quotes, or undefined if there is none. */
  get charset(): string | undefined {
    return /;\s*charset="?([^";\s]+)/i.exec(this.header("content-type") ?? "")?.[1]?.toLowerCase();
  }

  /** The members of a list header in lower case, sorted, for headers without significant order and case. */
  set(name: string): readonly string[] {
    return [...new Set(this.list(name).map((member) => member.toLowerCase()))].toSorted();
  }

  /** Every line of one header. */
  all(name: string): readonly string[] {
    const wanted = name.toLowerCase();
    return this.headers.filter(([found]) => found.toLowerCase() === wanted).map(([, value]) => value);
  }

  /** A list header (`Allow`, `Vary` …) as its members, in order. */
  list(name: string): readonly string[] {
    return this.all(name).flatMap((line) =>
      line
        .split(",")
        .map((member) => member.trim())
        .filter((member) => member !== ""),
    );
  }
}

/** Those headers by name. The values of the two case-insensitive ones (Fetch, HTML) are in lower case. */
export function saidOf(response: HttpResponse, names: readonly string[]): Readonly<Record<string, string | undefined>> {
  const isCaseless = (name: string): boolean => name === "x-content-type-options" || name === "x-frame-options";
  const valueOf = (name: string): string | undefined => response.header(name);
  return Object.fromEntries(
    names.map((name) => [name, isCaseless(name) ? valueOf(name)?.toLowerCase() : valueOf(name)]),
  );
}

/** The first id in a JSON body: the id of a created order, in any response format. */
export const idIn = ({ plain }: HttpResponse): string | undefined => /"id":"([^"]+)"/.exec(plain)?.[1];

/** JSON formatted like the output of `JSON.stringify`. Other text unchanged. */
export function plainJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}

/** Converts Node's alternating names and values to lines. */
export function pairs(flat: readonly string[]): HeaderLines {
  return flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1] ?? ""] as const] : []));
}
