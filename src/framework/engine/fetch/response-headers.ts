/**
 * Header lines, a flat list of names and values, in the cheapest form that a web `Response` takes:
 *
 *   Content-Type alone ─────▶ made once for each type: every Response copies it
 *   no name comes twice ────▶ an object
 *   one comes several times ▶ pairs
 *
 * Spec: spec/engines.md
 */
import { runtime } from "./runtime.ts";

/** What a `Response` takes. */
type HeaderLines = Headers | Record<string, string> | [string, string][];

/** By the Content-Type that is all of them. Bounded, since a type may have a parameter that never comes again. */
const typed: Map<string, HeaderLines> = new Map();
const maxTyped = 64;

/** What `new Response(body, { headers })` is given. */
export function headersOf(flat: readonly string[]): HeaderLines {
  const [name, type = ""] = flat;
  return flat.length === 2 && name === "Content-Type" ? (typed.get(type) ?? typeAlone(type)) : linesOf(flat);
}

/** Deno reads an object in less time than it copies `Headers`; elsewhere it is the other way round. */
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
