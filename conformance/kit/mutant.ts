/**
 * A mutant breaks one promise by rewriting the messages between a conformant subject and the suite. Every promise that is
 * visible from outside is a claim about responses. So rewriting responses can break any of them, in any language.
 */
import type { RequirementId } from "../../spec/requirements.ts";
import type { Exchange } from "./exchange.ts";
import type { Relay, Rewrite, RewriteItem } from "./relay.ts";

/** A broken subject, and exactly the ids that must fail on it. */
export interface Mutant extends Relay {
  readonly name: string;
  readonly kills: readonly RequirementId[];
}

const pass: Rewrite = (exchange) => exchange;
const passItem: RewriteItem = ({ item }) => [item];

/** A mutant that rewrites whole responses, including the heads of streams. */
export function breaks(name: string, kills: readonly RequirementId[], rewrite: Rewrite): Mutant {
  return { name, kills, rewrite, rewriteItem: passItem };
}

/** A mutant that rewrites the items of streams. */
export function breaksStream(name: string, kills: readonly RequirementId[], rewriteItem: RewriteItem): Mutant {
  return { name, kills, rewrite: pass, rewriteItem };
}

/** The exchange with its JSON body changed, or unchanged if the body is not JSON. */
export function editJson(exchange: Exchange, change: (body: unknown) => unknown): Exchange {
  let body: unknown;
  try {
    body = JSON.parse(exchange.body);
  } catch {
    return exchange;
  }
  return { ...exchange, body: JSON.stringify(change(body)) };
}

/** The exchange with the JSON object in its body changed, or unchanged if the body is not an object. */
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

/** The lines of a header, joined, or undefined if there is none. */
export function headerOf(headers: Exchange["headers"], name: string): string | undefined {
  const found = headers.filter(([line]) => line.toLowerCase() === name.toLowerCase()).map(([, value]) => value);
  return found.length === 0 ? undefined : found.join(", ");
}
