/**
 * A raw query string as rows of key and value, and back. Pure.
 *
 *   "a=1&b=x+y" ◀──▶ [a, 1] [b, x y]
 *
 * The raw text is sent. Editing one row rewrites that row's part and leaves every other character as it was typed.
 */

import { decoded } from "../../run/values.ts";

/** One row, decoded. A part without `=` has an empty value. */
export interface QueryPair {
  readonly name: string;
  readonly value: string;
}

const partsOf = (query: string): string[] => (query ? query.replace(/^\?/, "").split("&") : []);

/** The rows of a query string, one for each part between two `&`. */
export function queryPairs(query: string): QueryPair[] {
  return partsOf(query).map((part) => {
    const at = part.indexOf("=");
    const [name, value] = at < 0 ? [part, ""] : [part.slice(0, at), part.slice(at + 1)];
    return { name: decode(name), value: decode(value) };
  });
}

/** The query string with these pairs in place of those rows, or after the others if there are none. */
export function replaceQueryPairs(query: string, rows: readonly number[], pairs: readonly QueryPair[]): string {
  return replaced(partsOf(query), rows, pairs.map(formatPair)).join("&");
}

/** A list with other items in place of those at these positions, or after the others if there are none. */
export function replaced<T>(items: readonly T[], positions: readonly number[], next: readonly T[]): T[] {
  const at = positions[0] ?? items.length;
  const kept = (item: T, i: number): readonly T[] => (positions.includes(i) ? [] : [item]);
  return [...items.slice(0, at), ...next, ...items.slice(at).flatMap((item, i) => kept(item, at + i))];
}

/** The query string to send, without its empty parts. */
export function tidyQuery(query: string): string {
  return partsOf(query)
    .filter((part) => part !== "" && part !== "=")
    .join("&");
}

/** Encodes one name or value; characters that are harmless in a query stay readable. */
export function encodeQuery(text: string): string {
  return percentEncode(text)
    .replaceAll("%20", "+")
    .replaceAll("%2C", ",")
    .replaceAll("%3A", ":")
    .replaceAll("%2F", "/");
}

/** Like encodeURIComponent, but for any text: half a surrogate pair becomes U+FFFD. */
export function percentEncode(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, "\uFFFD"));
}

function formatPair({ name, value }: QueryPair): string {
  return !name && !value ? "" : `${encodeQuery(name)}=${encodeQuery(value)}`;
}

const decode = (text: string): string => decoded(text.replaceAll("+", " "));
