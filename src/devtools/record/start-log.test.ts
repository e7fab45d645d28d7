/** How an application started, seen by the recorder of a real container. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type BeanError, type BeanGraph, type BeanInfo, Beans, Interface } from "framework";
import type { StartError, StartUp } from "../run/shapes.ts";
import { ErrorInfos } from "../capture/error-info.ts";
import type { Snapshotter } from "../capture/snapshot.ts";
import { Recorder } from "./recorder.ts";
import { StartLog } from "./start-log.ts";
import { startTree } from "./start-tree.ts";

type Thing = { name?: string };
const thing = (name: string): Interface<Thing> => Interface(name);
const [Orders, Repository, Database, Clock, Mailer] = [
  thing("OrderService"),
  thing("OrderRepository"),
  thing("Database"),
  thing("Clock"),
  thing("Mailer"),
];

/** Uses this thread for some time, so that one bean takes longer than another. */
function work(ms: number): Thing {
  const until = performance.now() + ms;
  while (performance.now() < until);
  return {};
}

function watched(): { log: StartLog; recorder: Recorder; printed: string[]; kept: StartUp[] } {
  const [printed, kept]: [string[], StartUp[]] = [[], []];
  const log = new StartLog({
    instance: "one",
    shown: (text) => text.replaceAll("s3cret", "[redacted]"),
    print: (text) => printed.push(text),
    keep: (start) => kept.push(start),
  });
  const snapshots = new Proxy({} as Snapshotter, { get: () => assert.fail("nothing is captured at a start") });
  const errors = new ErrorInfos(snapshots, undefined);
  const recorder = new Recorder({ maxCalls: 1, snapshots, errors, starts: log });
  return { log, recorder, printed, kept };
}

