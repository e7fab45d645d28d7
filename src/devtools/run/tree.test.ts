/**
 * Tree: the lines of a run, each with its branches.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { timelineRows } from "./timeline-rows.ts";
import { callOf, sqlOf, traceOf } from "./traces.testkit.ts";
import { treeOf } from "./tree.ts";

describe("treeOf", () => {
  test("has calls and leaves in the order of their starts, each below its caller", () => {
    const calls = [
      callOf(0, null, "A", { startUs: 0 }),
      callOf(1, 0, "B", { startUs: 10 }),
      callOf(2, 0, "C", { startUs: 30 }),
      callOf(3, 2, "D", { startUs: 40 }),
      callOf(4, null, "E", { startUs: 60 }),
    ];
    const leaves = [
      sqlOf(0, 2, "in C, last", { startUs: 50 }),
      sqlOf(1, 1, "in B", { startUs: 11 }),
      sqlOf(2, 0, "in A", { startUs: 20 }),
      sqlOf(3, null, "outside", { startUs: 55 }),
    ];
    const trace = traceOf(calls, { leaves });
    assert.deepEqual(
      treeOf(trace, timelineRows(trace)).map(
        ({ branches, row, leaf }) => branches + (row?.call.bean ?? (leaf?.kind === "sql" ? leaf.detail.statement : "")),
      ),
      ["A", "├─ B", "│  └─ in B", "├─ in A", "└─ C", "   ├─ D", "   └─ in C, last", "outside", "E"],
    );
  });

  test("is as deep as the run, and empty without calls", () => {
    const calls = Array.from({ length: 5_000 }, (_, id) => callOf(id, id === 0 ? null : id - 1, "A"));
    const rows = calls.map((call) => ({ call, selfUs: 0, totalUs: 1, critical: false, threw: false }));
    assert.equal(treeOf(traceOf(calls), rows).length, 5_000);
    assert.deepEqual(treeOf(traceOf([]), []), []);
  });
});
