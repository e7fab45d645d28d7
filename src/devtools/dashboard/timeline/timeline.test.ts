/**
 * timeline: the lines of a run's calls and the room of their names.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Call } from "../../run/shapes.ts";
import { callOf, traceOf } from "../../run/traces.testkit.ts";
import { timelineRows } from "../../run/timeline-rows.ts";
import { methodRoom, timelineLines } from "./timeline.ts";

describe("timelineLines", () => {
  /** `load` for each of `n` items, each with a query within; the lines in short. */
  const calls = (n: number, more: (i: number) => Partial<Call> = () => ({})): Call[] => [
    callOf(0, null, "Web"),
    ...Array.from({ length: n }, (_, i) => [
      callOf(1 + 2 * i, 0, "Repo", { method: "load", ...more(i) }),
      callOf(2 + 2 * i, 1 + 2 * i, "Db", { method: "query" }),
    ]).flat(),
  ];
  const short = (all: readonly Call[], opened: readonly number[] = [], shown: number | null = null): string[] =>
    timelineLines(timelineRows(traceOf(all)), new Set(opened), shown).map((line) =>
      line.kind === "call"
        ? `${line.row.call.bean} ${line.row.call.id}`
        : `${line.rows.length} × ${line.rows[0]?.call.bean} Σ ${line.totalUs}${line.open ? " open" : ""}`,
    );

  test("DASH-054: folds equal calls in a row, with the calls within them", () => {
    assert.deepEqual(short(calls(5)), ["Web 0", "5 × Repo Σ 25"]);
    assert.deepEqual(short(calls(3)).length, 7);
  });

  test("DASH-054: shows the calls of an opened fold, or of one with the shown call", () => {
    assert.deepEqual(short(calls(4), [1]).slice(0, 4), ["Web 0", "4 × Repo Σ 20 open", "Repo 1", "Db 2"]);
    assert.deepEqual(short(calls(4), [], 6).length, 10);
  });

  test("DASH-054: keeps different calls apart: another method, other calls within, an error, a call without an end", () => {
    const differ: readonly Partial<Call>[] = [
      { method: "other" },
      { error: { name: "E", message: "no" } },
      { durationUs: null },
    ];
    for (const more of differ)
      assert.deepEqual(
        short(calls(9, (i) => (i === 4 ? more : {}))),
        ["Web 0", "4 × Repo Σ 20", "Repo 9", "Db 10", "4 × Repo Σ 20"],
        JSON.stringify(more),
      );
    assert.deepEqual(short([...calls(4), callOf(20, 7, "Db", { method: "query" })]).length, 10);
  });

  test("folds within an open fold", () => {
    const inner = Array.from({ length: 4 }, (_, i) => [
      callOf(1 + 5 * i, 0, "Repo"),
      ...[2, 3, 4, 5].map((at) => callOf(at + 5 * i, 1 + 5 * i, "Db")),
    ]).flat();
    assert.deepEqual(short([callOf(0, null, "Web"), ...inner], [1]), [
      "Web 0",
      "4 × Repo Σ 20 open",
      ...[1, 6, 11, 16].flatMap((id) => [`Repo ${id}`, "4 × Db Σ 20"]),
    ]);
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
