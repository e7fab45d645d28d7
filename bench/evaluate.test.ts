import { deepEqual, equal, throws } from "node:assert/strict";
import { describe, it } from "node:test";
import { evaluate, type Observed } from "./evaluate.ts";
import { listsOf } from "./lists.ts";
import type { Measured } from "./method/list.ts";
import { cellOf } from "./method/stats.ts";
import { rows } from "./rows.ts";

/** Three runs of two rounds in which every server needs the CPU given, bare 10 µs. */
const listOf = (names: readonly string[], cpu: Readonly<Record<string, number>>): Measured =>
  new Map(
    names.map((name) => {
      const slice = { cpuUs: cpu[name] ?? 10, p99Ms: cpu[name] ?? 10 };
      return [name, Array.from({ length: 3 }, () => [slice, slice])];
    }),
  );

const cpu = {
  ours: 12.5,
  hand: 12,
  "hand-twin": 12,
  fastify: 25,
  hono: 50,
  log: 12,
  tracing: 30,
  on: 20,
  off: 10,
  many: 10.5,
  few: 10,
};

const observed: Observed = {
  lists: new Map(
    listsOf("usual").map(({ id, contenders }) => [
      id,
      listOf(
        contenders.map(({ name }) => name),
        cpu,
      ),
    ]),
  ),
  footprints: new Map([
    ["bare", { startMs: [[50, 50]], rssMb: [[40]], connectionKb: [[10]] }],
    ["twin", { startMs: [[52, 52]], rssMb: [[40]], connectionKb: [[10]] }],
    ["ours", { startMs: [[55, 55]], rssMb: [[45]], connectionKb: [[10]] }],
    ["fastify", { startMs: [[110, 110]], rssMb: [[60]], connectionKb: [[11]] }],
  ]),
  micro: {
    "bean-idle": { title: "", ns: cellOf([[4, 5, 6]]) },
    "bean-twin": { title: "", ns: cellOf([[-1], [2], [0]]) },
    "bean-recorded": { title: "", ns: cellOf([[2_900, 3_000, 3_100]]) },
    "bean-recorded-twin": { title: "", ns: cellOf([[100], [-100]]) },
  },
};

const row = (id: string, node = 20) => evaluate(observed, node).find((judged) => judged.id === id);

