/**
 * keptSlice, mergeTraces: which runs stay when others come.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { applicationSlice } from "../store/application.ts";
import { selectionSlice } from "../store/selection.ts";
import { memoryStorage } from "../testing/fake-page.ts";
import { graphOf } from "../../run/traces.testkit.ts";
import { runOf, stage, type Stage } from "../testing/stage.ts";
import { filesSlice } from "./files.ts";
import { keptSlice, mergeTraces } from "./kept.ts";
import { liveSlice } from "./live.ts";
import { formatRun } from "../../run/run-file.ts";

const sequences = ({ use }: Stage): number[] => use(applicationSlice).traces.value.map((t) => t.sequence);

describe("mergeTraces", () => {
  test("keeps each run once, newest first, a hundred and the pinned ones", () => {
    const many = Array.from({ length: 150 }, (_, i) => runOf(i + 1));
    const merged = mergeTraces(many, [runOf(150), runOf(151)], new Set(["i1.3"]));
    assert.equal(merged.length, 101);
    assert.deepEqual([merged[0]?.sequence, merged[99]?.sequence, merged[100]?.sequence], [151, 52, 3]);
  });
});

describe("mergeTraces of requests and jobs", () => {
  test("keeps a quarter for jobs, and all places that the others do not need", () => {
    const requests = Array.from({ length: 110 }, (_, i) => runOf(i + 1));
    const jobs = Array.from({ length: 110 }, (_, i) => runOf(i + 201, { kind: "background" }));
    const kinds = (merged: readonly { kind?: unknown }[]): number[] => [
      merged.filter(({ kind }) => kind === undefined).length,
      merged.filter(({ kind }) => kind === "background").length,
    ];
    const merged = mergeTraces(requests, jobs, new Set());
    assert.deepEqual([kinds(merged), merged[0]?.sequence, merged[25]?.sequence], [[75, 25], 310, 110]);
    assert.deepEqual(kinds(mergeTraces(requests.slice(0, 10), jobs, new Set())), [10, 90]);
    assert.deepEqual(kinds(mergeTraces(requests, jobs.slice(0, 10), new Set())), [90, 10]);
  });
});

describe("a run that took long", () => {
  test("is kept, though a hundred have begun since", () => {
    const many = Array.from({ length: 100 }, (_, i) => runOf(i + 1, { startedAt: 1_000 + i }));
    const slow = runOf(101, { startedAt: 1, durationUs: 5_000_000 });
    const merged = mergeTraces(many, [slow], new Set());
    assert.deepEqual([merged.length, merged[98]?.sequence, merged[99]?.sequence], [100, 2, 101]);
  });
});

describe("keptSlice", () => {
  test("has pinned runs again after a reload, also those that the application has dropped", async () => {
    const session = memoryStorage();
    const page = await stage({ session, traces: [runOf(1), runOf(2)] });
    page.use(keptSlice).togglePin("i1.1");
    const again = await stage({ session, traces: [runOf(2)] });
    assert.deepEqual([sequences(again), [...again.use(keptSlice).pinned.value]], [[2, 1], ["i1.1"]]);
    again.use(keptSlice).togglePin("i1.1");
    assert.deepEqual(sequences(await stage({ session, traces: [runOf(2)] })), [2]);
  });

  test("keeps pinned runs when history is cleared, and does not bring cleared ones back", async () => {
    const page = await stage({ traces: [runOf(1), runOf(2)] });
    const { togglePin, clear } = page.use(keptSlice);
    togglePin("i1.1");
    clear();
    assert.deepEqual(sequences(page), [1]);
    await page.use(liveSlice).load();
    assert.deepEqual(sequences(page), [1]);
    togglePin("i1.1");
    clear();
    assert.deepEqual(sequences(page), []);
  });

  test("takes in runs that end after History was cleared, whenever they began and whatever clock a file has", async () => {
    const page = await stage({ traces: [runOf(10)] });
    const trace = runOf(1, { instance: "other", startedAt: 1_000_000 });
    const file = { name: "a.json", text: async () => formatRun({ trace, graph: graphOf({ Web: [] }), entries: [] }) };
    await page.use(filesSlice).openRun(file);
    page.use(keptSlice).clear();
    page.arrive(runOf(11, { startedAt: 2, durationUs: 20_000 }));
    page.frame();
    assert.deepEqual(sequences(page), [1, 11]);
  });

  test("deselects a run that is cleared", async () => {
    const { use } = await stage({ traces: [runOf(1)] });
    const { selectTrace, traceId } = use(selectionSlice);
    selectTrace(runOf(1));
    use(keptSlice).clear();
    assert.equal(traceId.value, null);
  });

  test("keeps the selected, the marked and the pinned run while others are dropped", async () => {
    const page = await stage({ traces: [runOf(1), runOf(2), runOf(3), runOf(4), runOf(5)] });
    const { selectTrace, mark } = page.use(selectionSlice);
    selectTrace(runOf(1));
    mark("a", runOf(2));
    mark("b", runOf(3));
    page.use(keptSlice).togglePin("i1.4");
    for (let i = 10; i < 130; i++) page.arrive(runOf(i));
    page.frame();
    assert.deepEqual(sequences(page).slice(-5), [30, 4, 3, 2, 1]);
  });
});
