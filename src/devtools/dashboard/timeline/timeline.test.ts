/**
 * timeline: self time, critical path and repeats of a run's calls.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Json } from "../../wire.ts";
import { callOf, traceOf } from "../testing/fixtures.ts";
import { methodRoom, repeatsOf, ticks, timelineRows } from "./timeline.ts";

describe("timelineRows", () => {
  test("subtracts overlapping children once", () => {
    const calls = [
      callOf(0, null, "A", { startUs: 0, durationUs: 100 }),
      callOf(1, 0, "B", { startUs: 10, durationUs: 50 }),
      callOf(2, 0, "C", { startUs: 30, durationUs: 50 }),
    ];
    assert.deepEqual(
      timelineRows(traceOf(calls)).map((r) => r.selfUs),
      [30, 50, 50],
    );
  });

  test("finds the chain that bounds the end, not the calls in its shade", () => {
    const calls = [
      callOf(0, null, "A", { startUs: 0, durationUs: 100 }),
      callOf(1, 0, "B", { startUs: 5, durationUs: 20 }),
      callOf(2, 0, "C", { startUs: 30, durationUs: 60 }),
      callOf(3, 0, "D", { startUs: 30, durationUs: 40 }),
      callOf(4, 2, "E", { startUs: 40, durationUs: 45 }),
    ];
    assert.deepEqual(
      timelineRows(traceOf(calls)).map((r) => r.critical),
      [true, true, true, false, true],
    );
  });

  test("flags the same call with the same arguments and what the repeats took", () => {
    const calls = [
      callOf(0, null, "A", { args: [1] }),
      callOf(1, null, "A", { args: [1], durationUs: 9 }),
      callOf(2, null, "A", { args: [2] }),
    ];
    assert.deepEqual(
      timelineRows(traceOf(calls)).map((r) => r.repeat),
      [{ index: 1, count: 2, repeatsUs: 9 }, { index: 2, count: 2, repeatsUs: 9 }, undefined],
    );
  });

  const partial: Readonly<Record<string, Json>> = {
    "a function": { $function: "done" },
    "a cut text": { $string: "abc", $truncated: 9 },
    "a cut list": [1, { $truncated: 9 }],
    "a hidden value": { password: "[redacted]" },
    "a text with a hidden part": "https://x?token=[redacted]",
    bytes: { $bytes: 9 },
    "a value that is no longer kept": { $evicted: true },
  };
  for (const [what, arg] of Object.entries(partial))
    test(`DASH-039: says nothing of calls that look alike with ${what}`, () => {
      const calls = [callOf(0, null, "A", { args: [arg] }), callOf(1, null, "A", { args: [arg] })];
      assert.deepEqual(
        timelineRows(traceOf(calls)).map((row) => row.repeat),
        [undefined, undefined],
      );
    });

  test("lets a pending call run to the end of the request", () => {
    const [row] = timelineRows(traceOf([callOf(0, null, "A", { startUs: 40, durationUs: null })]));
    assert.deepEqual([row?.totalUs, row?.selfUs], [null, 60]);
  });
});

describe("repeatsOf", () => {
  test("names each repeated call once, the longest first", () => {
    const calls = [
      callOf(0, null, "A", { args: [1] }),
      callOf(1, null, "A", { args: [1], durationUs: 9 }),
      callOf(2, null, "B", { args: [] }),
      callOf(3, null, "B", { args: [], durationUs: 40 }),
      callOf(4, null, "B", { args: [], durationUs: 2 }),
      callOf(5, null, "A", { args: [2] }),
    ];
    assert.deepEqual(repeatsOf(timelineRows(traceOf(calls))), [
      { bean: "B", method: "run", count: 3, repeatsUs: 42 },
      { bean: "A", method: "run", count: 2, repeatsUs: 9 },
    ]);
  });
});

describe("ticks", () => {
  test("are round and end before the total", () => {
    assert.deepEqual(ticks(7_770), [0, 2_000, 4_000, 6_000]);
    assert.deepEqual(ticks(100), [0, 20, 40, 60, 80, 100]);
  });

  test("are no more than there is room for", () => {
    for (const most of [0, 0.4, 1, 1.5, 2, 3.7, 5]) {
      const [, second = Infinity] = ticks(7_770, most);
      assert.ok(second >= 7_770 / Math.max(1, most), String(most));
    }
    assert.deepEqual([ticks(7_770, 1), ticks(7_770, 3)], [[0], [0, 5_000]]);
  });
});

describe("methodRoom", () => {
  test("has room for the longest method's name, its indent and its flags", () => {
    const rows = timelineRows(traceOf([callOf(0, null, "A"), callOf(1, 0, "B", { method: "x".repeat(40), depth: 3 })]));
    assert.ok(methodRoom(rows) > 40 * 7 + 3 * 14);
    assert.ok(methodRoom(rows, 1) > methodRoom(rows) + 40);
    assert.equal(methodRoom([]), 150);
  });
});
