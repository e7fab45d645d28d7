/**
 * timeline: self time, critical path and repeats of a run's calls.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Call, Json } from "../../wire.ts";
import { callOf, traceOf } from "../testing/fixtures.ts";
import { repeatsOf, rootOf, timelineRows } from "../../analysis/calls.ts";
import { methodRoom, ticks, timelineLines } from "./timeline.ts";

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
    "a proxy": { $class: "Proxy" },
    "an object with private fields": { $class: "Money", $private: true },
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

  test("DASH-054: shows the calls of a fold that is opened, or that holds the call looked at", () => {
    assert.deepEqual(short(calls(4), [1]).slice(0, 4), ["Web 0", "4 × Repo Σ 20 open", "Repo 1", "Db 2"]);
    assert.deepEqual(short(calls(4), [], 6).length, 10);
  });

  test("DASH-054: keeps what differs apart: another method, other calls within, an error, a call without an end", () => {
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

  test("folds within a fold that is open", () => {
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

describe("rootOf", () => {
  test("DASH-055: tells the time before the first call, and that in which none was running", () => {
    const calls = [
      callOf(0, null, "A", { startUs: 20, durationUs: 30 }),
      callOf(1, null, "B", { startUs: 40, durationUs: 20 }),
    ];
    assert.deepEqual(rootOf(traceOf(calls)), { selfUs: 60, firstUs: 20 });
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
