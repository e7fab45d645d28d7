/**
 * lanes: the kept runs, the sides of a comparison, and what is read for it.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { traceKey } from "../../run/format.ts";
import type { Trace } from "../../run/shapes.ts";
import { callOf } from "../../run/traces.testkit.ts";
import { historySlice } from "../runs/history.ts";
import { applicationSlice } from "../store/application.ts";
import { selectionSlice } from "../store/selection.ts";
import { runOf, settled, stage, type Stage } from "../testing/stage.ts";
import { lanesSlice, MOST_COMPARED, MOST_RUNS } from "./lanes.ts";

const slow = { durationUs: 200_000 };

/** A stage whose application keeps these runs, of which the page has none. */
async function keeping(
  runs: readonly Trace[],
  file: string | null = "runs.jsonl",
): Promise<Stage & { asked: string[] }> {
  const asked: string[] = [];
  const newest = runs.toReversed();
  const one = await stage({
    held: runs,
    onRead: (name, query) => {
      if (name.startsWith("runs/")) asked.push(name);
      if (name === "sessions")
        return {
          sessions: [
            { instance: "i1", commit: "abc" },
            { instance: "i2", commit: null },
          ],
          file,
        };
      if (name !== "search") return runs.find((run) => `runs/${traceKey(run)}` === name);
      const from = Number(query["cursor"] || 0);
      const hits = newest
        .slice(from, from + 100)
        .map(({ calls: _calls, error: _error, request: _request, ...hit }) => hit);
      return { hits, next: from + 100 < runs.length ? String(from + 100) : null, searched: 1, tookUs: 1 };
    },
  });
  return { ...one, asked };
}

const numbers = (runs: readonly { readonly sequence: number }[] = []): readonly number[] =>
  runs.map(({ sequence }) => sequence);

describe("lanesSlice", () => {
  test("has the runs of the page and all kept ones, the oldest first, at most a thousand", async () => {
    const all = Array.from({ length: MOST_RUNS + 50 }, (_, i) => runOf(i + 1));
    const { use } = await keeping(all);
    const { runs, load } = use(lanesSlice);
    use(applicationSlice).traces.value = [runOf(2_000)];
    assert.deepEqual(numbers(runs.value), [2_000]);
    await load();
    assert.deepEqual(numbers(runs.value).slice(0, 2), [52, 53]);
    assert.deepEqual([runs.value.length, runs.value.at(-1)?.sequence], [MOST_RUNS, 2_000]);
  });

  test("keeps runs that the page drops only while the application has them", async () => {
    for (const [file, expected] of [
      ["runs.jsonl", [1, 2]],
      [null, [2]],
    ] as const) {
      const { use } = await keeping([], file);
      const { runs, load, stay } = use(lanesSlice);
      await load();
      const stop = stay();
      const { traces } = use(applicationSlice);
      traces.value = [runOf(1)];
      traces.value = [runOf(2)];
      assert.deepEqual(numbers(runs.value), expected);
      stop();
    }
  });

  test("compares the runs of the buttons, or else the selected ones, with the others in the brush", async () => {
    const { use } = await stage({
      traces: [runOf(4, { status: 500 }), runOf(3, slow), runOf(2), runOf(1, { ...slow, durationUs: 100_500 })],
    });
    const { sides, toggle, clearChosen, setBrush, counts } = use(lanesSlice);
    const { setFilter } = use(historySlice);
    const shown = (): unknown =>
      sides.value && [sides.value.name, numbers(sides.value.set), numbers(sides.value.rest), [...sides.value.without]];
    assert.equal(shown(), null);
    assert.deepEqual(counts.value, { onlyErrors: 1, onlySlow: 2, onlyMine: 0 });
    setFilter({ onlySlow: true });
    assert.deepEqual(shown(), ["slow", [1, 3], [2, 4], []]);
    setBrush([102, 150]);
    assert.deepEqual(shown(), ["slow", [3], [], []]);
    setBrush(null);
    setFilter({ onlySlow: false, onlyErrors: true });
    assert.deepEqual(shown(), ["failed", [4], [1, 2, 3], ["status", "error"]]);
    toggle(runOf(2));
    toggle(runOf(3));
    toggle(runOf(3));
    assert.deepEqual(shown(), ["selected", [2], [1, 3, 4], []]);
    clearChosen();
    assert.deepEqual(shown(), ["failed", [4], [1, 2, 3], ["status", "error"]]);
  });

  test("compares a hundred runs a side at most, which the page does not read", async () => {
    const all = Array.from({ length: 350 }, (_, i) =>
      runOf(i + 1, i % 2 === 0 ? { ...slow, calls: [callOf(0, null, "Rates")] } : {}),
    );
    const { use, asked, frame } = await keeping(all);
    const { comparison, load, follow, setBrush } = use(lanesSlice);
    await load();
    use(historySlice).setFilter({ onlySlow: true });
    const stop = follow();
    const compared = async (): Promise<void> => {
      for (let turn = 0; turn < 60; turn += 1) {
        frame();
        await settled();
      }
    };
    await compared();
    const { shared, sides } = comparison.value ?? {};
    assert.deepEqual([shared?.ofSet, shared?.ofRest], [MOST_COMPARED, MOST_COMPARED]);
    assert.deepEqual([sides?.set.length, sides?.rest.length], [175, 175]);
    assert.deepEqual(shared?.differences.map((one) => one.facts.map(({ text }) => text))[0]?.slice(0, 2), [
      "args[0] of Rates.run is 0",
      "Rates is called",
    ]);
    assert.ok(shared?.same.some(({ text }) => text === "the commit is abc"));
    setBrush([340, 10_000]);
    await compared();
    assert.deepEqual([comparison.value?.shared.ofRest, asked], [6, []]);
    stop();
  });

  test("selects a run as everywhere, and finds those between its read and its write", async () => {
    const error = { name: "ConflictError", message: "stale" };
    const call = (id: number, method: string, ms: number, more = {}) =>
      callOf(id, null, "Stock", { method, args: ["p-7"], startUs: ms * 1_000, durationUs: 500, ...more });
    const more = { startedAt: 1_000, durationUs: 50_000 };
    const failed = runOf(2, {
      ...more,
      status: 409,
      error,
      calls: [call(0, "find", 1), call(1, "save", 40, { error })],
    });
    const other = runOf(1, { ...more, calls: [call(0, "find", 1), call(1, "save", 20)] });
    const { use } = await keeping([other, failed]);
    const { load, runs, select, interleavings } = use(lanesSlice);
    await load();
    assert.equal(interleavings.value.size, 0);
    const [, hit] = runs.value;
    assert.ok(hit);
    await select(hit);
    assert.equal(use(selectionSlice).trace.value?.sequence, 2);
    assert.deepEqual(
      [...interleavings.value].map(([key, all]) => [key, all.map(({ run }) => run.sequence)]),
      [["i1.2", [1]]],
    );
  });
});
