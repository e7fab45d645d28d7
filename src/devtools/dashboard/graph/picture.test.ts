/**
 * graphSlice: which beans are laid out, and which dependencies stand out.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { selectionSlice } from "../store/selection.ts";
import { callOf, graphOf, traceOf } from "../testing/fixtures.ts";
import { runOf, stage } from "../testing/stage.ts";
import { graphSlice } from "./picture.ts";

describe("graphSlice", () => {
  test("lays out only what is reachable above 60 beans, until the user wants everything", async () => {
    const many = graphOf(Object.fromEntries([["Web", ["B0"]], ...Array.from({ length: 60 }, (_, i) => [`B${i}`, []])]));
    const { use } = await stage({ graph: many });
    const { shown, focused, toggleOnlyReachable } = use(graphSlice);
    assert.equal(shown.value.length, 61);
    use(selectionSlice).selectRoute("GET /x/{id}");
    assert.deepEqual([shown.value, focused.value], [["Web", "B0"], true]);
    toggleOnlyReachable();
    assert.deepEqual([shown.value.length, focused.value], [61, false]);
    toggleOnlyReachable();
    assert.equal(focused.value, true);
  });

  test("draws the path up to the step, and whole again on replay", async () => {
    const { use } = await stage({ traces: [runOf(1)] });
    const { selectTrace, moveStep, replay } = use(selectionSlice);
    const { boldEdges, viewOf } = use(graphSlice);
    selectTrace(runOf(1));
    moveStep(-1);
    assert.deepEqual([[...boldEdges.value.keys()], viewOf("Service").state], [["entry>Web"], "reach"]);
    replay();
    assert.deepEqual([[...boldEdges.value.keys()], viewOf("Service").state], [["entry>Web", "Web>Service"], "path"]);
    assert.equal(viewOf("Other").state, "dim");
  });

  test("draws a comparison instead of the path", async () => {
    const other = traceOf([callOf(0, null, "Web"), callOf(1, 0, "Repo")], { sequence: 2, startedAt: 2 });
    const { use } = await stage({ traces: [runOf(1), other] });
    const { mark, selectTrace } = use(selectionSlice);
    selectTrace(runOf(1));
    mark("a", runOf(1));
    mark("b", other);
    assert.deepEqual(
      [...use(graphSlice).boldEdges.value].map(([key, edge]) => [key, edge.side]),
      [
        ["entry>Web", "both"],
        ["Web>Service", "a"],
        ["Web>Repo", "b"],
      ],
    );
  });
});
