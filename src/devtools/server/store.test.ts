/** The store: when the trace of a run that has ended is made, and when it is not (TRACE). */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Trace } from "../wire.ts";
import type { EndedRun, FinishedTrace } from "./finished-trace.ts";
import { TraceStore } from "./store.ts";

const made = (path: string, run: number, bytes: number): FinishedTrace => ({
  trace: {
    ...{ id: "a", correlationId: null, method: "GET", path, route: null, status: 200, startedAt: 0, durationUs: 1 },
    ...{ aborted: false, calls: [], leaves: [], error: null, run },
    request: { pathParams: {}, query: {}, headers: {}, body: null },
    response: { headers: {}, body: path, bytes: 1 },
  },
  bytes,
  payloadBytes: bytes,
  dropped: { count: 0, leaves: 0 },
});

/** Runs that say when their traces are made. */
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

/** Millisecond by millisecond: in one go, a timer that another one starts would count from the end of it. */
function tick(t: TestContext, ms: number): void {
  for (let at = 0; at < ms; at += 1) t.mock.timers.tick(1);
}

describe("TraceStore.addEnded", () => {
  it("makes a trace when somebody reads it, once", (t) => {
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

  it("makes every trace within 100 ms, a few milliseconds at a time, and holds nothing of the run then", async (t) => {
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
    setFlagsFromString("--expose-gc");
    (runInNewContext("gc") as () => void)();
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

  it("TRACE-036: makes traces, and gives up the oldest payloads then, where memory is short", (t) => {
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

  it("makes every trace at once where the platform's timers are numbers", (t) => {
    t.mock.method(globalThis, "setTimeout", () => 7);
    const store = new TraceStore(10, 1_000_000);
    const ended = new Ended();
    store.addEnded(ended.next());
    assert.deepEqual([ended.made, store.bytes], [[1], 500]);
  });

  it("forgets what waits, and goes on counting", (t) => {
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
