/**
 * The place Start: order, heat, and the ways to a run.
 */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Trace } from "../../run/shapes.ts";
import { callOf, graphOf, traceOf } from "../../run/traces.testkit.ts";
import { runOf, settled, stage, type StageProps } from "../testing/stage.ts";
import { setGlobals } from "../testing/fake-page.ts";
import { liveSlice } from "../runs/live.ts";
import { minuteSlice } from "../runs/minute.ts";
import { panelsSlice } from "../store/panels.ts";
import { selectionSlice } from "../store/selection.ts";
import { busiestFirst, heatLevel, heatOf, overviewSlice } from "./overview.ts";

describe("heatLevel", () => {
  const cases = [
    [0, 100, 0],
    [1, 100, 1],
    [10, 100, 3],
    [100, 100, 4],
    [5, 0, 4],
  ] as const;
  for (const [value, most, level] of cases)
    it(`is ${level} for ${value} if the most is ${most}`, () => assert.equal(heatLevel(value, most), level));
});

describe("heatOf", () => {
  it("has rate and p95 as words, the errors, and a level by what is asked", () => {
    const traffic = new Map([
      ["Web", { count: 60, errors: 0, p95Us: 4_000 }],
      ["Repo", { count: 3, errors: 2, p95Us: 90_000 }],
    ]);
    const web = { line: "1.0/s 4.00 ms", errors: 0, said: ", 1.0/s, p95 4.00 ms" };
    const repo = { line: "<0.1/s 90.0 ms", errors: 2, said: ", <0.1/s, p95 90.0 ms, 2 errors" };
    const levels = (by: "Rate" | "p95" | "Errors"): unknown[] => [...heatOf(traffic, by, 60).values()];
    assert.deepEqual(levels("Rate"), [
      { level: 4, ...web },
      { level: 2, ...repo },
    ]);
    assert.deepEqual(levels("Errors"), [
      { level: 0, ...web },
      { level: 4, ...repo },
    ]);
  });
});

describe("busiestFirst", () => {
  const folder = (name: string) => ({ name, column: "feature" as const, beans: [], counts: new Map(), routes: 0 });
  const traffic = (counts: Readonly<Record<string, number>>) =>
    new Map(Object.entries(counts).map(([name, count]) => [name, { count, errors: 0, p95Us: 1 }]));
  const order = (...counts: Readonly<Record<string, number>>[]): string =>
    busiestFirst([folder("a"), folder("b"), folder("c")], counts.map(traffic))
      .map(({ name }) => name)
      .join("");

  it("takes the last minute first, then the kept runs, and else the given order", () => {
    assert.equal(order({ c: 40, b: 3 }), "cba");
    assert.equal(order({ c: 3 }, { b: 9, a: 1 }), "cba");
    assert.equal(order({}), "abc");
  });
  it("keeps the order of counts within a factor of two", () => assert.equal(order({ a: 33, b: 60, c: 64 }), "cab"));
});

/** Start on a stage, with what the application responds. */
async function started(props: StageProps) {
  const release = setGlobals({ document: { visibilityState: "visible", documentElement: { dataset: {} } } });
  const made = await stage(props);
  const overview = made.use(overviewSlice);
  const stop = overview.follow();
  await settled();
  return { ...made, overview, end: () => (stop(), release()) };
}

const recent = (sequence: number, durationUs = 100): Trace =>
  traceOf([callOf(0, null, "Web", { durationUs }), callOf(1, 0, "Service")], {
    sequence,
    startedAt: Date.now() - 2_000,
    durationUs,
  });

