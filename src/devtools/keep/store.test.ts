/** The store: when the trace of an ended run is made, and when it is not (TRACE). */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { Trace } from "../run/shapes.ts";
import type { EndedRun, FinishedTrace } from "../record/finished-trace.ts";
import { collectGarbage, finishedOf } from "./finished-traces.testkit.ts";
import { TraceStore } from "./store.ts";

const made = (path: string, run: number, bytes: number): FinishedTrace =>
  finishedOf({ path, run, response: { headers: {}, body: path, bytes: 1 } }, { bytes, payloadBytes: bytes });

/** Runs that record when their traces are made. */
class Ended {
  readonly made: number[] = [];
  #last = 0;

  /** @param waiting bytes before, @param bytes when it is made */
  next({ waiting = 1_000, bytes = 500 } = {}): EndedRun {
    const run = ++this.#last;
    const finish = (): FinishedTrace => {
      this.made.push(run);
      return made(`/${run}`, run, bytes);
    };
    return { run, dropped: { count: 0, leaves: 0 }, bytes: waiting, finish };
  }
}

const paths = (store: TraceStore): string[] => store.traces().map(({ path }) => path);

/** Millisecond by millisecond, since in one step a timer that another one starts would count from its end. */
function tick(t: TestContext, ms: number): void {
  for (let at = 0; at < ms; at += 1) t.mock.timers.tick(1);
}

describe("TraceStore.addEnded", () => {
  it("makes a trace when it is read, once", (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const store = new TraceStore(10, 1_000_000);
    const ended = new Ended();
    for (let n = 0; n < 3; n += 1) store.addEnded(ended.next());
    assert.deepEqual([ended.made, store.first, store.last, store.bytes], [[], 1, 3, 3_000]);
    assert.equal(store.ofRun(2)?.path, "/2");
    assert.equal((JSON.parse(store.textOf(2) ?? "") as Trace).sequence, 2);
    assert.deepEqual(ended.made, [2]);
    assert.deepEqual(paths(store), ["/3", "/2", "/1"]);
    assert.deepEqual(paths(store), ["/3", "/2", "/1"]);
    assert.deepEqual(ended.made, [2, 3, 1]);
  });

  it("makes none of a run that others have pushed out, unless a subscriber keeps it", (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const store = new TraceStore(2, 1_000_000);
    const ended = new Ended();
    const texts: (() => string)[] = [];
    const leave = store.subscribe(({ text }) => {
      texts.push(text);
      return texts.length === 2;
    });
    for (let n = 0; n < 5; n += 1) store.addEnded(ended.next());
    leave();
    assert.deepEqual(ended.made, [2]);
    assert.deepEqual([paths(store), store.first], [["/5", "/4"], 4]);
    const { bytes } = store;
    assert.equal((JSON.parse(texts[1]?.() ?? "") as Trace).path, "/2");
    assert.equal((JSON.parse(texts[0]?.() ?? "") as Trace).path, "/1");
    assert.deepEqual([ended.made, store.bytes, store.last], [[2, 5, 4, 1], bytes, 5]);
  });

  it("makes every trace within 100 ms, a few milliseconds at a time, and then holds nothing of the run", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    let now = 0;
    t.mock.method(performance, "now", () => (now += 1));
    const store = new TraceStore(100, 1_000_000);
    const ended = new Ended();
    const runs = Array.from({ length: 5 }, () => {
      const run = ended.next();
      store.addEnded(run);
      return new WeakRef(run);
    });
    tick(t, 99);
    assert.deepEqual(ended.made, []);
    tick(t, 1);
    assert.deepEqual(ended.made, [1, 2, 3]);
    t.mock.timers.tick(1);
    assert.deepEqual(ended.made, [1, 2, 3, 4, 5]);
    store.addEnded(ended.next());
    tick(t, 100);
    assert.deepEqual([ended.made.at(-1), store.bytes], [6, 3_000]);
    await turn();
    collectGarbage();
    assert.deepEqual(
      runs.filter((run) => run.deref() !== undefined),
      [],
    );
  });

  it("makes none of more runs than it holds in 50 ms, and those of the last within 100 ms of their end", (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const store = new TraceStore(3, 1_000_000);
    const ended = new Ended();
    for (let ms = 0; ms < 1_000; ms += 10) {
      store.addEnded(ended.next());
      tick(t, 10);
    }
    assert.deepEqual(ended.made, []);
    tick(t, 79);
    assert.deepEqual(ended.made, [98, 99, 100]);
    store.addEnded(ended.next());
    tick(t, 100);
    assert.deepEqual(ended.made, [98, 99, 100, 101]);
  });

  it("makes traces, and then drops the oldest payloads, if memory is short", (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const store = new TraceStore(100, 2_500);
    const ended = new Ended();
    for (let n = 0; n < 3; n += 1) store.addEnded(ended.next());
    assert.deepEqual([ended.made, store.bytes], [[1], 2_500]);
    for (let n = 0; n < 3; n += 1) store.addEnded(ended.next({ bytes: 2_000 }));
    assert.ok(store.bytes <= 2_500, `${store.bytes} bytes`);
    const bodies = store.traces().map(({ response }) => response.body);
    assert.deepEqual([bodies.length, bodies[0], bodies.at(-1)], [6, "/6", { $evicted: true }]);
  });

  it("makes the trace of the newest, if it alone is too much", (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const store = new TraceStore(100, 900);
    const ended = new Ended();
    store.addEnded(ended.next());
    assert.deepEqual([ended.made, store.bytes], [[1], 500]);
  });

  it("makes every trace immediately if the platform's timers are numbers", (t) => {
    t.mock.method(globalThis, "setTimeout", () => 7);
    const store = new TraceStore(10, 1_000_000);
    const ended = new Ended();
    store.addEnded(ended.next());
    assert.deepEqual([ended.made, store.bytes], [[1], 500]);
  });

  it("forgets waiting runs, and continues to count", (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const store = new TraceStore(3, 1_000_000);
    const ended = new Ended();
    for (let n = 0; n < 4; n += 1) store.addEnded(ended.next());
    store.clear();
    assert.deepEqual([store.first, store.last, store.bytes, paths(store)], [5, 4, 0, []]);
    store.addEnded(ended.next());
    tick(t, 100);
    assert.deepEqual([ended.made, paths(store), store.textOf(4)], [[5], ["/5"], undefined]);
  });
});

