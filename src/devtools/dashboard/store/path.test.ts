/**
 * path: the beans and dependencies of a run.
 */

import { neighbours, reachable } from "../../run/reach.ts";
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callOf, graphOf, traceOf } from "../../run/traces.testkit.ts";
import { shortestPath, tracePath } from "./path.ts";

const graph = graphOf(
  { Web: ["Service"], Service: ["Repo", "Clock"], Repo: ["Pool"], Clock: ["Repo"], Pool: [], Other: ["Repo"] },
  ["Clock"],
);
const boom = { name: "Boom", message: "no" };

describe("reachable", () => {
  test("is every bean after the entries, cycles and unknown ids included", () => {
    assert.deepEqual([...reachable(graph, ["Service"])].sort(), ["Clock", "Pool", "Repo", "Service"]);
    assert.deepEqual([...reachable(graphOf({ A: ["B"], B: ["A"], C: [] }), ["B", "gone"])].sort(), ["A", "B"]);
    assert.deepEqual([...reachable(graph, [])], []);
  });
});

describe("shortestPath", () => {
  test("passes only allowed beans", () => {
    const next = neighbours(graph);
    assert.deepEqual(
      shortestPath(next, "Web", "Pool", () => true),
      ["Web", "Service", "Repo", "Pool"],
    );
    assert.equal(
      shortestPath(next, "Web", "Pool", (id) => id === "Repo"),
      undefined,
    );
    assert.deepEqual(
      shortestPath(next, "Web", "Web", () => false),
      ["Web"],
    );
  });
});

describe("tracePath", () => {
  test("follows calls from the entry, counting calls and time", () => {
    const path = tracePath(
      traceOf([
        callOf(0, null, "Web", { durationUs: 50 }),
        callOf(1, 0, "Service"),
        callOf(2, 1, "Repo"),
        callOf(3, 1, "Repo", { durationUs: 7 }),
      ]),
      graph,
      ["Web"],
    );
    assert.deepEqual(
      [...path.edges.values()],
      [
        { from: "entry", to: "Web", count: 1, order: 0, declared: true },
        { from: "Web", to: "Service", count: 1, order: 1, declared: true },
        { from: "Service", to: "Repo", count: 2, order: 2, declared: true },
      ],
    );
    assert.deepEqual(path.beans.get("Repo"), {
      id: "Repo",
      count: 2,
      totalUs: 12,
      threw: false,
      failed: false,
      recorded: true,
    });
    assert.deepEqual(
      path.steps.map((s) => s.edges),
      [["entry>Web"], ["Web>Service"], ["Service>Repo"], ["Service>Repo"]],
    );
  });

  test("draws a call past unrecorded beans through them", () => {
    const chained = graphOf({ Web: ["Mid"], Mid: ["Repo"], Repo: [] }, ["Mid"]);
    const path = tracePath(traceOf([callOf(0, null, "Web"), callOf(1, 0, "Repo")]), chained, ["Web"]);
    assert.deepEqual([...path.edges.keys()], ["entry>Web", "Web>Mid", "Mid>Repo"]);
    assert.deepEqual(path.beans.get("Mid"), {
      id: "Mid",
      count: 0,
      totalUs: 0,
      threw: false,
      failed: false,
      recorded: false,
    });
  });

  test("starts at an unrecorded entry bean", () => {
    const concrete = graphOf({ Web: ["Service"], Service: [] }, ["Web"]);
    const path = tracePath(traceOf([callOf(0, null, "Service")]), concrete, ["Web", "Service"]);
    assert.deepEqual([...path.edges.keys()], ["entry>Web", "Web>Service"]);
  });

  test("marks where an error began, and the beans that it passed", () => {
    const path = tracePath(
      traceOf([
        callOf(0, null, "Web", { error: boom }),
        callOf(1, 0, "Service", { error: boom }),
        callOf(2, 1, "Repo", { error: boom }),
      ]),
      graph,
      ["Web"],
    );
    assert.deepEqual(
      [...path.beans.values()].map((b) => [b.id, b.threw, b.failed]),
      [
        ["Web", false, true],
        ["Service", false, true],
        ["Repo", true, true],
      ],
    );
  });

  test("marks a call without a dependency", () => {
    const path = tracePath(traceOf([callOf(0, null, "Repo"), callOf(1, 0, "Web")]), graph, ["Repo"]);
    assert.deepEqual(path.edges.get("Repo>Web"), { from: "Repo", to: "Web", count: 1, order: 1, declared: false });
  });

  test("DASH-039: a bean's time is the union of its calls, within the request", () => {
    const path = tracePath(
      traceOf(
        [
          callOf(0, null, "Web", { startUs: 0, durationUs: null }),
          callOf(1, 0, "Service", { startUs: 10, durationUs: 40 }),
          callOf(2, 0, "Service", { startUs: 20, durationUs: 40 }),
          callOf(3, 0, "Service", { startUs: 30, durationUs: 10 }),
          callOf(4, 0, "Repo", { startUs: 90, durationUs: 50 }),
        ],
        { durationUs: 100 },
      ),
      graph,
      ["Web"],
    );
    assert.deepEqual(
      [...path.beans.values()].map((bean) => [bean.id, bean.totalUs]),
      [
        ["Web", 100],
        ["Service", 50],
        ["Repo", 10],
      ],
    );
  });

  test("counts a recursive call's time once and has an edge of the bean to itself", () => {
    const path = tracePath(
      traceOf([callOf(0, null, "Web", { durationUs: 50 }), callOf(1, 0, "Web", { durationUs: 30 })]),
      graph,
      ["Web"],
    );
    assert.equal(path.beans.get("Web")?.totalUs, 50);
    assert.deepEqual([...path.edges.keys()], ["entry>Web", "Web>Web"]);
  });
});
