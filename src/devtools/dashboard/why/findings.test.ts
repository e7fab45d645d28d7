/** The findings of a run in the Why tab. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { lastGood } from "../../run/explain/last-good.ts";
import { callOf, traceOf } from "../../run/traces.testkit.ts";
import { findingGroups, wordOf } from "./findings.ts";

describe("findingGroups", () => {
  const error = { name: "RangeError", message: "no stock" };
  const failed = traceOf([callOf(0, null, "Orders", { error })], {
    sequence: 2,
    startedAt: 2,
    status: 500,
    error,
    droppedCalls: 3,
    durationUs: 10_000,
  });

  test("groups the findings, errors first, missing parts last", () => {
    const groups = findingGroups(failed, undefined);
    assert.deepEqual(
      groups.map(({ title, findings }) => [title, wordOf(findings[0] ?? assert.fail("a group is never empty"))]),
      [
        ["What went wrong", "Error"],
        ["Where the time went", "Own time"],
        ["What is missing here", "Not recorded"],
      ],
    );
  });

  test("compares with the last run of the same request that worked", () => {
    const good = traceOf([callOf(0, null, "Orders", { args: [1] })], { sequence: 1, startedAt: 1 });
    const changed = traceOf([callOf(0, null, "Orders", { args: [1], result: "other" })], { sequence: 2, startedAt: 2 });
    const found = lastGood([changed, good], changed);
    assert.equal(found, good);
    assert.match(findingGroups(changed, found)[0]?.findings[0]?.message ?? "", /^Orders\.\w+ returns another result/);
  });

  test("has no group for an empty run", () => {
    const empty = traceOf([]);
    assert.deepEqual([lastGood([], empty), findingGroups(empty, undefined)], [undefined, []]);
  });
});
