/**
 * Header lines, a flat list of names and values, in the cheapest form that a web `Response` takes: an object where no name
 * comes twice, else pairs.
 *
 * Spec: spec/engines.md (ENGINE)
 */

/** What `new Response(body, { headers })` is given. */
export function headersOf(flat: readonly string[]): Record<string, string> | [string, string][] {
  const headers: Record<string, string> = {};
  for (let at = 0; at + 1 < flat.length; at += 2) {
    const name = flat[at] ?? "";
    if (name in headers) return pairsOf(flat);
    headers[name] = flat[at + 1] ?? "";
  }
  return headers;
}

function pairsOf(flat: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < flat.length; at += 2) pairs.push([flat[at] ?? "", flat[at + 1] ?? ""]);
  return pairs;
}
