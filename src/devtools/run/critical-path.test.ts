/**
 * criticalPath: the parts that bound the end, without gaps.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { criticalPath } from "./critical-path.ts";
import { callOf, logOf, sqlOf, traceOf } from "./traces.testkit.ts";

/** The parts in short: who, from, to. */
const short = (...args: Parameters<typeof traceOf>): unknown[] =>
  criticalPath(traceOf(...args)).map(({ callId, leafId, fromUs, toUs }) => [
    leafId === undefined ? callId : `${callId} leaf ${leafId}`,
    fromUs,
    toUs,
  ]);

describe("criticalPath", () => {
  test("is the run itself without calls", () => assert.deepEqual(short([]), [[null, 0, 100]]));

  test("follows of calls side by side the one that ended last, and is the caller between them", () => {
    const calls = [
      callOf(0, null, "Web", { startUs: 10, durationUs: 80 }),
      callOf(1, 0, "First", { startUs: 15, durationUs: 15 }),
      callOf(2, 0, "Short", { startUs: 40, durationUs: 10 }),
      callOf(3, 0, "Long", { startUs: 40, durationUs: 40 }),
    ];
    assert.deepEqual(short(calls), [
      [null, 0, 10],
      [0, 10, 15],
      [1, 15, 30],
      [0, 30, 40],
      [3, 40, 80],
      [0, 80, 90],
      [null, 90, 100],
    ]);
  });

  test("goes through statements and requests, and not through log lines", () => {
    const calls = [callOf(0, null, "Repo", { startUs: 0, durationUs: 100 })];
    const leaves = [sqlOf(0, 0, "select 1", { startUs: 20, durationUs: 70 }), logOf(9, 0, "said")];
    assert.deepEqual(short(calls, { leaves }), [
      [0, 0, 20],
      ["0 leaf 0", 20, 90],
      [0, 90, 100],
    ]);
  });

  test("has an empty part for a call on it without own time", () => {
    const calls = [
      callOf(0, null, "Web", { startUs: 0, durationUs: 100 }),
      callOf(1, 0, "Repo", { startUs: 0, durationUs: 100 }),
    ];
    assert.deepEqual(short(calls), [
      [0, 0, 0],
      [1, 0, 100],
    ]);
  });

  test("leaves out a call that ended after its caller, and ends with the last call if that is after the response", () => {
    const calls = [
      callOf(0, null, "Web", { startUs: 0, durationUs: 50 }),
      callOf(1, 0, "Late", { startUs: 10, durationUs: 60 }),
      callOf(2, null, "After", { startUs: 60, durationUs: 70 }),
    ];
    assert.deepEqual(short(calls), [
      [0, 0, 50],
      [null, 50, 60],
      [2, 60, 130],
    ]);
  });

  test("is found in a chain that is deeper than a stack", () => {
    const depth = 20_000;
    const calls = Array.from({ length: depth }, (_, id) =>
      callOf(id, id === 0 ? null : id - 1, "Deep", { startUs: 0, durationUs: 100 }),
    );
    assert.equal(criticalPath(traceOf(calls)).length, depth);
  });
});
