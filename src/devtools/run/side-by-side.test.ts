/**
 * sideBySide: calls and leaves of one caller that overlap.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sideBySide } from "./side-by-side.ts";
import { callOf, logOf, sqlOf, traceOf } from "./traces.testkit.ts";

describe("sideBySide", () => {
  test("groups those of one caller that overlap, calls and leaves, by their starts", () => {
    const calls = [
      callOf(0, null, "Web", { startUs: 0, durationUs: 100 }),
      callOf(1, 0, "B", { startUs: 20, durationUs: 20 }),
      callOf(2, 0, "A", { startUs: 10, durationUs: 15 }),
      callOf(3, 0, "After", { startUs: 40, durationUs: 10 }),
      callOf(4, 1, "Below", { startUs: 20, durationUs: 20 }),
    ];
    const leaves = [sqlOf(0, 0, "select 1", { startUs: 38, durationUs: 2 }), logOf(3, 0, "said")];
    assert.deepEqual(
      sideBySide(traceOf(calls, { leaves })).map(({ items, startUs, endUs }) => [
        items.map((one) => ("bean" in one ? one.bean : one.kind)),
        startUs,
        endUs,
      ]),
      [[["A", "B", "sql"], 10, 40]],
    );
  });

  test("has none for calls one after another, calls without duration, and calls of different callers", () => {
    const calls = [
      callOf(0, null, "Web", { startUs: 0, durationUs: 100 }),
      callOf(1, 0, "A", { startUs: 0, durationUs: 50 }),
      callOf(2, 0, "B", { startUs: 50, durationUs: 50 }),
      callOf(3, 0, "Instant", { startUs: 60, durationUs: 0 }),
      callOf(4, 1, "Below", { startUs: 0, durationUs: 50 }),
    ];
    assert.deepEqual(sideBySide(traceOf(calls)), []);
  });
});
