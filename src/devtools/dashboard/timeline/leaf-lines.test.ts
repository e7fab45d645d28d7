/**
 * leaf-lines: the places of leaves among the lines of the timeline.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Call, Leaf } from "../../run/shapes.ts";
import { callOf, logOf, sqlOf, traceOf } from "../../run/traces.testkit.ts";
import { leafCounts, withLeafLines, type IsOpen, type RunLine } from "./leaf-lines.ts";
import { timelineRows } from "../../run/timeline-rows.ts";
import { timelineLines } from "./timeline.ts";

const name = (line: RunLine): string =>
  line.kind === "leaf"
    ? `${" ".repeat(line.depth)}${line.leaf.kind} ${line.leaf.id}`
    : line.kind === "fold"
      ? "fold"
      : `${" ".repeat(line.row.call.depth)}${line.row.call.bean}`;

function linesOf(calls: readonly Call[], leaves: readonly Leaf[], isOpen: IsOpen = () => true): string[] {
  const lines = timelineLines(timelineRows(traceOf(calls)), new Set(), null);
  return withLeafLines(lines, calls, leaves, isOpen).map(name);
}

describe("withLeafLines", () => {
  const calls = [
    callOf(0, null, "Web", { startUs: 10, durationUs: 90 }),
    callOf(1, 0, "Repo", { startUs: 20, durationUs: 10 }),
    callOf(2, 0, "Other", { startUs: 50, durationUs: 10 }),
  ];
  const leaves = [
    logOf(0, null, "before"),
    { ...sqlOf(1, 0, "select 1"), startUs: 12 },
    { ...sqlOf(2, 1, "select 2"), startUs: 22 },
    { ...logOf(3, 0, "between"), startUs: 40 },
    { ...logOf(4, 0, "last"), startUs: 95 },
    { ...logOf(5, null, "behind"), startUs: 120 },
  ];

  test("puts each under its call, in the order of the starts", () => {
    assert.deepEqual(linesOf(calls, leaves), [
      "log 0",
      "Web",
      " sql 1",
      " Repo",
      "  sql 2",
      " log 3",
      " Other",
      " log 4",
      "log 5",
    ]);
  });

  test("leaves out those of a closed call, and of the request itself", () => {
    assert.deepEqual(
      linesOf(calls, leaves, (id) => id === 1),
      ["Web", " Repo", "  sql 2", " Other"],
    );
  });

  test("has none of folded calls, and comes after the fold for those of their caller", () => {
    const equal = [0, 1, 2, 3].map((i) => callOf(i + 1, 0, "Repo", { startUs: 20 + i, durationUs: 1 }));
    const all = [callOf(0, null, "Web", { startUs: 10, durationUs: 90 }), ...equal];
    const found = linesOf(all, [
      { ...sqlOf(0, 2, "select 1"), startUs: 21 },
      { ...logOf(1, 0, "then"), startUs: 60 },
    ]);
    assert.deepEqual(found, ["Web", "fold", " log 1"]);
  });
});

describe("leafCounts", () => {
  test("counts by call, with null for the request itself", () => {
    assert.deepEqual(
      [...leafCounts([logOf(0, null, "a"), logOf(1, 3, "b"), logOf(2, 3, "c")])],
      [
        [null, 1],
        [3, 2],
      ],
    );
  });
});
