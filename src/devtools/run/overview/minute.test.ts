/**
 * createMinute: the traffic of the last minute.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Trace } from "../shapes.ts";
import { callOf, traceOf } from "../traces.testkit.ts";
import { createMinute } from "./minute.ts";

const T = 1_000_000_000;
const error = { name: "Error", message: "no" };

/** A run that ended `second` seconds after T, in which Web called Repo for `us`. */
function runAt(sequence: number, second: number, us: number, more: Partial<Trace> = {}): Trace {
  const calls = [callOf(0, null, "Web", { durationUs: us + 10 }), callOf(1, 0, "Repo", { durationUs: us })];
  return traceOf(calls, { sequence, startedAt: T + second * 1_000, durationUs: us + 20, ...more });
}

const self = (bean: string): string => bean;
/** Whether a time is within 3 % of another one. */
const isNear = (us: number | undefined, other: number): boolean => Math.abs((us ?? 0) / other - 1) < 0.03;

describe("createMinute", () => {
  test("counts requests by second with exact percentiles, each run once", () => {
    const minute = createMinute();
    const runs = Array.from({ length: 20 }, (_, i) => runAt(i + 1, i % 2, (i + 1) * 100));
    minute.add(runs.toReversed());
    minute.add(runs);
    minute.add([runAt(21, 1, 500, { status: 503 }), runAt(22, 1, 9_999, { kind: "background" })]);
    const { bySecond, ...sums } = minute.requests(T + 1_000);
    assert.deepEqual(sums, { count: 21, errors: 1, p50Us: 1_020, p95Us: 1_920 });
    assert.deepEqual([bySecond.length, ...bySecond.slice(-3)], [60, 0, 10, 11]);
  });

  test("counts the calls that enter a group, their errors and their times within 3 %", () => {
    const minute = createMinute();
    minute.add(Array.from({ length: 100 }, (_, i) => runAt(i + 1, 0, (i + 1) * 1_000)));
    const failed = [
      callOf(0, null, "Web"),
      callOf(1, 0, "Repo", { error }),
      callOf(2, 0, "Repo", { durationUs: null }),
    ];
    minute.add([traceOf(failed, { sequence: 101, startedAt: T })]);
    const beans = minute.entering(self);
    assert.deepEqual([beans.get("Web")?.count, beans.get("Repo")?.count, beans.get("Repo")?.errors], [101, 101, 1]);
    assert.ok(isNear(beans.get("Repo")?.p95Us, 95_000));
    const all = minute.entering(() => "all");
    assert.deepEqual([all.size, all.get("all")?.count, all.get("all")?.errors], [1, 101, 0]);
  });

  test("forgets what ended more than a minute ago, the slowest run too", () => {
    const minute = createMinute();
    minute.add([runAt(1, 0, 9_000), runAt(2, 1, 2_000), runAt(3, 30, 5_000), runAt(4, 31, 100)]);
    assert.equal(minute.slowest("Repo")?.sequence, 1);
    assert.equal(minute.expire(T + 59_999), true);
    assert.equal(minute.requests(T + 59_999).count, 4);
    minute.expire(T + 60_000);
    assert.equal(minute.slowest("Repo")?.sequence, 3);
    assert.equal(minute.entering(self).get("Repo")?.count, 3);
    assert.equal(minute.expire(T + 200_000), true);
    assert.equal(minute.expire(T + 200_000), false);
    assert.deepEqual([minute.slowest("Repo"), minute.entering(self).size, minute.requests(T).count], [undefined, 0, 0]);
  });
});
