/**
 * Suggestions: the name that somebody who wrote another one most likely meant.
 *
 *   "maxBodybytes" of accept, maxBodyBytes, beans ──▶ `; did you mean maxBodyBytes?`
 */

/** The end of a sentence about an unknown name; empty where no name is near. */
export function didYouMean(given: string, names: readonly string[]): string {
  const [nearest] = names
    .map((name) => ({ name, far: distance(given.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, far }) => far <= Math.max(1, name.length / 3))
    .toSorted((a, b) => a.far - b.far);
  return nearest === undefined ? "" : `; did you mean ${nearest.name}?`;
}

/** How many letters have to be put in, taken out or changed (Levenshtein). Names are short; longer ones are far. */
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
