/**
 * align, commonPairs: the longest common subsequence, and the gaps between its items.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { align, commonPairs } from "./diff-align.ts";

const sequences = fc.array(fc.nat(4), { maxLength: 24 });

/** Length of a longest common subsequence, by the textbook table. */
function longest(a: readonly number[], b: readonly number[]): number {
  let row = Array<number>(b.length + 1).fill(0);
  for (const x of a) {
    const next = [0];
    b.forEach((y, j) => next.push(x === y ? (row[j] ?? 0) + 1 : Math.max(row[j + 1] ?? 0, next[j] ?? 0)));
    row = next;
  }
  return row[b.length] ?? 0;
}

describe("commonPairs", () => {
  test("finds a longest common subsequence of any two sequences", () => {
    fc.assert(
      fc.property(sequences, sequences, (a, b) => {
        const pairs = commonPairs(a, b);
        assert.equal(pairs.length, longest(a, b));
        for (const [i, j] of pairs) assert.equal(a[i], b[j]);
        for (const [n, [i, j]] of pairs.entries()) {
          const [before, beforeJ] = pairs[n - 1] ?? [-1, -1];
          assert.ok(i > before && j > beforeJ);
        }
      }),
      { numRuns: 400 },
    );
  });

  test("stops early for sequences with almost nothing in common", () => {
    const a = Array.from({ length: 3_000 }, (_, i) => i);
    assert.deepEqual(
      commonPairs(
        a,
        a.map((n) => -n - 1),
      ),
      [],
    );
  });
});

describe("align", () => {
  test("leaves out the common part, whatever is left on either side", () => {
    fc.assert(
      fc.property(sequences, sequences, (a, b) => {
        const rebuilt: number[] = [];
        let at = 0;
        for (const { from, fromEnd, to, toEnd } of align(a, b)) {
          rebuilt.push(...a.slice(at, from), ...b.slice(to, toEnd));
          at = fromEnd;
        }
        assert.deepEqual([...rebuilt, ...a.slice(at)], b);
      }),
      { numRuns: 400 },
    );
  });

  test("has no gap between equal sequences", () => {
    assert.deepEqual([align([], []), align([1, 2], [1, 2])], [[], []]);
  });
});
