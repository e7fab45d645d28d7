/**
 * Header lines, a flat list of names and values, in the cheapest form that a web `Response` accepts:
 *
 *   Content-Type alone ─────▶ made once for each type, copied by every Response
 *   no name comes twice ────▶ an object
 *   one comes several times ▶ pairs
 *
 * Spec: spec/engines.md
 */
import { runtime } from "./runtime.ts";

/** The accepted types of a `Response`. */
type HeaderLines = Headers | Record<string, string> | [string, string][];

/** By a Content-Type that is the only header. Bounded, since a type may have a parameter that never repeats. */
const typed: Map<string, HeaderLines> = new Map();
const maxTyped = 64;

/** The headers for `new Response(body, { headers })`. */
export function headersOf(flat: readonly string[]): HeaderLines {
  const [name, type = ""] = flat;
  return flat.length === 2 && name === "Content-Type" ? (typed.get(type) ?? typeAlone(type)) : linesOf(flat);
}

/** Deno reads an object faster than it copies `Headers`. On the others it is the other way round. */
function typeAlone(type: string): HeaderLines {
  const one = { "Content-Type": type };
  const lines = runtime === "Deno" ? one : new Headers(one);
  if (typed.size < maxTyped) typed.set(type, lines);
  return lines;
}

function linesOf(flat: readonly string[]): HeaderLines {
  const headers: Record<string, string> = {};
  for (let at = 0; at < flat.length; at += 2) {
    const name = flat[at] ?? "";
    if (name in headers) return pairsOf(flat);
    headers[name] = flat[at + 1] ?? "";
  }
  return headers;
}

const pairsOf = (flat: readonly string[]): [string, string][] =>
  flat.flatMap((name, at): [string, string][] => (at % 2 === 0 ? [[name, flat[at + 1] ?? ""]] : []));
