/**
 * Header lines, a flat list of names and values, in the cheapest form that a web `Response` takes:
 *
 *   Content-Type alone ────▶ made once for each type, and the same for every response: a Response copies it
 *   no name comes twice ───▶ an object
 *   one comes several times ▶ pairs
 *
 * Spec: spec/engines.md (ENGINE)
 */

/** What a `Response` takes. */
type HeaderLines = Headers | Record<string, string> | [string, string][];

/** What `new Response(body, { headers })` is given. */
export function headersOf(flat: readonly string[]): HeaderLines {
  const [name = "", value = ""] = flat;
  if (flat.length === 2 && name === "Content-Type") return typed.get(value) ?? typeAlone(value);
  return objectOf(flat) ?? pairsOf(flat);
}

/** By the Content-Type that is all of them. Bounded, since a type may have a parameter that never comes again. */
const typed: Map<string, HeaderLines> = new Map();
const maxTyped = 64;

/** Deno reads an object in less time than it copies `Headers`. */
const copiesHeaders = globalThis.navigator?.userAgent?.startsWith("Deno/") !== true;

function typeAlone(value: string): HeaderLines {
  const one = { "Content-Type": value };
  const headers = copiesHeaders ? new Headers(one) : one;
  if (typed.size < maxTyped) typed.set(value, headers);
  return headers;
}

function objectOf(flat: readonly string[]): Record<string, string> | undefined {
  const headers: Record<string, string> = {};
  for (let at = 0; at + 1 < flat.length; at += 2) {
    const name = flat[at] ?? "";
    if (name in headers) return undefined;
    headers[name] = flat[at + 1] ?? "";
  }
  return headers;
}

function pairsOf(flat: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < flat.length; at += 2) pairs.push([flat[at] ?? "", flat[at + 1] ?? ""]);
  return pairs;
}