describe("StartLog", () => {
  it("HISTORY-015: has each bean in the order of its start, below the one that requested it, with its own time", async () => {
    const { log, recorder, printed } = watched();
    await Beans.builder()
      .bind(Orders, (b) => (b.get(Repository), b.get(Clock), work(2)))
      .bind(Repository, (b) => (b.get(Database), work(3)))
      .bindAsync(Database, async () => (await new Promise(setImmediate), work(1)))
      .bind(Clock, () => work(0))
      .bindInstance(Mailer, {})
      .instrument(recorder)
      .startAsync();
    const { beans, error, notBuilt, chain, instance } = log.view() ?? assert.fail();
    assert.deepEqual(
      beans.map(({ bean, parent, stereotype }) => [bean, parent, stereotype]),
      [
        ["Database", null, "bean"],
        ["OrderService", null, "service"],
        ["OrderRepository", "OrderService", "repository"],
        ["Clock", "OrderService", "bean"],
      ],
    );
    const [, orders, repository, clock] = beans.map(
      ({ durationUs, selfUs }) => [durationUs ?? -1, selfUs ?? -1] as const,
    );
    assert.equal(orders?.[1], (orders?.[0] ?? 0) - (repository?.[0] ?? 0) - (clock?.[0] ?? 0));
    assert.ok((repository?.[0] ?? 0) >= 3_000 && (orders?.[1] ?? 0) >= 2_000);
    assert.ok(beans.every(({ startUs }, at) => startUs >= (beans[at - 1]?.startUs ?? 0)));
    assert.deepEqual([error, notBuilt, chain, instance, printed], [null, [], [], "one", []]);
  });

  it("shows a failed start as a tree: which bean, which bean requested it, and why", async () => {
    const { log, recorder, printed, kept } = watched();
    const builder = Beans.builder()
      .bind(Clock, () => ({}))
      .bind(Orders, (b) => b.get(Repository))
      .bind(Repository, (b) => b.get(Database))
      .bind(Database, () => {
        throw new TypeError("no connection with s3cret\u001b[2J\nforged");
      })
      .bind(Mailer, () => ({}))
      .instrument(recorder);
    assert.throws(() => builder.start(), { code: "BEAN_FACTORY" });
    const lines = (printed[0] ?? "")
      .replace(/\d+\.\d ms/g, "0.0 ms")
      .replace(/ +(?=0\.0)/g, " ")
      .split("\n");
    assert.deepEqual(
      [printed.length, lines],
      [
        1,
        [
          "devtools: the start failed after 0.0 ms at OrderService → OrderRepository → Database",
          "  ✓ Clock 0.0 ms",
          "  ✗ OrderService 0.0 ms",
          "    ✗ OrderRepository 0.0 ms",
          String.raw`      ✗ Database 0.0 ms  TypeError: no connection with [redacted]\u001b[2J\u000aforged`,
          "  · not made: Mailer",
          "",
        ],
      ],
    );
    const { error, chain, notBuilt } = log.view() ?? assert.fail();
    assert.deepEqual(
      [error?.name, chain, notBuilt],
      ["TypeError", ["OrderService", "OrderRepository", "Database"], ["Mailer"]],
    );
    assert.deepEqual(kept, [log.view()]);
  });

  it("names a bean that is missing, or needs itself", () => {
    for (const [bind, sentence] of [
      [
        (b: { get(type: Interface<Thing>): Thing }) => b.get(Database),
        /BeanError: OrderService → Database: it is not bound/,
      ],
      [
        (b: { get(type: Interface<Thing>): Thing }) => b.get(Orders),
        /BeanError: OrderService → OrderService: these beans need each other/,
      ],
    ] as const) {
      const { recorder, printed } = watched();
      assert.throws(() => Beans.builder().bind(Orders, bind).instrument(recorder).start());
      assert.match(printed[0] ?? "", sentence);
    }
  });

  it("reports a failed listener, and passes on results and errors", async () => {
    const { log, printed } = watched();
    const thrown = new Error("no queue");
    assert.equal(await log.hook("warm", async () => 7), 7);
    await assert.rejects(
      log.hook("", () => Promise.reject(thrown)),
      thrown,
    );
    const { hooks, error } = log.view() ?? assert.fail();
    assert.deepEqual(
      hooks.map(({ name, durationUs, error: failure }) => [name, Number.isInteger(durationUs), failure?.message]),
      [
        ["warm", true, undefined],
        ["", true, "no queue"],
      ],
    );
    assert.equal(error?.message, "no queue");
    assert.match(printed[0] ?? "", /✓ onStart warm[\s\S]*✗ onStart \(a function without a name\).*Error: no queue/);
  });

  it("HISTORY-024: forgets a failed listener after a successful one, but never why the beans were not made", async () => {
    const { log } = watched();
    const fails = (): never => {
      throw new Error("no queue");
    };
    await assert.rejects(log.hook("warm", fails));
    assert.equal(log.view()?.error?.message, "no queue");
    await log.hook("warm", () => undefined);
    assert.equal(log.view()?.error, null);
    const graph = { nodes: [], edges: [], unspied: [] };
    log.failed({ chain: ["A"], cause: new Error("no database") } as unknown as BeanError, graph);
    await log.hook("warm", () => undefined);
    assert.deepEqual([log.view()?.error?.message, log.view()?.chain], ["no database", ["A"]]);
  });

  it("has only the error of a listener, and its duration", async (t) => {
    let now = 5;
    t.mock.method(performance, "now", () => (now += 1));
    const { log } = watched();
    await log.hook("first", () => undefined);
    const rejects = (): Promise<never> => Promise.reject(new Error("no"));
    const views = [log.view()];
    await assert.rejects(log.hook("second", rejects));
    views.push(log.view());
    assert.deepEqual(
      views.map((view) => [view?.notBuilt, view?.chain]),
      [
        [[], []],
        [[], []],
      ],
    );
    assert.deepEqual(
      views[1]?.hooks.map(({ startUs, durationUs }) => [startUs, durationUs]),
      [
        [1_000, 1_000],
        [4_000, 1_000],
      ],
    );
  });

  it("counts a bean as not made while its factory has not ended", () => {
    const { log, printed } = watched();
    const info = (id: string): BeanInfo => ({ id, stereotype: "bean" }) as BeanInfo;
    log.building(info("A"), undefined);
    log.building(info("B"), undefined)?.();
    const graph = { nodes: ["A", "B", "C"].map(info), edges: [], unspied: [] } as unknown as BeanGraph;
    log.failed({ chain: ["C"], cause: new Error("no") } as unknown as BeanError, graph);
    assert.deepEqual(log.view()?.notBuilt, ["A", "C"]);
    assert.match(printed[0] ?? "", /^ {2}… A$/m);
  });

  it("HISTORY-015: subtracts from a bean's time the beans it requested, not those that one of its name requested before", (t) => {
    let now = 0;
    t.mock.method(performance, "now", () => now);
    const { log } = watched();
    const build = (id: string, asker: string | undefined, ms: number, within: () => void = () => undefined): void => {
      const info = (name: string): BeanInfo => ({ id: name, stereotype: "bean" }) as BeanInfo;
      const ended = log.building(info(id), asker === undefined ? undefined : info(asker));
      within();
      now += ms;
      ended?.();
    };
    build("A", undefined, 5, () => build("B", "A", 3));
    build("A", undefined, 7);
    assert.deepEqual(
      log.view()?.beans.map(({ bean, startUs, durationUs, selfUs }) => [bean, startUs, durationUs, selfUs]),
      [
        ["A", 0, 8_000, 5_000],
        ["B", 0, 3_000, 3_000],
        ["A", 8_000, 7_000, 7_000],
      ],
    );
  });

  it("records the end of a bean that was made, and of one that was not", () => {
    const { log } = watched();
    const info = { id: "A", stereotype: "bean" } as BeanInfo;
    log.building(info, undefined)?.();
    log.building(info, undefined)?.({ cause: new RangeError("s3cret") } as BeanError);
    assert.deepEqual(
      log.view()?.beans.map(({ error }) => error),
      [null, { name: "RangeError", message: "[redacted]" }],
    );
  });

  it("has 1,000 beans, and the number of the others", () => {
    const { log, recorder } = watched();
    let builder = Beans.builder();
    for (let at = 0; at < 1_003; at += 1) builder = builder.bind(thing(`Bean${at}`), () => ({}));
    builder.instrument(recorder).start();
    const { beans, droppedBeans } = log.view() ?? assert.fail();
    assert.deepEqual([beans.length, droppedBeans], [1_000, 3]);
  });

  it("is empty before anything began", () => {
    assert.equal(watched().log.view(), null);
  });
});

