/** The findings of a run in the Why tab. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { lastGood } from "../../run/explain/last-good.ts";
import { callOf, httpOf, sqlOf, traceOf } from "../../run/traces.testkit.ts";
import { findingRows } from "./findings.ts";

const signs = (...given: Parameters<typeof findingRows>): readonly string[] =>
  findingRows(...given).map(({ sign, word }) => `${sign} ${word}`);

describe("findingRows", () => {
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

  test("is empty for an empty run", () => {
    const empty = traceOf([]);
    assert.deepEqual([lastGood([], empty), findingRows(empty, undefined)], [undefined, []]);
  });
});
