/**
 * across: a run with its parts in other services.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ServiceRun } from "../../run/shapes.ts";
import { callOf, graphOf, httpOf, sqlOf, traceOf } from "../../run/traces.testkit.ts";
import { behindKey, joinedGraph, runsBehind, wholeRun, type KnownRuns } from "./across-services.ts";
import { tracePath } from "./path.ts";

const [a, b] = ["http://127.0.0.1:1", "http://127.0.0.1:2"];
const graph = graphOf({ Web: ["Gateway"], Gateway: [] });
const own = traceOf(
  [
    callOf(0, null, "Web", { startUs: 0, durationUs: 100 }),
    callOf(1, 0, "Gateway", { startUs: 10, durationUs: 80 }),
    callOf(2, 0, "Web", { startUs: 92, durationUs: 5 }),
  ],
  { leaves: [httpOf(0, 1, { origin: a, id: "i2.7" }, { startUs: 20, durationUs: 60 })] },
);
const shipping: ServiceRun = {
  name: "shipping",
  graph: graphOf({ Parcels: ["Rates"], Rates: [], Unused: [] }),
  trace: traceOf([callOf(0, null, "Parcels", { startUs: 1, durationUs: 30 }), callOf(1, 0, "Rates", { startUs: 5 })], {
    durationUs: 40,
    leaves: [
      sqlOf(0, 1, "select 1", { startUs: 6 }),
      httpOf(1, 1, { origin: b, id: "i3.1" }, { startUs: 7, durationUs: 4 }),
    ],
  }),
};
const third: ServiceRun = {
  name: "shipping",
  graph: graphOf({ Deep: [] }),
  trace: traceOf([callOf(0, null, "Deep", { startUs: 0, durationUs: 1 })], { durationUs: 2 }),
};
const first = behindKey({ origins: [a], id: "i2.7" });
const second = behindKey({ origins: [a, b], id: "i3.1" });

describe("runsBehind", () => {
  test("are those that the run names, and those that known ones name", () => {
    assert.deepEqual(runsBehind(own, new Map()), [{ origins: [a], id: "i2.7" }]);
    assert.deepEqual(runsBehind(own, new Map([[first, shipping]])), [
      { origins: [a], id: "i2.7" },
      { origins: [a, b], id: "i3.1" },
    ]);
    assert.deepEqual(runsBehind(own, new Map([[first, "not held"]])), [{ origins: [a], id: "i2.7" }]);
  });

  test("end after 8 services in a row, if a service leads to itself", () => {
    const loop = traceOf([], { leaves: [httpOf(0, null, { origin: a, id: "i2.7" })] });
    const known = new Map(
      Array.from({ length: 20 }, (_, i) => {
        const origins = Array.from({ length: i + 1 }, () => a);
        return [behindKey({ origins, id: "i2.7" }), { name: "loop", trace: loop, graph }] as const;
      }),
    );
    assert.equal(runsBehind(loop, known).length, 8);
    assert.equal(wholeRun(loop, graph, known).trace.leaves.length, 9);
  });

  test("are 32 at most, even if a service often leads to itself", () => {
    const reference = { origin: a, id: "i2.7" };
    const fan = traceOf([], { leaves: Array.from({ length: 200 }, (_, id) => httpOf(id, null, reference)) });
    const known = new Map(
      Array.from({ length: 9 }, (_, i) => {
        const origins = Array.from({ length: i + 1 }, () => a);
        return [behindKey({ origins, id: "i2.7" }), { name: "fan", trace: fan, graph }] as const;
      }),
    );
    assert.equal(runsBehind(fan, known).length, 8);
    assert.ok(wholeRun(fan, graph, known).trace.leaves.length <= 200 * 33);
    const many = traceOf([], {
      leaves: Array.from({ length: 90 }, (_, id) => httpOf(id, null, { origin: a, id: `i.${id}` })),
    });
    assert.equal(runsBehind(many, new Map()).length, 32);
  });

  test("accept any text as the name of an origin, not only an address", () => {
    const odd = { origin: "not an address", id: "i.1" };
    const calling = traceOf([], { leaves: [httpOf(0, null, { origin: a, id: "i2.7" }), httpOf(1, null, odd)] });
    const known = new Map([
      [first, third],
      [behindKey({ origins: [odd.origin], id: "i.1" }), third],
    ]);
    assert.deepEqual(
      wholeRun(calling, graph, known).trace.calls.map(({ bean }) => bean),
      ["shipping › Deep", "shipping not an address › Deep"],
    );
  });
});

describe("wholeRun", () => {
  test("is the run itself without a known other one", () => {
    const whole = wholeRun(own, graph, new Map([[first, "not held"]]));
    assert.equal(whole.trace, own);
    assert.equal(whole.graph, graph);
  });

  const known: KnownRuns = new Map([
    [first, shipping],
    [second, third],
  ]);
  const whole = wholeRun(own, graph, known);

  test("nests another service's calls and leaves below the leaf, in the middle of its time", () => {
    assert.deepEqual(
      whole.trace.calls.map(({ id, parentId, depth, bean, startUs }) => [id, parentId, depth, bean, startUs]),
      [
        [0, null, 0, "Web", 0],
        [1, 0, 1, "Gateway", 10],
        [2, 1, 2, "shipping › Parcels", 31],
        [3, 2, 3, "shipping › Rates", 35],
        [4, 3, 4, "shipping 127.0.0.1:2 › Deep", 38],
        [5, 0, 1, "Web", 92],
      ],
    );
    assert.deepEqual(
      whole.trace.leaves.map(({ id, parentId, kind, startUs }) => [id, parentId, kind, startUs]),
      [
        [0, 1, "http", 20],
        [1, 3, "sql", 36],
        [2, 3, "http", 37],
      ],
    );
    assert.equal(whole.trace.durationUs, own.durationUs);
  });

  test("has the beans that the other service's run can reach, and an edge to them", () => {
    assert.deepEqual(
      whole.graph.nodes.map(({ id, name }) => [id, name]),
      [
        ["Web", "Web"],
        ["Gateway", "Gateway"],
        ["shipping › Parcels", "Parcels"],
        ["shipping › Rates", "Rates"],
        ["shipping 127.0.0.1:2 › Deep", "Deep"],
      ],
    );
    assert.deepEqual(
      [...whole.bridges.keys()],
      ["Gateway>shipping › Parcels", "shipping › Rates>shipping 127.0.0.1:2 › Deep"],
    );
    assert.equal(whole.islands.get("shipping › Rates"), "shipping");
    const path = tracePath(whole.trace, whole.graph, ["Web"]);
    assert.equal(path.edges.get("Gateway>shipping › Parcels")?.declared, true);
  });
});

describe("joinedGraph", () => {
  const known = new Map([[first, shipping]]);
  const plain = wholeRun(traceOf([callOf(0, null, "Web")]), graph, known);
  const led = wholeRun(own, graph, known);

  test("is the application's graph if no run led to another service", () => {
    assert.equal(joinedGraph(graph, [plain, plain]).graph, graph);
    assert.equal(joinedGraph(graph, []).islands.size, 0);
  });

  test("is the graph of the only run that led to one", () => {
    assert.equal(joinedGraph(graph, [plain, led, led]).graph, led.graph);
  });

  test("has each bean and edge of two runs once", () => {
    const again = wholeRun({ ...own, sequence: 9 }, graph, known);
    const joined = joinedGraph(graph, [led, again]);
    const sorted = (names: Iterable<string>): string[] => [...names].sort();
    assert.deepEqual(sorted(joined.graph.nodes.map(({ id }) => id)), sorted(led.graph.nodes.map(({ id }) => id)));
    assert.equal(joined.graph.edges.length, led.graph.edges.length);
    assert.deepEqual([joined.islands, joined.bridges], [led.islands, led.bridges]);
  });
});