describe("TraceStore", () => {
  const stored = (count: number, capacity: number, maxBytes = 1_000_000): TraceStore => {
    const store = new TraceStore(capacity, maxBytes);
    for (let run = 1; run <= count; run += 1) store.add(made(`/${run}`, run, 1_000));
    return store;
  };

  it("lists its traces as JSON, and finds a run by its number and a text by its sequence, or nothing", () => {
    const store = stored(3, 3);
    assert.deepEqual([store.first, store.last, store.bytes], [1, 3, 3_000]);
    store.add(made("/4", 14, 1_000));
    assert.deepEqual(JSON.parse(store.listText()), store.traces());
    assert.deepEqual([paths(store), store.bytes], [["/4", "/3", "/2"], 3_000]);
    assert.deepEqual([store.ofRun(14)?.sequence, store.ofRun(4), store.ofRun(1)], [4, undefined, undefined]);
    const texts = [0, 1, 2, 4, 5, 6, 7].map((sequence) => store.textOf(sequence) !== undefined);
    assert.deepEqual(texts, [false, false, true, true, false, false, false]);
  });

  it("gives a trace without an id a permanent one", () => {
    const store = new TraceStore(3, 1_000_000);
    const { trace, ...rest } = made("/1", 1, 1_000);
    for (const id of [null, null, "given"]) store.add({ ...rest, trace: { ...trace, id } });
    const ids = store.traces().map(({ id }) => id);
    assert.equal(ids[0], "given");
    assert.match(ids[1] ?? "", /^[0-9a-f-]{36}$/);
    assert.notEqual(ids[1], ids[2]);
    assert.deepEqual(
      store.traces().map(({ id }) => id),
      ids,
    );
    assert.equal((JSON.parse(store.textOf(1) ?? "") as Trace).id, ids[2]);
    assert.equal(store.traces()[1]?.path, "/1");
  });

  it("DEV-005: keeps a quarter of its places for other runs than requests, and the rest for requests", () => {
    const store = new TraceStore(8, 1_000_000);
    const add = (path: string, kind?: "background"): void =>
      store.add(finishedOf({ path, ...(kind === undefined ? {} : { kind }) }));
    for (let n = 0; n < 9; n += 1) add(`job ${n}`, "background");
    assert.deepEqual([paths(store).length, paths(store).at(-1)], [8, "job 1"]);
    for (let n = 0; n < 7; n += 1) add(`/${n}`);
    assert.deepEqual(paths(store), ["/6", "/5", "/4", "/3", "/2", "/1", "job 8", "job 7"]);
    for (let n = 9; n < 20; n += 1) add(`job ${n}`, "background");
    assert.deepEqual(paths(store), ["job 19", "job 18", "/6", "/5", "/4", "/3", "/2", "/1"]);
    assert.deepEqual([store.first, store.nextAfter(store.first + 5), store.bytes], [11, 26, 8]);
  });

  it("has a place for the newest run, of either kind, if it has one place", () => {
    const store = new TraceStore(1, 1_000_000);
    for (const kind of ["background", undefined, "background"] as const) {
      store.add(finishedOf({ path: String(kind), ...(kind === undefined ? {} : { kind }) }));
      assert.deepEqual(paths(store), [String(kind)]);
    }
  });

  it("counts the texts that it keeps, two bytes a character, once each", () => {
    const store = new TraceStore(3, 1_000_000);
    const dropped = { count: 0, leaves: 0 };
    store.add({ ...made("/1", 1, 1_000), dropped });
    const text = store.textOf(1) ?? "";
    assert.equal(store.bytes, 1_000 + 2 * text.length);
    assert.equal(store.textOf(1), text);
    assert.equal(store.bytes, 1_000 + 2 * text.length);
    dropped.count = 12;
    const later = store.textOf(1) ?? "";
    assert.equal(later.length, text.length + 1);
    assert.equal(store.bytes, 1_000 + 2 * later.length);
    store.listText();
    assert.equal(store.bytes, 1_000 + 2 * later.length);
  });

  it("drops texts before payloads, and the oldest of both first", () => {
    const textBytes = 2 * (stored(1, 10).textOf(1) ?? "").length;
    assert.ok(textBytes > 300 && textBytes < 1_000, `${textBytes}`);
    const store = stored(2, 10, 2_000 + 2 * textBytes);
    for (const sequence of [1, 2]) store.textOf(sequence);
    assert.equal(store.bytes, 2_000 + 2 * textBytes);
    store.add(made("/3", 3, textBytes));
    assert.equal(store.bytes, 2_000 + 2 * textBytes);
    store.textOf(2);
    assert.equal(store.bytes, 2_000 + 2 * textBytes);
    const bodies = (): unknown[] => store.traces().map(({ response }) => response.body);
    assert.deepEqual(bodies(), ["/3", "/2", "/1"]);
    store.add(made("/4", 4, 1_000));
    assert.deepEqual([bodies(), store.bytes], [["/4", "/3", "/2", { $evicted: true }], 2_000 + textBytes]);
  });

  it("drops the payload of the newest, if it alone is too much, and of none twice", () => {
    const store = stored(2, 10, 500);
    assert.deepEqual(
      [store.bytes, store.traces().map(({ response }) => response.body)],
      [0, [{ $evicted: true }, { $evicted: true }]],
    );
    store.add({ ...made("/3", 3, 700), payloadBytes: 100 });
    assert.equal(store.bytes, 600);
    store.add({ ...made("/4", 4, 700), payloadBytes: 100 });
    assert.equal(store.bytes, 1_200);
  });

  it("calls its subscribers with each trace, until they leave", () => {
    const store = new TraceStore(3, 1_000_000);
    const told: number[] = [];
    const leave = store.subscribe(({ bytes }) => told.push(bytes));
    store.add(made("/1", 1, 1_000));
    store.add(made("/2", 2, 2_000));
    leave();
    store.add(made("/3", 3, 3_000));
    assert.deepEqual(told, [1_000, 2_000]);
  });

  it("makes the trace of a run that a subscriber keeps before it forgets it", (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const store = new TraceStore(3, 1_000_000);
    const ended = new Ended();
    store.addEnded(ended.next());
    store.subscribe(() => true);
    store.addEnded(ended.next());
    store.clear();
    assert.deepEqual(ended.made, [2]);
  });

  it("holds as many as before after it was cleared", () => {
    const store = stored(3, 3);
    store.clear();
    for (let run = 4; run <= 7; run += 1) store.add(made(`/${run}`, run, 1_000));
    assert.deepEqual([store.first, store.last, store.bytes, paths(store)], [5, 7, 3_000, ["/7", "/6", "/5"]]);
  });

  it("has no timer while nothing waits, and makes nothing early if a slice was not enough", (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const { mock } = t.mock.method(globalThis, "setTimeout");
    let now = 0;
    t.mock.method(performance, "now", () => (now += 1));
    const store = new TraceStore(100, 1_000_000);
    const ended = new Ended();
    for (let n = 0; n < 4; n += 1) store.addEnded(ended.next());
    assert.equal(mock.callCount(), 1);
    tick(t, 99);
    store.addEnded(ended.next());
    tick(t, 1);
    assert.deepEqual(ended.made, [1, 2, 3]);
    tick(t, 49);
    assert.deepEqual(ended.made, [1, 2, 3, 4]);
    tick(t, 500);
    assert.deepEqual(ended.made, [1, 2, 3, 4, 5]);
    const before = mock.callCount();
    tick(t, 500);
    assert.equal(mock.callCount(), before);
    store.addEnded(ended.next());
    assert.equal(mock.callCount(), before + 1);
  });
});