describe("overviewSlice", () => {
  it("groups by stereotype until sources in several folders are known", async () => {
    const sources = ["Web", "Service"].map((bean) => ({ bean, method: "run", file: `src/${bean}/x.ts`, line: 1 }));
    const { overview, end } = await started({
      onRead: (name) => (name === "sources" ? sources : name === "startup" || name === "aggregates" ? {} : undefined),
    });
    assert.equal(overview.hasFolders.value, true);
    assert.deepEqual(
      overview.folders.value.folders.map(({ name }) => name),
      ["Service", "Web", "beans"],
    );
    overview.wanted.value = "Stereotype";
    assert.deepEqual(
      overview.folders.value.folders.map(({ name }) => name),
      ["beans"],
    );
    end();
  });

  it("counts the runs that the stream brings at most twice a second", async () => {
    const { overview, use, arrive, frame, pass, end } = await started({ traces: [recent(1)] });
    pass(500);
    assert.equal(overview.requests.value.count, 1);
    const { tick } = use(minuteSlice);
    const before = tick.value;
    for (const sequence of [2, 3, 4]) {
      arrive(recent(sequence));
      frame();
    }
    pass(400);
    assert.deepEqual([tick.value, overview.requests.value.count], [before, 1]);
    pass(100);
    assert.deepEqual([tick.value, overview.requests.value.count], [before + 1, 4]);
    assert.equal(overview.beans.value.get("Web")?.count, 4);
    end();
    pass(5_000);
    assert.equal(tick.value, before + 1);
  });

  it("reads the sums again every five seconds while runs arrive", async () => {
    let reads = 0;
    const { arrive, frame, pass, end } = await started({
      onRead: (name) => (name === "aggregates" ? (reads += 1) : name === "startup" ? {} : undefined),
    });
    const before = reads;
    pass(10_000);
    assert.equal(reads, before);
    arrive(recent(1));
    frame();
    pass(5_000);
    assert.equal(reads, before + 1);
    end();
  });

  it("opens the slowest run of a bean in Inspect, on Why", async () => {
    const { overview, use, end } = await started({ traces: [recent(1), recent(2, 900), recent(3)] });
    overview.inspectSlowest("Web");
    const { place, detail } = use(panelsSlice);
    assert.deepEqual([use(selectionSlice).traceId.value, place.value, detail.value], ["i1.2", "inspect", "why"]);
    place.value = "start";
    overview.inspectSlowest("Nobody");
    assert.equal(place.value, "start");
    end();
  });

  it("opens the slowest run of a route, also one that the page lacks, and stays if it is no longer kept", async () => {
    const old = runOf(9, { durationUs: 5_000 });
    const { overview, use, end } = await started({ onRead: (name) => (name === "runs/i1.9" ? old : undefined) });
    const times = { p50Us: 1, p95Us: 1, maxUs: 5_000 };
    const sum = {
      kind: "request",
      method: "GET",
      route: "/x/{id}",
      count: 1,
      errors: 0,
      aborted: 0,
      runs: [],
    } as const;
    const { place, notice } = use(panelsSlice);
    place.value = "start";
    await overview.inspectRoute({ ...sum, ...times, slowest: "i1.8" });
    assert.deepEqual([use(selectionSlice).traceId.value, place.value], [null, "start"]);
    assert.match(notice.value ?? "", /^Run i1\.8 cannot be opened/);
    await overview.inspectRoute({ ...sum, ...times, slowest: "i1.9" });
    assert.deepEqual([use(selectionSlice).traceId.value, place.value], ["i1.9", "inspect"]);
    end();
  });

  it("keeps the beans and routes of a start, and has the one before it", async () => {
    const startUp = (instance: string) => ({ current: { instance, startedAt: 7 }, failed: null });
    let instance = "i1";
    let graph = graphOf({ Web: ["Service"], Service: [] });
    const { overview, use, end } = await started({
      get graph() {
        return graph;
      },
      onRead: (name) => (name === "startup" ? startUp(instance) : name === "aggregates" ? {} : undefined),
    });
    assert.deepEqual([overview.starts.value?.current.instance, overview.starts.value?.previous], ["i1", null]);
    assert.deepEqual(overview.starts.value?.current.parts, {
      "GET /x/{id}": "route",
      "POST /x": "route",
      Web: "bean",
      Service: "bean",
    });
    // A new process answers: its graph comes first, then its start.
    instance = "i2";
    graph = graphOf({ Web: [], Fresh: [] });
    await use(liveSlice).load();
    assert.equal(overview.starts.value?.current.instance, "i1", "not recorded before the start is read");
    await settled();
    const { current, previous } = overview.starts.value ?? {};
    assert.deepEqual([current?.instance, previous?.instance, previous?.parts["Fresh"]], ["i2", "i1", undefined]);
    assert.equal(current?.parts["Fresh"], "bean");
    end();
  });

  it("opens and closes groups, and leads to the graph", async () => {
    const { overview, use, end } = await started({});
    const opened = () => [...overview.opened.value];
    assert.deepEqual(opened(), ["beans"]);
    overview.toggle("beans");
    assert.deepEqual(opened(), []);
    overview.toggle("beans");
    assert.deepEqual(opened(), ["beans"]);
    overview.showBean("Repo");
    assert.deepEqual([use(selectionSlice).bean.value, use(panelsSlice).place.value], ["Repo", "compose"]);
    end();
  });

  it("has the only feature open at first, unless it is long", async () => {
    const openedOf = async (controllers: number): Promise<readonly string[]> => {
      const names = Array.from({ length: controllers }, (_, at) => `Web${at}`);
      const plain = graphOf(Object.fromEntries(names.map((name) => [name, []])));
      const graph = { ...plain, nodes: plain.nodes.map((node) => ({ ...node, stereotype: "controller" as const })) };
      const { overview, end } = await started({ graph });
      const before = [...overview.opened.value];
      overview.toggle("controllers");
      end();
      return [...before, "then", ...overview.opened.value];
    };
    assert.deepEqual(await openedOf(12), ["controllers", "then"]);
    assert.deepEqual(await openedOf(13), ["then", "controllers"]);
  });
});
