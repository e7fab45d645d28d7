/**
 * wordsOf, edgeView: the words of a node, and the style of an edge.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { graphOf } from "../../run/traces.testkit.ts";
import { placesIn, stripePath } from "../../run/graph/bean-box.ts";
import { edgeView, pillWidth, wordsOf, type BeanView } from "./bean-view.ts";

const [bean, unspied] = graphOf({ Web: [], Db: [] }, ["Db"]).nodes;
assert.ok(bean && unspied);
const run = { id: "Web", count: 2, totalUs: 1_500, threw: false, failed: false, recorded: true };
const spent = (count: number, totalUs: number) => ({ count, totalUs });

describe("wordsOf", () => {
  const cases: Record<string, [BeanView, unknown]> = {
    "nothing of a bean that is only there": [{ state: "reach" }, { said: "" }],
    "count and time on a path": [
      { state: "path", run },
      { line: "2× 1.50 ms", said: ", called 2 times, 1.50 ms" },
    ],
    "a large count in short, and in full in the accessible name": [
      { state: "path", run: { ...run, count: 4_737 } },
      { line: "4.7k× 1.50 ms", said: ", called 4,737 times, 1.50 ms" },
    ],
    "that it threw": [
      { state: "path", run: { ...run, count: 1, threw: true } },
      { pill: "!", line: "1.50 ms", said: ", called once, 1.50 ms, threw" },
    ],
    "that the path went through it unseen": [
      { state: "path", run: { ...run, recorded: false } },
      { line: "not recorded", said: ", on the path, not recorded" },
    ],
    "the difference of two runs": [
      { state: "path", change: { id: "Web", side: "both", a: spent(1, 500), b: spent(1, 900), deltaUs: 400 } },
      { pill: "A B", line: "+400 µs", said: ", called in both runs, +400 µs in B" },
    ],
    "which of the two runs called it": [
      { state: "path", change: { id: "Web", side: "a", a: spent(1, 500), b: spent(0, 0), deltaUs: -500 } },
      { pill: "A", line: "500 µs", said: ", called only in run A" },
    ],
    "that neither run recorded it": [
      { state: "path", change: { id: "Web", side: "b", a: spent(0, 0), b: spent(0, 0), deltaUs: 0 } },
      { line: "not recorded", said: ", on the path, not recorded" },
    ],
  };
  for (const [title, [view, expected]] of Object.entries(cases))
    test(`says ${title}`, () => assert.deepEqual(wordsOf(view, bean), expected));

  test("says that a bean is not traceable", () =>
    assert.deepEqual(wordsOf({ state: "idle" }, unspied), { said: ", not traceable" }));
});

describe("edgeView", () => {
  const edge = { from: "A", to: "B" };
  test("separates path, reach, dim and idle", () => {
    assert.deepEqual(
      [
        edgeView(edge, new Set(["A", "B"]), new Map([["A>B", 1]])),
        edgeView(edge, new Set(["A", "B"]), new Map()),
        edgeView(edge, new Set(["A"]), new Map()),
        edgeView(edge, new Set(), new Map()),
        edgeView(edge, null, new Map()),
      ],
      ["path", "reach", "dim", "idle", "idle"],
    );
  });
});

describe("pillWidth", () => {
  test("grows with the text", () => assert.deepEqual([pillWidth("1×"), pillWidth("! 12×")], [26, 50]));
});

describe("placesIn", () => {
  test("has the count above a box, and inside one if room is short", () => {
    const [roomy, dense] = [placesIn({ width: 124, height: 44 }), placesIn({ width: 148, height: 32 })];
    assert.deepEqual([roomy.pill, roomy.pillEnd], [-9, 132]);
    assert.ok(dense.pill > dense.name && dense.pill + dense.pillHeight < 32 && dense.pillEnd < 148);
    const folded = placesIn({ width: 128, height: 47 });
    assert.ok(folded.rest - folded.name >= 13 && folded.line - folded.rest >= 13 && folded.line + 7 < 47);
    assert.match(stripePath({ width: 148, height: 32 }), /^M8,0H22V32H8/);
  });
});
