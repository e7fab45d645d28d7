/**
 * Suggestions: the likely intended name for an unknown one.
 *
 *   "maxBodybytes" of accept, maxBodyBytes, beans ──▶ `; did you mean maxBodyBytes?`
 */

/** The end of a message about an unknown name. Empty when no name is near. */
export function didYouMean(given: string, names: readonly string[]): string {
  const [nearest] = names
    .map((name) => ({ name, far: distance(given.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, far }) => far <= Math.max(1, name.length / 3))
    .toSorted((a, b) => a.far - b.far);
  return nearest === undefined ? "" : `; did you mean ${nearest.name}?`;
}

/** The number of letters to insert, remove or change (Levenshtein). Names are short, and long ones count as far. */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > b.length) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 0; i < a.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j += 1)
      next.push(Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1)));
    row = next;
  }
  return row.at(-1) ?? 0;
}
