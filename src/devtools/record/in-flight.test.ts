/**
 * Runs in flight, and work outside of requests: the events while it runs, and its trace.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Beans, Framework, Interface } from "framework";
import { Devtools, type DevtoolsOptions, type Trace } from "../index.ts";
import { InFlight, type UnderWay } from "./in-flight.ts";
import { beginRecording } from "./recorder.ts";

const head = { correlationId: null, method: "GET", route: null, startedAt: 5 } as const;

/** A run that began at that time. */
const runFrom = (startedAt: number, path = "/x"): UnderWay => ({
  recording: beginRecording(startedAt, 1_000),
  run: 0,
  place: 0,
  described: () => ({ kind: "request", path, ...head }),
});

describe("InFlight", () => {
  it("STREAM-016: reports a run that takes a while, again each second, and no more after its end", () => {
    const runs = new InFlight("i");
    const [short, long] = [runFrom(950), runFrom(0)];
    assert.deepEqual([runs.begin(short), runs.begin(long)], [1, 2]);
    const told = (now: number): (readonly [number, number])[] => runs.due(now).map((run) => [run.run, run.elapsedUs]);
    assert.deepEqual(told(1_000), [[2, 1_000_000]]);
    assert.deepEqual(told(1_200), [[1, 250_000]]);
    assert.deepEqual(told(2_000), [[2, 2_000_000]]);
    runs.end(long);
    runs.end(long);
    assert.deepEqual(told(3_500), [[1, 2_550_000]]);
  });

  it("STREAM-017: reports how many calls there are, and which have not settled", () => {
    const runs = new InFlight("i");
    const run = runFrom(0);
    const call = { parentId: null, depth: 0, declaredBy: "B", stereotype: "bean", args: [], async: true } as const;
    const pending = { ...call, bean: "B", method: "wait", startUs: 7, error: null, result: null, durationUs: null };
    run.recording.calls?.push({ ...pending, id: 0 }, { ...pending, id: 1, method: "done", durationUs: 3 });
    runs.begin(run);
    assert.deepEqual(
      runs.due(500),
      [{ instance: "i", run: 1, kind: "request", path: "/x", ...head, elapsedUs: 500_000, calls: 2 }].map((told) => ({
        ...told,
        pending: [{ bean: "B", method: "wait", startUs: 7 }],
      })),
    );
  });

  it("STREAM-016: reports a run from 100 ms on, in the order of the starts, after any others have ended", () => {
    const runs = new InFlight("i");
    const [first, second, third, fourth] = [1, 2, 3, 4].map(() => runFrom(0)) as [
      UnderWay,
      UnderWay,
      UnderWay,
      UnderWay,
    ];
    for (const run of [first, second, third, fourth]) runs.begin(run);
    runs.end(first);
    assert.deepEqual(runs.due(99.9), []);
    assert.deepEqual(
      runs.due(100).map(({ run }) => run),
      [2, 3, 4],
    );
    runs.end(second);
    runs.end(fourth);
    runs.end(first);
    assert.deepEqual(
      runs.due(1_100).map(({ run }) => run),
      [3],
    );
    runs.end(third);
    assert.deepEqual(runs.due(3_000), []);
  });

  it("keeps nothing of an ended run", () => {
    const runs = new InFlight("i");
    const run = runFrom(0);
    for (let n = 0; n < 2; n += 1) {
      runs.begin(run);
      assert.equal(runs.due(500).length, 1);
      runs.end(run);
    }
  });

  it("STREAM-017: reports the last 10 unsettled calls, and none after the calls are handed over", () => {
    const runs = new InFlight("i");
    const run = runFrom(0);
    const call = { parentId: null, depth: 0, declaredBy: "B", stereotype: "bean", args: [], async: true } as const;
    for (let id = 0; id < 12; id += 1)
      run.recording.calls?.push({
        ...call,
        id,
        bean: "B",
        method: `m${id}`,
        startUs: 1,
        error: null,
        result: null,
        durationUs: null,
      });
    runs.begin(run);
    const told = (now: number): unknown =>
      runs.due(now).map(({ calls, pending }) => [calls, pending.map((one) => one.method)]);
    assert.deepEqual(told(500), [[12, Array.from({ length: 10 }, (_, n) => `m${n + 2}`)]]);
    run.recording.calls = undefined;
    assert.deepEqual(told(2_000), [[0, []]]);
  });

  it("reports 50 runs in one turn, and leaves out one that cannot be described", () => {
    const runs = new InFlight("i");
    const broken: UnderWay = {
      ...runFrom(0),
      described: () => {
        throw new Error("no");
      },
    };
    for (const run of [broken, ...Array.from({ length: 70 }, () => runFrom(0))]) runs.begin(run);
    assert.deepEqual([runs.due(500).length, runs.due(600).length, runs.due(700).length], [50, 20, 0]);
  });
});

interface Stock {
  count(id: string): Promise<number>;
}
const Stock = Interface<Stock>("Stock");

