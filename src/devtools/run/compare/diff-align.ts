/**
 * Aligns two sequences by their longest common subsequence. Pure.
 *
 *   a b c d        ┌ b c ┐           gaps: a ↔ (nothing), d ↔ x
 *   b c x     ──▶  common
 *
 * Myers' O(ND) runs on the part between the common ends. If two sequences have so little in common that this would take
 * long, the whole middle is one gap. The result is then longer than necessary, never wrong.
 */

/** A stretch that differs: `[from, fromEnd)` of the first and `[to, toEnd)` of the second sequence. */
export interface Gap {
  readonly from: number;
  readonly fromEnd: number;
  readonly to: number;
  readonly toEnd: number;
}

/** Differences beyond which the search stops. */
const MAX_DIFFERENCES = 1_000;

/** The gaps between common items, in order. Items are equal when their numbers are. */
export function align(a: readonly number[], b: readonly number[]): Gap[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let [aEnd, bEnd] = [a.length, b.length];
  while (aEnd > start && bEnd > start && a[aEnd - 1] === b[bEnd - 1]) [aEnd, bEnd] = [aEnd - 1, bEnd - 1];
  if (start === aEnd && start === bEnd) return [];
  const pairs = commonPairs(a.slice(start, aEnd), b.slice(start, bEnd));
  const gaps: Gap[] = [];
  let [from, to] = [start, start];
  for (const [i, j] of [...pairs, [aEnd - start, bEnd - start] as const]) {
    const [fromEnd, toEnd] = [i + start, j + start];
    if (fromEnd > from || toEnd > to) gaps.push({ from, fromEnd, to, toEnd });
    [from, to] = [fromEnd + 1, toEnd + 1];
  }
  return gaps;
}

/** Pairs of positions of a longest common subsequence, rising in both; none when the search would take too long. */
export function commonPairs(a: readonly number[], b: readonly number[]): (readonly [number, number])[] {
  const most = Math.min(a.length + b.length, MAX_DIFFERENCES);
  const reach = new Int32Array(2 * most + 3);
  const trail: Int32Array[] = [];
  for (let d = 0; d <= most; d++) {
    trail.push(reach.slice(most + 1 - d - 1, most + 1 + d + 2));
    for (let k = -d; k <= d; k += 2) {
      const at = most + 1 + k;
      const down = k === -d || (k !== d && (reach[at - 1] ?? 0) < (reach[at + 1] ?? 0));
      let x = down ? (reach[at + 1] ?? 0) : (reach[at - 1] ?? 0) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      reach[at] = x;
      if (x >= a.length && x - k >= b.length) return backtrack(trail, a.length, b.length);
    }
  }
  return [];
}

/** Walks the search backwards; `trail[d]` holds the reach of diagonals -d-1 … d+1 before round d. */
function backtrack(trail: readonly Int32Array[], aLength: number, bLength: number): (readonly [number, number])[] {
  const pairs: (readonly [number, number])[] = [];
  let [x, y] = [aLength, bLength];
  for (let d = trail.length - 1; d >= 0; d--) {
    const reach = (k: number): number => trail[d]?.[k + d + 1] ?? 0;
    const k = x - y;
    const down = k === -d || (k !== d && reach(k - 1) < reach(k + 1));
    const before = down ? k + 1 : k - 1;
    const fromX = d === 0 ? 0 : reach(before);
    const fromY = d === 0 ? 0 : fromX - before;
    while (x > fromX && y > fromY) {
      x--;
      y--;
      pairs.push([x, y]);
    }
    [x, y] = [fromX, fromY];
  }
  return pairs.reverse();
}
