/**
 * graphSlice: which beans are laid out, and which dependencies are bold.
 */

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { selectionSlice } from "../store/selection.ts";
import { setGlobals } from "../testing/fake-page.ts";
import { callOf, graphOf, traceOf } from "../../run/traces.testkit.ts";
import { runOf, stage } from "../testing/stage.ts";
import { graphSlice } from "./picture.ts";

const restore = setGlobals({ document: { createElement: () => ({ getContext: () => null }) } });
after(restore);

describe("graphSlice", () => {
  test("lays out only reachable beans above 60 beans, until the user wants everything", async () => {
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

  test("has a path for each bold edge: from the entry, round the beans, and in a loop at one that called itself", async () => {
    const run = traceOf([callOf(0, null, "Web"), callOf(1, 0, "Repo"), callOf(2, 1, "Repo"), callOf(3, 1, "Gone")]);
    const { use } = await stage({ traces: [run] });
    const { selectRoute, selectTrace } = use(selectionSlice);
    const { boldPaths, entry, picture } = use(graphSlice);
    selectRoute("GET /x/{id}");
    selectTrace(run);
    const ways = boldPaths.value;
    assert.deepEqual([...ways.keys()], ["entry>Web", "Web>Repo", "Repo>Repo"]);
    assert.equal(ways.get("entry>Web")?.d, entry.value?.edges.find(({ bean }) => bean === "Web")?.d);
    const repo = picture.value.beans.get("Repo");
    const [, x = 0, y = 0] = (/^M ?(-?[\d.]+)[ ,](-?[\d.]+)/.exec(ways.get("Repo>Repo")?.d ?? "") ?? []).map(Number);
    const isAt =
      repo !== undefined && x >= repo.x && x <= repo.x + repo.width && y >= repo.y && y <= repo.y + repo.height;
    assert.equal(isAt, true);
  });

  test("finds beans by a part of their names, and opens a found bean's group", async () => {
    const many = graphOf(
      Object.fromEntries([["Web", ["B0"]], ...Array.from({ length: 150 }, (_, i) => [`B${i}`, []])]),
    );
    const run = traceOf([callOf(0, null, "Web"), callOf(1, 0, "B0")]);
    const { use } = await stage({ graph: many, traces: [run] });
    use(selectionSlice).selectTrace(run);
    const { find, hits, isFound, screen, groups, openGroupOf, toggleGroup, toggleOnlyReachable } = use(graphSlice);
    toggleOnlyReachable();
    find.value = " b14";
    assert.deepEqual([hits.value.length, isFound("B14"), isFound("B15")], [11, true, false]);
    find.value = "";
    screen.value = { width: 700, height: 500 };
    const isOpen = (): unknown => groups.value.map(({ stereotype, open }) => [stereotype, open]);
    assert.deepEqual(isOpen(), [["bean", false]]);
    openGroupOf("B7");
    assert.deepEqual(isOpen(), [["bean", true]]);
    for (const group of groups.value) toggleGroup(group);
    assert.deepEqual(isOpen(), [["bean", false]]);
  });
});
