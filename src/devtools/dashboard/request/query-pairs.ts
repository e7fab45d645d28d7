/**
 * A raw query string as rows of key and value, and back. Pure.
 *
 *   "a=1&b=x+y" ◀──▶ [a, 1] [b, x y]
 *
 * The raw text stays what is sent: editing one row rewrites that row's part and leaves every other
 * character as it was typed.
 */

/** One row, decoded. A part without `=` has an empty value. */
export interface QueryPair {
  readonly name: string;
  readonly value: string;
}

const partsOf = (query: string): string[] => (query === "" ? [] : query.replace(/^\?/, "").split("&"));

/** The rows of a query string, one for each part between two `&`. */
export function queryPairs(query: string): QueryPair[] {
  return partsOf(query).map((part) => {
    const at = part.indexOf("=");
    const [name, value] = at < 0 ? [part, ""] : [part.slice(0, at), part.slice(at + 1)];
    return { name: decode(name), value: decode(value) };
  });
}

/** The query string with row `index` changed; an index past the end adds a row. */
export function setQueryPair(query: string, index: number, pair: QueryPair): string {
  const parts = partsOf(query);
  parts[Math.min(index, parts.length)] = formatPair(pair);
  return parts.length === 1 && parts[0] === "" ? "" : parts.join("&");
}

/** The query string without row `index`. */
export function removeQueryPair(query: string, index: number): string {
  return partsOf(query)
    .filter((_, other) => other !== index)
    .join("&");
}

/** The query string without the parts that are empty: what is sent. */
export function tidyQuery(query: string): string {
  return partsOf(query)
    .filter((part) => part !== "" && part !== "=")
    .join("&");
}

/** Encodes one name or value; what is harmless in a query stays readable. */
export function encodeQuery(text: string): string {
  return percentEncode(text)
    .replaceAll("%20", "+")
    .replaceAll("%2C", ",")
    .replaceAll("%3A", ":")
    .replaceAll("%2F", "/");
}

/** As encodeURIComponent, but for any text: half a surrogate pair becomes U+FFFD. */
export function percentEncode(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, "\uFFFD"));
}

function formatPair({ name, value }: QueryPair): string {
  return name === "" && value === "" ? "" : `${encodeQuery(name)}=${encodeQuery(value)}`;
}

function decode(text: string): string {
  const spaced = text.replaceAll("+", " ");
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}
