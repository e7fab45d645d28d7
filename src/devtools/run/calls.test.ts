/**
 * Self time and ends of a run's calls.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Call } from "./shapes.ts";
import { byParent, callerOf, coveredUs, endOf, rootOf, threwHere } from "./calls.ts";
import { callOf, sqlOf, traceOf } from "./traces.testkit.ts";

describe("rootOf", () => {
  test("DASH-055: has the time before the first call, and the time without a running call", () => {
    const calls = [
      callOf(0, null, "A", { startUs: 20, durationUs: 30 }),
      callOf(1, null, "B", { startUs: 40, durationUs: 20 }),
    ];
    assert.deepEqual(rootOf(traceOf(calls)), { selfUs: 60, firstUs: 20 });
    const inner = callOf(2, 1, "C", { startUs: 10, durationUs: 85 });
    assert.deepEqual(rootOf(traceOf([...calls, inner])), { selfUs: 60, firstUs: 10 });
    assert.deepEqual(rootOf(traceOf([])), { selfUs: 100, firstUs: 100 });
  });
});

describe("byParent, callerOf", () => {
  test("finds the calls below a call, and the call around it", () => {
    const calls = [callOf(0, null, "A"), callOf(1, 0, "B"), callOf(2, 0, "C")];
    const [a, b, c] = calls;
    assert.deepEqual(
      [...byParent(calls)],
      [
        [null, [a]],
        [0, [b, c]],
      ],
    );
    const byId = new Map(calls.map((call) => [call.id, call]));
    assert.deepEqual(
      [1, 9, null].map((parentId) => callerOf(sqlOf(0, parentId, "select 1"), byId)),
      [b, undefined, undefined],
    );
  });
});

describe("endOf", () => {
  test("is the run's end for a call that had not settled, and never before the call began", () => {
    const ends = [
      { startUs: 3, durationUs: 4 },
      { startUs: 3, durationUs: null },
      { startUs: 120, durationUs: null },
    ];
    assert.deepEqual(
      ends.map((times) => endOf(callOf(0, null, "A", times), traceOf([]))),
      [7, 100, 120],
    );
  });
});

describe("coveredUs", () => {
  test("counts overlaps once, in any order, between two times", () => {
    const spans = [
      { startUs: 50, endUs: 60 },
      { startUs: 0, endUs: 20 },
      { startUs: 5, endUs: 10 },
      { startUs: 15, endUs: 30 },
    ];
    const end = ({ endUs }: { endUs: number }): number => endUs;
    assert.deepEqual(
      [coveredUs(spans, end, 100), coveredUs(spans, end, 55, 8), coveredUs(spans, end, 0), coveredUs([], end, 9)],
      [40, 27, 0, 0],
    );
  });
});

describe("threwHere", () => {
  const error = { name: "E", message: "no" };
  const call = callOf(0, null, "A", { error });
  const below: Readonly<Record<string, readonly [Partial<Call>, boolean]>> = {
    "the same error": [{ error: { ...error } }, false],
    "another name": [{ error: { ...error, name: "F" } }, true],
    "another message": [{ error: { ...error, message: "yes" } }, true],
    "no error": [{}, true],
    "the same error of a call that it did not make": [{ error, parentId: 7 }, true],
  };
  for (const [what, [more, expected]] of Object.entries(below))
    test(`is ${expected} with ${what} below`, () =>
      assert.equal(threwHere(call, [callOf(1, 0, "C"), callOf(2, 0, "B", more)]), expected));
  test("is false without an error", () => assert.equal(threwHere(callOf(0, null, "A"), []), false));
});
