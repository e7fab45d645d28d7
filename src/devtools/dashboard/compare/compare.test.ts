/**
 * compareRuns: the common parts of two runs, and the parts of only one.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { followServices } from "../runs/other-services.ts";
import { applicationSlice } from "../store/application.ts";
import { panelsSlice } from "../store/panels.ts";
import { tracePath } from "../store/path.ts";
import { selectionSlice } from "../store/selection.ts";
import { callOf, graphOf, httpOf, traceOf } from "../../run/traces.testkit.ts";
import { runOf, settled, stage } from "../testing/stage.ts";
import { compareRuns, comparisonSlice } from "./compare.ts";

const graph = graphOf({ Web: ["Cache", "Db"], Cache: [], Db: [] });

describe("compareRuns", () => {
  const a = traceOf([callOf(0, null, "Web", { durationUs: 90 }), callOf(1, 0, "Db", { durationUs: 50 })]);
  const b = traceOf([callOf(0, null, "Web", { durationUs: 30 }), callOf(1, 0, "Cache", { durationUs: 4 })], {
    sequence: 2,
  });
  const found = compareRuns(a, b, tracePath(a, graph, ["Web"]), tracePath(b, graph, ["Web"]));

  test("separates shared edges and beans from those of one run", () => {
    const sides = (map: ReadonlyMap<string, { side: string }>): unknown =>
      Object.fromEntries([...map].map(([key, { side }]) => [key, side]));
    assert.deepEqual(sides(found.edges), { "entry>Web": "both", "Web>Db": "a", "Web>Cache": "b" });
    assert.deepEqual(sides(found.beanSides), { Web: "both", Db: "a", Cache: "b" });
  });

  test("has the difference per bean, the largest first", () => {
    assert.deepEqual(found.beans, [
      { id: "Web", side: "both", a: { count: 1, totalUs: 90 }, b: { count: 1, totalUs: 30 }, deltaUs: -60 },
      { id: "Db", side: "a", a: { count: 1, totalUs: 50 }, b: { count: 0, totalUs: 0 }, deltaUs: -50 },
      { id: "Cache", side: "b", a: { count: 0, totalUs: 0 }, b: { count: 1, totalUs: 4 }, deltaUs: 4 },
    ]);
  });
});

describe("comparisonSlice", () => {
  const other = traceOf([callOf(0, null, "Web"), callOf(1, 0, "Repo")], { sequence: 2, startedAt: 2 });

  test("compares the two marked runs while the tab is open, also in the other order", async () => {
    const { use } = await stage({ traces: [runOf(1), other] });
    const { mark, swapMarks, clearMarks } = use(selectionSlice);
    const { markedA, comparison, comparing } = use(comparisonSlice);
    mark("a", runOf(1));
    assert.deepEqual([markedA.value?.sequence, comparing.value], [1, null]);
    mark("b", other);
    assert.deepEqual(
      [...(comparing.value?.edges ?? [])].map(([key, edge]) => [key, edge.side]),
      [
        ["entry>Web", "both"],
        ["Web>Service", "a"],
        ["Web>Repo", "b"],
      ],
    );
    swapMarks();
    assert.equal(comparing.value?.a.sequence, 2);
    use(panelsSlice).detail.value = "timeline";
    assert.deepEqual([comparing.value, comparison.value?.a.sequence], [null, 2]);
    clearMarks();
    assert.equal(comparison.value, null);
  });

  test("asks the application how calls and responses differ, and says why it does not know", async () => {
    const down = { now: false };
    const { use } = await stage({ traces: [runOf(1), other], down });
    const { mark, swapMarks } = use(selectionSlice);
    const { differences, failure, follow } = use(comparisonSlice);
    const stop = follow();
    mark("a", runOf(1));
    mark("b", other);
    assert.equal(differences.value, null);
    await settled();
    const sides = (): unknown => differences.value?.calls.map(({ bean, side }) => [bean, side]);
    assert.deepEqual(sides(), [
      ["Service", "a"],
      ["Repo", "b"],
    ]);
    down.now = true;
    swapMarks();
    await settled();
    assert.deepEqual([sides(), failure.value], [undefined, "Failed to fetch"]);
    down.now = false;
    use(applicationSlice).online.value = true;
    await settled();
    assert.deepEqual(sides(), [
      ["Repo", "a"],
      ["Service", "b"],
    ]);
    stop();
  });
});

describe("comparisonSlice, with another service", () => {
  test("DASH-171: has the calls and beans of other services in both runs, and draws those of either", async () => {
    const led = (sequence: number) =>
      runOf(sequence, { leaves: [httpOf(0, 1, { origin: "http://127.0.0.1:1", id: `i2.${sequence}` })] });
    const near = traceOf([callOf(0, null, "Near"), callOf(1, 0, "Near")]);
    const { use } = await stage({
      traces: [led(3), led(2), runOf(1)],
      onRemote: ({ id }) => ({
        name: "post",
        graph: graphOf({ Near: [] }),
        trace: id === "i2.2" ? { ...near, calls: near.calls.slice(0, 1) } : near,
      }),
    });
    const stop = followServices(use);
    const { mark, selectTrace, graph: drawn, callId } = use(selectionSlice);
    selectTrace(runOf(1));
    mark("a", led(2));
    callId.value = 1;
    mark("b", led(3));
    for (let i = 0; i < 6; i++) await settled();
    const { comparing } = use(comparisonSlice);
    assert.deepEqual([comparing.value?.a.calls.length, comparing.value?.b.calls.length], [3, 4]);
    assert.deepEqual(comparing.value?.beans.find(({ id }) => id === "post › Near")?.side, "both");
    assert.ok(drawn.value.nodes.some(({ id }) => id === "post › Near"));
    assert.ok(drawn.value.edges.some(({ from, to }) => from === "Service" && to === "post › Near"));
    assert.equal(callId.value, 1);
    use(panelsSlice).detail.value = "response";
    assert.ok(!drawn.value.nodes.some(({ id }) => id === "post › Near"));
    stop();
  });
});