describe("evaluate", () => {
  it("judges every row of the table", () => {
    deepEqual(
      evaluate(observed, 20).map(({ id }) => id),
      rows.map(({ id }) => id),
    );
  });

  it("divides bare by ours, and ours by Fastify's", () => {
    const stack = row("stack");
    deepEqual(
      [
        stack?.ours.median,
        stack?.hand?.median.toFixed(3),
        stack?.peers["fastify"]?.median,
        stack?.fastify?.ours.median,
      ],
      [0.8, "0.833", 0.4, 2],
    );
    deepEqual([stack?.verdict, stack?.fastify?.verdict], ["target", "target"]);
  });

  it("asks nobody to be further ahead of Fastify than what is written by hand give or take its twin, or than bare", () => {
    const [hello, traced] = [row("hello"), row("traced")];
    deepEqual([hello?.fastify?.target, hello?.fastify?.ours.median, hello?.fastify?.verdict], [1.04, 2, "target"]);
    deepEqual([traced?.fastify?.target, traced?.fastify?.ours.median, traced?.fastify?.verdict], [2.3, 2, "short"]);
    const even = (servers: Readonly<Record<string, number>>): Observed => ({
      ...observed,
      lists: new Map([...observed.lists].map(([id, list]) => [id, listOf([...list.keys()], servers)])),
    });
    const versus = (servers: Readonly<Record<string, number>>, id: string) =>
      evaluate(even(servers), 20).find((judged) => judged.id === id)?.fastify?.verdict;
    deepEqual(
      [versus({ fastify: 10, ours: 10 }, "hello"), versus({ fastify: 10, ours: 11 }, "hello")],
      ["hand-written", "short"],
    );
    const stack = (hand: number, twin: number) => versus({ fastify: 20, ours: 15, hand, "hand-twin": twin }, "stack");
    deepEqual([stack(15, 15), stack(14, 14), stack(14, 13)], ["hand-written", "short", "hand-written"]);
  });

  it("holds ours against what is written by hand round by round, whatever Fastify does meanwhile", () => {
    const rounds = { ours: [10, 10, 20], hand: [20, 10, 10], "hand-twin": [20, 10, 10], fastify: [60, 10, 20] };
    const slices = (cpuUs: readonly number[]) => [cpuUs.map((us) => ({ cpuUs: us, p99Ms: us }))];
    const own = new Map(
      [...(observed.lists.get("stack")?.keys() ?? [])].map((name) => [
        name,
        slices(rounds[name as keyof typeof rounds] ?? [10, 10, 10]),
      ]),
    );
    const judged = evaluate({ ...observed, lists: new Map([...observed.lists, ["stack", own]]) }, 20);
    const stack = judged.find(({ id }) => id === "stack")?.fastify;
    deepEqual([stack?.ours.median, stack?.target, stack?.verdict], [1, 2, "hand-written"]);
  });

  it("takes the target of the Node that was measured", () => {
    deepEqual([row("stack", 20)?.target, row("stack", 24)?.target, row("stack", 24)?.verdict], [0.8, 0.84, "short"]);
  });

  it("stretches targets in time, and no others, as bare is slower here than where they were set", () => {
    const targets = (bare: number, node: number): (number | undefined)[] => {
      const lists = new Map([...observed.lists, ["hello", listOf(["bare", "twin", "ours", "fastify"], { bare })]]);
      const judged = evaluate({ ...observed, lists }, node);
      return ["own-log", "bean-idle", "startMs", "rssMb", "hello"].map(
        (id) => judged.find((one) => one.id === id)?.target,
      );
    };
    deepEqual(targets(11.5, 20), [1.5, 15, 10, 2, 0.97]);
    deepEqual(targets(23, 20), [3, 30, 20, 2, 0.97]);
    deepEqual(targets(10.4, 24), [1.5, 15, 10, 2, 1]);
  });

  it("tells a feature's own cost as the difference to the same server without it", () => {
    deepEqual([row("own-log")?.ours.median.toFixed(6), row("own-log")?.verdict], ["2.000000", "hand-written"]);
    deepEqual([row("own-tracing")?.ours.median, row("own-tracing")?.hand?.median], [20, 20]);
  });

  it("compares devtools off with an app that never imported it, give or take that one's twin", () => {
    deepEqual([row("devtools-off")?.ours.median, row("devtools-on")?.ours.median], [1, 0.5]);
    const names = ["bare", "twin", "absent", "absent-twin", "off", "on"];
    const measured = listOf(names, { ...cpu, "absent-twin": 8, off: 12 });
    const judged = evaluate({ ...observed, lists: new Map([...observed.lists, ["devtools", measured]]) }, 20);
    const [on, off] = ["devtools-on", "devtools-off"].map((id) => judged.find((one) => one.id === id));
    deepEqual([on?.tolerance, off?.tolerance, off?.verdict], [0, 0.25, "target"]);
  });

  it("tells growth as many over few", () => {
    equal(row("growth-routes")?.ours.median, 1.05);
  });

  it("takes bare off start-up and memory, and compares whole start-ups with Fastify", () => {
    const start = row("startMs");
    deepEqual(
      [start?.ours.median.toFixed(6), start?.tolerance.toFixed(6), start?.fastify?.ours.median],
      ["5.000000", "2.000000", 0.5],
    );
    deepEqual([row("rssMb")?.ours.median, row("rssMb")?.verdict], [5, "short"]);
  });

  it("reads ns from the micro bench, give or take what the twin of the direct call strayed by", () => {
    const [idle, recorded] = [row("bean-idle"), row("bean-recorded")];
    deepEqual([idle?.ours.median, idle?.tolerance, idle?.verdict], [5, 1, "target"]);
    deepEqual([recorded?.ours.median, recorded?.tolerance, recorded?.verdict], [3_000, 100, "short"]);
    const slower = { ...observed.micro, "bean-idle": { title: "", ns: cellOf([[14]]) } };
    const judged = evaluate({ ...observed, micro: slower }, 20).find(({ id }) => id === "bean-idle");
    deepEqual([judged?.ours.median, judged?.verdict], [14, "target"]);
  });

  it("fails for a row that was not measured, instead of leaving it out", () => {
    throws(() => evaluate({ ...observed, lists: new Map() }, 20), /the row hello was not measured/);
  });
});
