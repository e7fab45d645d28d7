/** The findings of a run as the page lists them. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { lastGood } from "./last-good.ts";
import { callOf, httpOf, sqlOf, traceOf } from "../traces.testkit.ts";
import { whyOf } from "./why.ts";

const signs = (...given: Parameters<typeof whyOf>): readonly string[] =>
  whyOf(...given).rows.map(({ sign, word }) => `${sign} ${word}`);

describe("whyOf", () => {
  test("has errors first, then time by cost, then what is not recorded", () => {
    const error = { name: "RangeError", message: "no stock" };
    const leaves = [
      ...[0, 1, 2].map((id) => sqlOf(id, 0, `select ${id} from a`, { durationUs: 1_000 })),
      httpOf(3, 0, null, { startUs: 4_000, durationUs: 6_500 }),
    ];
    const failed = traceOf([callOf(0, null, "Orders", { error, durationUs: 9_990 })], {
      status: 500,
      error,
      droppedCalls: 3,
      durationUs: 10_000,
      leaves,
    });
    assert.deepEqual(signs(failed, undefined), [
      "! Error",
      "65 % Slow",
      "30 % Own time",
      "3× Repeated",
      "→ Longest chain",
      "… Not recorded",
    ]);
  });

  test("compares with the last run of the same request that worked", () => {
    const good = traceOf([callOf(0, null, "Orders", { args: [1] })], { sequence: 1, startedAt: 1 });
    const changed = traceOf([callOf(0, null, "Orders", { args: [1], result: "other" })], { sequence: 2, startedAt: 2 });
    const found = lastGood([changed, good], changed);
    assert.equal(found, good);
    assert.equal(signs(changed, found)[0], "≠ Different");
  });

  test("names the call of a finding by its id, and divides the time", () => {
    const slow = traceOf([callOf(7, null, "Orders", { durationUs: 9_000 })], {
      durationUs: 10_000,
      phases: [{ kind: "middleware", name: "cors", startUs: 0, durationUs: 1_000 }],
    });
    const { rows, parts, steps } = whyOf(slow, undefined);
    assert.deepEqual(
      rows.map(({ kind, callId, leafId }) => [kind, callId, leafId]),
      [
        ["own-time", 7, null],
        ["critical-path", 7, null],
      ],
    );
    assert.deepEqual(parts, [
      { kind: "outside", name: "outside beans", us: 1_000 },
      { kind: "sync", name: "synchronous", us: 9_000 },
    ]);
    assert.deepEqual(steps, [
      { name: "other", us: 930 },
      { name: "middleware cors", us: 70 },
    ]);
  });

  test("is empty for an empty run", () => {
    const empty = traceOf([]);
    assert.deepEqual([lastGood([], empty), signs(empty, undefined)], [undefined, []]);
  });
});
