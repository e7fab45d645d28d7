/**
 * path-lines: the critical path and the brackets over the rows.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { timelineRows } from "../../run/timeline-rows.ts";
import type { Trace } from "../../run/shapes.ts";
import { callOf, sqlOf, traceOf } from "../../run/traces.testkit.ts";
import { withLeafLines } from "./leaf-lines.ts";
import { bracketsIn, pathIn, rowBrackets, rowParts, rowsOf } from "./path-lines.ts";
import { timelineLines } from "./timeline.ts";

const trace = traceOf(
  [
    callOf(0, null, "Web", { startUs: 10, durationUs: 80 }),
    callOf(1, 0, "A", { startUs: 20, durationUs: 20 }),
    callOf(2, 0, "B", { startUs: 20, durationUs: 60 }),
  ],
  { leaves: [sqlOf(0, 2, "select 1", { startUs: 30, durationUs: 40 })] },
);
const placesOf = (of: Trace, isOpen: boolean) => {
  const lines = withLeafLines(timelineLines(timelineRows(of), new Set(), null), of.calls, of.leaves, () => isOpen);
  return rowsOf(of, lines);
};
const window = { fromUs: 0, toUs: 100 };
const rows = { first: 0, last: 10, height: 20 };

describe("rowsOf, rowParts", () => {
  test("is the row of each call and leaf, and the run's own row is above them", () =>
    assert.deepEqual(rowParts(trace, placesOf(trace, true)), [
      { row: -1, fromUs: 0, toUs: 10 },
      { row: 0, fromUs: 10, toUs: 20 },
      { row: 2, fromUs: 20, toUs: 30 },
      { row: 3, fromUs: 30, toUs: 70 },
      { row: 2, fromUs: 70, toUs: 80 },
      { row: 0, fromUs: 80, toUs: 90 },
      { row: -1, fromUs: 90, toUs: 100 },
    ]));

  test("is the row of its call for a leaf that is not open, and of the fold for a folded call", () => {
    assert.deepEqual(rowParts(trace, placesOf(trace, false)).slice(2, 3), [{ row: 2, fromUs: 20, toUs: 80 }]);
    const folded = traceOf([
      callOf(0, null, "Web", { startUs: 0, durationUs: 100 }),
      ...[1, 3, 5, 7].flatMap((id) => [
        callOf(id, 0, "Repo", { startUs: id * 10, durationUs: 20 }),
        callOf(id + 1, id, "Db", { startUs: id * 10 + 5, durationUs: 5 }),
      ]),
    ]);
    assert.deepEqual(rowParts(folded, placesOf(folded, true)), [
      { row: 0, fromUs: 0, toUs: 10 },
      { row: 1, fromUs: 10, toUs: 90 },
      { row: 0, fromUs: 90, toUs: 100 },
    ]);
  });
});

describe("pathIn", () => {
  const parts = [
    { row: 0, fromUs: 0, toUs: 20 },
    { row: 2, fromUs: 20, toUs: 60 },
    { row: 0, fromUs: 60, toUs: 100 },
  ];
  test("is a line below each bar, joined by verticals", () =>
    assert.equal(pathIn(parts, window, 100, rows), "M0 16H20M20 16V56M20 56H60M60 56V16M60 16H100"));

  test("leaves out what is too short to see, and what is outside of the window", () => {
    assert.equal(pathIn(parts, window, 3, rows), "M0.5 56H2M2 56V16M2 16H3");
    assert.equal(pathIn(parts, { fromUs: 30, toUs: 50 }, 100, rows), "M-1 56H100");
  });

  test("leads to the border for rows that are not on screen", () =>
    assert.equal(pathIn(parts, window, 100, { first: 2, last: 3, height: 20 }), "M20 -1V16M20 16H60M60 16V-1"));
});

describe("rowBrackets, bracketsIn", () => {
  test("spans the rows of calls side by side, with their number where there is room", () => {
    const brackets = rowBrackets(trace, placesOf(trace, true));
    assert.deepEqual(brackets, [{ rows: [1, 2], count: 2, startUs: 20, endUs: 80 }]);
    const drawn = bracketsIn(brackets, window, 1_000, rows);
    assert.deepEqual(drawn, [{ d: "M197 30V50M197 30h3M197 50h3", x: 193, y: 44, text: "2 side by side", end: true }]);
    assert.deepEqual(
      [300, 120, 60].map((width) => bracketsIn(brackets, window, width, rows).map(({ text, end }) => [text, end])),
      [[["2", true]], [["2", true]], [["", false]]],
    );
  });

  test("stands at the right if there is no room at the left", () => {
    const early = [{ rows: [1, 2], count: 2, startUs: 0, endUs: 30 }];
    assert.deepEqual(
      bracketsIn(early, window, 400, rows).map(({ text, end, x }) => [text, end, x]),
      [["2 side by side", false, 126]],
    );
  });

  test("is none in one row, out of sight, or narrower than two bars", () => {
    const one = [{ rows: [1, 2], count: 2, startUs: 20, endUs: 80 }];
    assert.deepEqual(bracketsIn(one, window, 100, { first: 5, last: 9, height: 20 }), []);
    assert.deepEqual(bracketsIn(one, { fromUs: 90, toUs: 100 }, 100, rows), []);
    assert.deepEqual(bracketsIn(one, window, 10, rows), []);
    const equal = traceOf([1, 2, 3, 4].map((id) => callOf(id, null, "A", { startUs: id, durationUs: 50 })));
    assert.deepEqual(rowBrackets(equal, placesOf(equal, true)), []);
  });
});