/** An application with devtools that is not served, and its traces. */
function subject(options: DevtoolsOptions = {}): {
  devtools: Devtools;
  app: Framework;
  beans: Beans;
  traces: () => Promise<Trace[]>;
} {
  const devtools = Devtools.create(options);
  const beans = Beans.builder()
    .bind(Stock, () => ({
      count: async (id) => {
        if (id === "none") throw new RangeError("no such thing");
        return id.length;
      },
    }))
    .instrument(devtools.recorder())
    .start();
  const app = Framework.create({ logger: { warn: () => undefined, error: () => undefined } }).beans(beans);
  devtools.install(app, beans);
  const traces = async (): Promise<Trace[]> => {
    // app.fetch has no peer, so the list is read where the page would get it.
    await app.start(0);
    const response = await fetch(`http://127.0.0.1:${app.port}/framework/dev/api/requests`);
    return (await response.json()) as Trace[];
  };
  return { devtools, app, beans, traces };
}

describe("devtools.trace", () => {
  it("TRACE-054: names the bound of calls only if it was reached", async () => {
    const { devtools, app, beans, traces } = subject({ limits: { callsPerTrace: 2 } });
    const stock = beans.get(Stock);
    for (const calls of [2, 3])
      await devtools.trace(`${calls}`, () => Promise.all(Array.from({ length: calls }, () => stock.count("a"))));
    const shown = (await traces()).map(({ path, callLimit, droppedCalls }) => [path, callLimit, droppedCalls]);
    await app.stop({ graceMs: 0 });
    assert.deepEqual(shown, [
      ["3", 2, 1],
      ["2", undefined, 0],
    ]);
  });

  it("makes a run of its own kind, with its name, its calls and its result", async () => {
    const { devtools, app, beans, traces } = subject();
    const stock = beans.get(Stock);
    assert.equal(await devtools.trace("nightly count", () => stock.count("abc")), 3);
    assert.equal(
      devtools.trace("at once", () => 7),
      7,
    );
    const shown = (await traces()).map(({ kind, method, path, route, status, calls, response, run }) => ({
      kind,
      method,
      path,
      route,
      status,
      run,
      calls: calls.map((call) => `${call.bean}.${call.method}`),
      body: response.body,
    }));
    await app.stop({ graceMs: 0 });
    const common = { kind: "trace", method: "RUN", route: null, status: 200 };
    assert.deepEqual(shown, [
      { ...common, path: "at once", run: 2, calls: [], body: 7 },
      { ...common, path: "nightly count", run: 1, calls: ["Stock.count"], body: 3 },
    ]);
  });

  it("rethrows the error of the work, and shows it", async () => {
    const { devtools, app, beans, traces } = subject();
    const stock = beans.get(Stock);
    await assert.rejects(
      devtools.trace("job", () => stock.count("none")),
      RangeError,
    );
    const failing = (): never => {
      throw new TypeError("at once");
    };
    assert.throws(() => devtools.trace("job", failing), TypeError);
    const shown = (await traces()).map(({ status, error, calls }) => [status, error?.message, calls.length]);
    await app.stop({ graceMs: 0 });
    assert.deepEqual(shown, [
      [500, "at once", 0],
      [500, "no such thing", 1],
    ]);
  });

  /** Kind, path and calls of each run, after a request whose work in the background calls a bean. */
  async function afterBackground(): Promise<readonly (readonly [string | undefined, string, number, number])[]> {
    const { app, beans, traces } = subject();
    let over = (): void => undefined;
    const ended = new Promise<void>((resolve) => (over = resolve));
    app.get("/go", () => {
      app.background("recount", async () => {
        await beans.get(Stock).count("abcd");
        over();
      });
      return "begun";
    });
    await traces();
    await (await fetch(`http://127.0.0.1:${app.port}/go`)).text();
    await ended;
    const list = (await (await fetch(`http://127.0.0.1:${app.port}/framework/dev/api/requests`)).json()) as Trace[];
    await app.stop({ graceMs: 0 });
    return list.map(({ kind, path, calls, droppedCalls }) => [kind, path, calls.length, droppedCalls] as const);
  }

  it("shows background work under its name", async () => {
    const shown = await afterBackground();
    assert.deepEqual(
      shown.filter(([kind]) => kind === "background"),
      [["background", "recount", 1, 0]],
    );
  });

  it("keeps the calls of background work out of the request", async () => {
    const shown = await afterBackground();
    assert.deepEqual(
      shown.filter(([, path]) => path === "/go"),
      [[undefined, "/go", 0, 0]],
    );
  });

  it("runs work unwatched if its name cannot be shown", async () => {
    const { devtools, app, traces } = subject();
    assert.equal(
      devtools.trace(Symbol("x") as never, () => 7),
      7,
    );
    assert.deepEqual([await traces(), Reflect.get(devtools.recorder(), "failures")], [[], 1]);
    await app.stop({ graceMs: 0 });
  });

  it("only calls the work if devtools are off", () => {
    const before = process.env["FRAMEWORK_DEVTOOLS"];
    process.env["FRAMEWORK_DEVTOOLS"] = "false";
    try {
      const result = Promise.resolve(1);
      assert.equal(
        Devtools.create().trace("x", () => result),
        result,
      );
    } finally {
      if (before === undefined) delete process.env["FRAMEWORK_DEVTOOLS"];
      else process.env["FRAMEWORK_DEVTOOLS"] = before;
    }
  });
});
