/**
 * selectionSlice: the reach of a route, the path of a run and its steps, the marks.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callOf, traceOf } from "../../run/traces.testkit.ts";
import { runOf, stage } from "../testing/stage.ts";
import { panelsSlice } from "./panels.ts";
import { selectionSlice } from "./selection.ts";

describe("selectionSlice", () => {
  test("shows what a route can reach, and no path before a run", async () => {
    const { use } = await stage();
    const { selectRoute, reach, path, method } = use(selectionSlice);
    assert.deepEqual([reach.value, method.value], [null, null]);
    selectRoute("GET /x/{id}");
    assert.deepEqual([...(reach.value ?? [])], ["Web", "Service", "Repo"]);
    assert.deepEqual([path.value, method.value], [null, "GET"]);
  });

  test("selects the route of a run, for HEAD the one of GET, and none without one", async () => {
    const { use } = await stage();
    const { selectTrace, routeId } = use(selectionSlice);
    const routes = [runOf(1), runOf(2, { method: "HEAD" }), runOf(3, { route: null }), runOf(4, { route: "/gone" })];
    const selected = routes.map((run) => {
      selectTrace(run);
      return routeId.value;
    });
    assert.deepEqual(selected, ["GET /x/{id}", "GET /x/{id}", null, null]);
  });

  test("selects the version of a route that a run got", async () => {
    const routes = ["1", "2"].map((version) => ({ method: "GET", path: "/x", pathParams: [], beans: [], version }));
    const { use } = await stage({ routes });
    const { selectTrace, routeId, route } = use(selectionSlice);
    selectTrace(runOf(1, { route: "/x", version: "2" }));
    assert.deepEqual([routeId.value, route.value?.version], ["GET /x 2", "2"]);
    selectTrace(runOf(1, { route: "/x" }));
    assert.equal(routeId.value, null);
  });

  test("steps through the calls and stays between none and all", async () => {
    const { use } = await stage({ traces: [runOf(1)] });
    const { selectTrace, moveStep, replay, step, replays } = use(selectionSlice);
    selectTrace(runOf(1));
    const steps = [-1, -1, -1, 1, 1, 1].map((by) => {
      moveStep(by);
      return step.value;
    });
    assert.deepEqual(steps, [1, 0, 0, 1, 2, 2]);
    const before = replays.value;
    replay();
    assert.deepEqual([step.value, replays.value], [null, before + 1]);
  });

  test("enters the graph where runs did, until the route knows", async () => {
    const { use } = await stage({ traces: [traceOf([callOf(0, null, "Service")], { method: "POST", route: "/x" })] });
    const { selectRoute, entries } = use(selectionSlice);
    selectRoute("POST /x");
    assert.deepEqual(entries.value, ["Service"]);
  });

  test("does not change the reachable beans when traffic arrives", async () => {
    const { use, arrive, frame } = await stage({ traces: [runOf(1)] });
    const { selectRoute, reach } = use(selectionSlice);
    const post = (sequence: number) =>
      traceOf([callOf(0, null, "Web")], { sequence, method: "POST", route: "/x", startedAt: sequence });
    selectRoute("POST /x");
    arrive(post(2));
    frame();
    const before = reach.value;
    assert.deepEqual([...(before ?? [])], ["Web", "Service", "Repo"]);
    arrive(post(3));
    frame();
    assert.equal(reach.value, before);
  });

  test("names a missing bean by its id", async () => {
    const { use } = await stage();
    const { beanName } = use(selectionSlice);
    assert.deepEqual([beanName("Web"), beanName("gone")], ["Web", "gone"]);
  });

  test("opens the comparison with the second mark, and leaves it when the marks go", async () => {
    const { use } = await stage({ traces: [runOf(1), runOf(2)] });
    const { mark, swapMarks, clearMarks, marks } = use(selectionSlice);
    const { detail } = use(panelsSlice);
    mark("a", runOf(1));
    assert.equal(detail.value, "response");
    mark("b", runOf(2));
    assert.equal(detail.value, "compare");
    swapMarks();
    assert.deepEqual(marks.value, { a: "i1.2", b: "i1.1" });
    mark("b", runOf(2));
    assert.deepEqual(marks.value, { a: null, b: "i1.2" });
    clearMarks();
    assert.deepEqual([marks.value, detail.value], [{ a: null, b: null }, "response"]);
  });

  test("unmarks a run that is marked again", async () => {
    const { use } = await stage({ traces: [runOf(1)] });
    const { mark, marks } = use(selectionSlice);
    mark("a", runOf(1));
    mark("a", runOf(1));
    assert.deepEqual(marks.value, { a: null, b: null });
  });
});