describe("the rest of a trace without its payload", () => {
  it("is all except arguments, results, bodies and annotations' values", () => {
    const store = new TraceStore(3, 0);
    const call = {
      id: 0,
      parentId: null,
      depth: 0,
      bean: "B",
      declaredBy: "B",
      stereotype: "bean",
      method: "m",
    } as const;
    const rest = { params: ["a", "b"], startUs: 1, durationUs: 2, async: false } as const;
    const error = { name: "Error", message: "no" };
    const finished = made("/1", 1, 1_000);
    const trace = {
      ...finished.trace,
      request: { pathParams: { id: "7" }, query: { q: ["1"] }, headers: { a: ["b"] }, body: { c: 1 } },
      calls: [
        { ...call, ...rest, args: [1, "a"], result: "r", error: null },
        { ...call, ...rest, id: 1, args: [], result: null, error },
      ],
      leaves: [
        {
          ...({ id: 0, parentId: null, kind: "log", name: "info", error: null, startUs: 1, durationUs: 2 } as const),
          detail: { level: "info", message: "m", fields: { a: 1 } },
        },
      ],
      annotations: [{ name: "n", value: 1 }],
    };
    store.add({ ...finished, trace });
    store.add(made("/2", 2, 1_000));
    const evicted = { $evicted: true };
    const [, shown] = store.traces();
    assert.deepEqual(shown, {
      instance: store.instance,
      ...trace,
      sequence: 1,
      droppedCalls: 0,
      droppedLeaves: 0,
      request: { ...trace.request, body: evicted },
      response: { ...trace.response, body: evicted },
      calls: [
        { ...trace.calls[0], args: [evicted, evicted], result: evicted },
        { ...trace.calls[1], args: [], result: null },
      ],
      leaves: [{ ...trace.leaves[0], detail: { level: "info", message: "m", fields: {} } }],
      annotations: [{ name: "n", value: evicted }],
    });
    assert.ok(!("annotations" in (store.traces()[0] ?? {})));
    assert.equal(store.traces()[0]?.request.body, null);
  });
});
