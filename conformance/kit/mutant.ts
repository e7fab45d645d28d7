/**
 * A mutant breaks one promise by rewriting what passes between a conformant subject and the suite. Every
 * promise that can be seen from outside is a claim about responses, so rewriting responses can break any of
 * them, in whatever language the subject is written.
 */
import type { RequirementId } from "../../spec/requirements.ts";
import type { Exchange } from "./exchange.ts";
import type { Relay, Rewrite, RewriteItem } from "./relay.ts";

/** A broken subject, and the ids that must fail on it: no fewer, no more. */
export interface Mutant extends Relay {
  readonly name: string;
  readonly kills: readonly RequirementId[];
}

const pass: Rewrite = (exchange) => exchange;
const passItem: RewriteItem = ({ item }) => [item];

/** A mutant that rewrites whole responses, the heads of streams among them. */
export function breaks(name: string, kills: readonly RequirementId[], rewrite: Rewrite): Mutant {
  return { name, kills, rewrite, rewriteItem: passItem };
}

/** A mutant that rewrites the items of streams. */
export function breaksStream(name: string, kills: readonly RequirementId[], rewriteItem: RewriteItem): Mutant {
  return { name, kills, rewrite: pass, rewriteItem };
}

/** The exchange with its JSON body changed; as it is when the body is no JSON. */
export function editJson(exchange: Exchange, change: (body: unknown) => unknown): Exchange {
  let body: unknown;
  try {
    body = JSON.parse(exchange.body);
  } catch {
    return exchange;
  }
  return { ...exchange, body: JSON.stringify(change(body)) };
}

/** The exchange with the JSON object in its body changed; as it is when the body is none. */
export function editObject(exchange: Exchange, change: (body: Readonly<Record<string, unknown>>) => unknown): Exchange {
  return editJson(exchange, (body) =>
    typeof body === "object" && body !== null && !Array.isArray(body)
      ? change(body as Readonly<Record<string, unknown>>)
      : body,
  );
}

/** The exchange with every line of a header set to one value, or removed when the value is undefined. */
export function editHeader(exchange: Exchange, name: string, value: string | undefined): Exchange {
  const others = exchange.headers.filter(([found]) => found.toLowerCase() !== name.toLowerCase());
  return { ...exchange, headers: value === undefined ? others : [...others, [name, value]] };
}

/** The lines of a header, joined; undefined when there is none. */
export function headerOf(headers: Exchange["headers"], name: string): string | undefined {
  const found = headers.filter(([line]) => line.toLowerCase() === name.toLowerCase()).map(([, value]) => value);
  return found.length === 0 ? undefined : found.join(", ");
}