describe("startTree", () => {
  const bean = (name: string, parent: string | null, durationUs: number | null, error: StartError | null = null) => ({
    bean: name,
    stereotype: "bean" as const,
    parent,
    startUs: 0,
    durationUs,
    selfUs: null,
    error,
  });
  const nothing: StartUp = {
    instance: "one",
    startedAt: 0,
    durationUs: null,
    beans: [],
    droppedBeans: 0,
    hooks: [],
    chain: [],
    notBuilt: [],
    error: null,
  };

  it("marks running ones, and counts names that are too many", () => {
    const error = { name: "E", message: "m" };
    const notBuilt = Array.from({ length: 14 }, (_, at) => `B${at}`);
    assert.equal(
      startTree({ ...nothing, beans: [bean("A", null, null)], notBuilt, error }),
      "devtools: the start failed\n  … A\n  E: m\n  · not made: B0, B1, B2, B3, B4, B5, B6, B7, B8, B9, B10, B11 and 2 more\n",
    );
  });

  it("names twelve, and nothing if nothing is known", () => {
    const notBuilt = Array.from({ length: 12 }, (_, at) => `B${at}`);
    assert.equal(startTree(nothing), "devtools: the start failed\n");
    assert.match(startTree({ ...nothing, notBuilt }), /: B0, B1, .*B10, B11\n$/);
  });

  it("has times in one column, and the error at its origin, though others below were made", () => {
    const error = { name: "Error", message: "no queue" };
    const beans = [
      bean("Clock", null, 100),
      bean("OrderService", null, 12_100, error),
      bean("Database", "OrderService", 11_800),
      bean("Mailer", "OrderService", 120, error),
      bean("Catalog", "Mailer", 20),
    ];
    const hooks = [{ name: "warm", startUs: 0, durationUs: 1_000, error: null }];
    assert.deepEqual(startTree({ ...nothing, durationUs: 12_400, beans, hooks, chain: ["A", "B"] }).split("\n"), [
      "devtools: the start failed after 12.4 ms at A → B",
      "  ✓ Clock            0.1 ms",
      "  ✗ OrderService    12.1 ms",
      "    ✓ Database      11.8 ms",
      "    ✗ Mailer         0.1 ms  Error: no queue",
      "      ✓ Catalog      0.0 ms",
      "  ✓ onStart warm     1.0 ms",
      "",
    ]);
  });
});
