/**
 * share-words: what runs share, in words and as Markdown.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Difference } from "../../run/explain/share.ts";
import type { Comparison } from "./lanes.ts";
import { countsSaid, liftOf, markdownOf, setSaid } from "./share-words.ts";

const difference = (lift: number | null, text = "a|b"): Difference => ({
  facts: [
    { kind: "request", text },
    { kind: "bean", text: "Rates is called" },
  ],
  inSet: 12,
  inRest: 3,
  lift,
  p: 0.001,
  runs: [],
});
const compared = (...differences: readonly Difference[]): Comparison => ({
  sides: { name: "slow", set: [], rest: [], without: new Set() },
  shared: { ofSet: 12, ofRest: 88, differences, same: [{ kind: "status", text: "the status is 200" }], looked: 40 },
});

describe("liftOf", () => {
  test("is a factor, or says that only these have it", () => {
    assert.deepEqual(
      [29.3, 10, 4.54, 0.25, 0, null].map((lift) => liftOf(difference(lift))),
      ["29×", "10×", "4.5×", "0.3×", "0×", "only"],
    );
  });
});

describe("countsSaid", () => {
  test("has both counts", () =>
    assert.deepEqual(
      [setSaid(compared()), countsSaid(difference(1), compared())],
      ["12 slow runs", "12 of 12, 3 of 88 others"],
    ));
});

describe("markdownOf", () => {
  test("is a table with escaped cells, and what does not differ", () => {
    assert.equal(
      markdownOf(compared(difference(29.3))),
      [
        "### What 12 slow runs share, against 88 others",
        "",
        "| What | Value | Selected | Others | Lift |",
        "| --- | --- | ---: | ---: | ---: |",
        String.raw`| request | a\|b; Rates is called | 12 | 3 | 29× |`,
        "",
        "No difference: the status is 200",
        "",
      ].join("\n"),
    );
    assert.match(markdownOf(compared()), /\n\nNothing sets them apart\.\n\nNo difference/);
  });
});
