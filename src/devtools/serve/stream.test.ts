/**
 * Store and stream together: which traces are kept, what a slow client gets, and how it learns about missed traces.
 */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { SseBatch, type SseEvent } from "framework";
import type { Started, Trace } from "../run/shapes.ts";
import { RETRY_MS } from "../run/wire.ts";
import { TraceStore } from "../keep/store.ts";
import { TraceStream, type EventSink } from "./stream.ts";
import type { FinishedTrace } from "../record/finished-trace.ts";
import { finishedOf } from "../keep/finished-traces.testkit.ts";

const finished = (body: string, bytes = 1_000, dropped = { count: 0, leaves: 0 }): FinishedTrace =>
  finishedOf({ response: { headers: {}, body, bytes: 1 } }, { bytes, payloadBytes: bytes - 100, dropped });

const bodies = (store: TraceStore): unknown[] =>
  (JSON.parse(store.listText()) as Trace[]).map(({ sequence, response }) => [sequence, response.body]);

/** The events in a batch; each has its data in one line. */
const eventsOf = ({ bytes }: SseBatch): SseEvent[] =>
  Buffer.from(bytes)
    .toString()
    .split("\n\n")
    .slice(0, -1)
    .map((block) => Object.fromEntries(block.split("\n").map((line) => line.split(/: (.*)/s, 2))) as SseEvent);

/** Only the test moves the time, so a burst stays one burst on the slowest machine. */
function holdTime(t: TestContext): void {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  t.mock.method(performance, "now", () => 1_000);
}

/** A client with a buffer that the test fills and empties. */
class Reader implements EventSink {
  readonly got: string[] = [];
  readonly leaving = new AbortController();
  readonly signal: AbortSignal = this.leaving.signal;
  readonly lastEventId: string | undefined;
  bufferedBytes = 0;
  writes = 0;
  closed = false;
  stalled = false;

  constructor(lastEventId?: string) {
    this.lastEventId = lastEventId;
  }
  send(sent: Parameters<EventSink["send"]>[0]): boolean {
    this.writes += 1;
    if (typeof sent === "string") return assert.fail("an event without a name");
    for (const event of sent instanceof SseBatch ? eventsOf(sent) : [sent]) this.#take(event);
    return true;
  }
  #take(event: SseEvent): void {
    if (event.data === undefined) return;
    this.got.push(event.event === "trace" ? `trace ${event.id?.split(".").at(-1)}` : `${event.event} ${event.data}`);
    if (this.stalled) this.bufferedBytes += Buffer.byteLength(event.data);
  }
  comment(text: string): boolean {
    this.got.push(`: ${text}`);
    return true;
  }
  close(): void {
    this.closed = true;
  }
}

describe("TraceStore", () => {
  it("keeps the newest, continues its numbers after clear, and counts late calls", () => {
    const store = new TraceStore(2, 1_000_000);
    const dropped = { count: 0, leaves: 0 };
    for (const body of ["a", "b", "c"]) store.add(finished(body, 1_000, dropped));
    assert.deepEqual(bodies(store), [
      [3, "c"],
      [2, "b"],
    ]);
    assert.equal((JSON.parse(store.textOf(3) ?? "") as Trace).droppedCalls, 0);
    dropped.count = 4;
    assert.equal((JSON.parse(store.textOf(3) ?? "") as Trace).droppedCalls, 4);
    dropped.leaves = 2;
    assert.equal((JSON.parse(store.textOf(3) ?? "") as Trace).droppedLeaves, 2);
    store.clear();
    store.add(finished("d"));
    assert.deepEqual(bodies(store), [[4, "d"]]);
  });

  it("drops the oldest payloads, not the entries, when memory is short", () => {
    const store = new TraceStore(100, 5_000);
    for (const body of ["a", "b", "c", "d"]) store.add(finished(body, 2_000));
    assert.deepEqual(bodies(store), [
      [4, "d"],
      [3, "c"],
      [2, { $evicted: true }],
      [1, { $evicted: true }],
    ]);
    assert.ok(store.bytes <= 5_000);
    store.textOf(4);
    assert.ok(store.bytes <= 5_000);
  });
});

describe("TraceStream", () => {
  it("STREAM-014: is full with as many clients as allowed, and has room again when one leaves", () => {
    const stream = new TraceStream(new TraceStore(1, 1_000), 2, 1_000);
    const readers = [new Reader(), new Reader()];
    const full = readers.map((reader) => {
      const before = stream.full;
      stream.serve(reader);
      return before;
    });
    assert.deepEqual([full, stream.full], [[false, false], true]);
    readers[0]?.leaving.abort();
    assert.deepEqual([stream.full, stream.clients], [false, 1]);
    stream.close();
  });

  it("keeps no client that has left before it was served", () => {
    const store = new TraceStore(1, 1_000);
    const stream = new TraceStream(store, 2, 1_000);
    const reader = new Reader();
    reader.leaving.abort();
    stream.serve(reader);
    store.add(finished("a"));
    assert.deepEqual([stream.clients, reader.closed, reader.got], [0, true, [": connected"]]);
  });

  it("sends nothing more to a client that leaves during a send", (t) => {
    holdTime(t);
    const store = new TraceStore(10, 1_000_000);
    for (const body of ["a", "b"]) store.add(finished(body));
    const stream = new TraceStream(store, 2, 300);
    const reader = new Reader(`${store.instance}.0`);
    const send = reader.send.bind(reader);
    t.mock.method(reader, "send", (event: Parameters<EventSink["send"]>[0]) => {
      send(event);
      if (!(event instanceof SseBatch)) return true;
      reader.bufferedBytes = 1_000;
      reader.leaving.abort();
      return false;
    });
    stream.serve(reader);
    reader.bufferedBytes = 0;
    t.mock.timers.tick(1_000);
    assert.deepEqual([reader.got, reader.closed, stream.clients], [[": connected", "trace 1"], true, 0]);
  });

  it("STREAM-011: reports missed traces to a client even if nothing is left to send", (t) => {
    holdTime(t);
    const store = new TraceStore(10, 1_000_000);
    const stream = new TraceStream(store, 2, 1_000);
    const reader = new Reader();
    stream.serve(reader);
    reader.bufferedBytes = 5_000;
    for (const body of ["a", "b"]) store.add(finished(body));
    store.clear();
    reader.bufferedBytes = 0;
    assert.deepEqual(reader.got, [": connected"]);
    t.mock.timers.tick(50);
    assert.deepEqual(reader.got, [": connected", 'gap {"missed":2}']);
    stream.close();
  });

  it("sends 40 clients one trace immediately, those within 100 ms of it together, and frames it once for all", (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const timers = t.mock.method(globalThis, "setTimeout").mock;
    let now = 1_000;
    t.mock.method(performance, "now", () => now);
    const store = new TraceStore(100, 1_000_000);
    const stream = new TraceStream(store, 40, 10_000);
    const sent: unknown[][] = [];
    const readers = Array.from({ length: 40 }, () => new Reader());
    for (const reader of readers) {
      const batches: unknown[] = [];
      sent.push(batches);
      t.mock.method(reader, "send", (batch: Parameters<EventSink["send"]>[0]) => {
        batches.push(batch);
        return true;
      });
      stream.serve(reader);
      batches.length = 0;
    }
    const counts = (): readonly number[] => [...new Set(sent.map(({ length }) => length))];
    store.add(finished("a"));
    assert.deepEqual(counts(), [1]);
    now += 30;
    for (const body of ["b", "c", "d"]) store.add(finished(body));
    assert.deepEqual([counts(), timers.callCount()], [[1], 1]);
    t.mock.timers.tick(69);
    assert.deepEqual(counts(), [1]);
    t.mock.timers.tick(1);
    assert.deepEqual(counts(), [2]);
    now = 1_100;
    store.add(finished("e"));
    assert.deepEqual([counts(), timers.callCount()], [[3], 1]);
    for (const batches of sent) assert.ok(batches.every((batch, at) => batch === sent[0]?.[at]));
    assert.deepEqual(
      (sent[0] ?? []).map((batch) => eventsOf(batch as SseBatch).length),
      [1, 3, 1],
    );
    stream.close();
  });

  it("sends new traces, once each, in order", () => {
    const store = new TraceStore(100, 1_000_000);
    const stream = new TraceStream(store, 16, 1_000);
    store.add(finished("before"));
    const reader = new Reader();
    stream.serve(reader);
    store.add(finished("a"));
    store.add(finished("b"));
    assert.deepEqual(reader.got, [": connected", "trace 2", "trace 3"]);
    reader.leaving.abort();
    assert.deepEqual([reader.closed, stream.clients], [true, 0]);
  });

  it("STREAM-009 STREAM-010 STREAM-011: replays the held traces after an id and reports missing ones", () => {
    const store = new TraceStore(2, 1_000_000);
    for (const body of ["a", "b", "c", "d"]) store.add(finished(body));
    const seen = (id: string): string[] => {
      const reader = new Reader(id);
      const stream = new TraceStream(store, 16, 1_000_000);
      stream.serve(reader);
      stream.close();
      return reader.got.slice(1);
    };
    assert.deepEqual(seen(`${store.instance}.3`), ["trace 4"]);
    assert.deepEqual(seen(`${store.instance}.4`), []);
    assert.deepEqual(seen(`${store.instance}.1`), ['gap {"missed":1}', "trace 3", "trace 4"]);
    assert.deepEqual(seen("other.1"), ['gap {"missed":null}', "trace 3", "trace 4"]);
  });

  it("STREAM-011: reports requests that are gone between two jobs that are held, and none twice", () => {
    const store = new TraceStore(3, 1_000_000);
    const stream = new TraceStream(store, 16, 1_000_000);
    const job = finished("job");
    store.add({ ...job, trace: { ...job.trace, kind: "background" } });
    for (const body of ["a", "b", "c"]) store.add(finished(body));
    const seen = (lastEventId: string): readonly string[] => {
      const reader = new Reader(lastEventId);
      stream.serve(reader);
      return reader.got.slice(1);
    };
    assert.deepEqual(seen(`${store.instance}.1`), ['gap {"missed":1}', "trace 3", "trace 4"]);
    assert.deepEqual(seen("other.1"), ['gap {"missed":null}', "trace 1", "trace 3", "trace 4"]);
    stream.close();
  });

  it("STREAM-011: a client that did not read gets the gap when it reads again, and then the next traces", () => {
    const store = new TraceStore(5, 1_000_000);
    const stream = new TraceStream(store, 16, 100);
    const reader = new Reader();
    stream.serve(reader);
    reader.stalled = true;
    for (let index = 0; index < 20; index++) store.add(finished("x"));
    assert.deepEqual(reader.got, [": connected", "trace 1"]);
    reader.stalled = false;
    reader.bufferedBytes = 0;
    store.add(finished("y"));
    assert.deepEqual(reader.got.slice(2), [
      'gap {"missed":15}',
      "trace 17",
      "trace 18",
      "trace 19",
      "trace 20",
      "trace 21",
    ]);
    stream.close();
  });

  it("no more than 4 MiB wait for a client that does not read", () => {
    const store = new TraceStore(100, 100_000_000);
    const stream = new TraceStream(store, 16, 4_194_304);
    const reader = new Reader();
    reader.stalled = true;
    stream.serve(reader);
    for (let index = 0; index < 9; index++) store.add(finished("é".repeat(400_000)));
    assert.deepEqual(reader.got.length, 6);
    assert.ok(reader.bufferedBytes > 3_500_000 && reader.bufferedBytes <= 4_194_304, String(reader.bufferedBytes));
    stream.close();
  });

  it("sends a comment every 15 seconds, while a client listens", (t) => {
    t.mock.timers.enable({ apis: ["setInterval"] });
    const stream = new TraceStream(new TraceStore(5, 1_000_000), 16, 100_000);
    const reader = new Reader();
    stream.serve(reader);
    t.mock.timers.tick(14_999);
    assert.deepEqual(reader.got, [": connected"]);
    t.mock.timers.tick(1);
    t.mock.timers.tick(30_000);
    assert.deepEqual(reader.got, [": connected", ...Array<string>(3).fill(": heartbeat")]);
    stream.close();
    t.mock.timers.tick(60_000);
    assert.equal(reader.got.length, 4);
  });

  it("a client that missed 100 traces and still does not read is cut off", () => {
    const store = new TraceStore(5, 1_000_000);
    const stream = new TraceStream(store, 16, 100);
    const [stalled, healthy] = [new Reader(), new Reader()];
    stream.serve(stalled);
    stream.serve(healthy);
    stalled.stalled = true;
    for (let index = 0; index < 200; index++) store.add(finished("x"));
    assert.deepEqual([stalled.closed, healthy.closed, healthy.got.length, stream.clients], [true, false, 201, 1]);
    stream.close();
  });

  it("STREAM-002 STREAM-011: sends the first of a burst immediately, the rest together, and reports lost ones", (t) => {
    holdTime(t);
    const store = new TraceStore(30, 1_000_000);
    const stream = new TraceStream(store, 16, 1_000_000);
    const readers = Array.from({ length: 16 }, () => new Reader());
    for (const reader of readers) stream.serve(reader);
    const add = (count: number): void => {
      for (let index = 0; index < count; index++) store.add(finished("x"));
    };
    const traces = (from: number, to: number): string[] =>
      Array.from({ length: to - from + 1 }, (_, index) => `trace ${from + index}`);
    add(31);
    for (const { got } of readers) assert.deepEqual(got, [": connected", ...traces(1, 6)]);
    t.mock.timers.tick(100);
    for (const { got, writes } of readers) assert.deepEqual([got.slice(7), writes], [traces(7, 31), 1 + 6 + 1]);
    stream.close();
    assert.deepEqual([readers.every(({ closed }) => closed), stream.clients], [true, 0]);
  });

  it("STREAM-011: reports traces that left the ring while a burst was gathered", (t) => {
    holdTime(t);
    const store = new TraceStore(5, 1_000_000);
    const stream = new TraceStream(store, 16, 1_000_000);
    const reader = new Reader();
    stream.serve(reader);
    for (let index = 0; index < 1_650; index++) store.add(finished("x"));
    assert.equal(reader.got.at(-1), "trace 1600");
    t.mock.timers.tick(100);
    assert.deepEqual(reader.got.slice(1_601), [
      'gap {"missed":45}',
      ...["1646", "1647", "1648", "1649", "1650"].map((n) => `trace ${n}`),
    ]);
    stream.close();
  });

  it("sends nothing after its end, also if a burst was waiting", (t) => {
    holdTime(t);
    const store = new TraceStore(100, 1_000_000);
    const stream = new TraceStream(store, 16, 1_000_000);
    const reader = new Reader();
    stream.serve(reader);
    for (let index = 0; index < 1_650; index++) store.add(finished("x"));
    stream.close();
    t.mock.timers.tick(1_000);
    assert.equal(reader.got.length, 1_601);
  });

  it("STREAM-016: reports runs in flight every 200 ms while a client listens, but not to a slow client", (t) => {
    t.mock.timers.enable({ apis: ["setInterval"] });
    let asked = 0;
    let due: readonly Started[] = [];
    const inFlight = { due: () => ((asked += 1), due) };
    const stream = new TraceStream(new TraceStore(5, 1_000_000), 16, 1_000, inFlight);
    const [reader, behind] = [new Reader(), new Reader()];
    for (const one of [reader, behind]) stream.serve(one);
    behind.bufferedBytes = 1_000;
    t.mock.timers.tick(200);
    assert.deepEqual([asked, reader.writes], [1, 1]);
    const run = { run: 7 } as Started;
    due = [run, run];
    t.mock.timers.tick(199);
    assert.equal(asked, 1);
    t.mock.timers.tick(1);
    const told = `started ${JSON.stringify(run)}`;
    assert.deepEqual([reader.got, reader.writes, behind.got], [[": connected", told, told], 2, [": connected"]]);
    reader.leaving.abort();
    t.mock.timers.tick(200);
    assert.equal(asked, 3);
    stream.close();
    t.mock.timers.tick(1_000);
    assert.equal(asked, 3);
  });

  it("reports a changed graph or routes once, before the trace that showed it, and later to a slow client", (t) => {
    t.mock.timers.enable({ apis: ["setInterval", "setTimeout"] });
    let now = 1_000;
    t.mock.method(performance, "now", () => now);
    const store = new TraceStore(5, 1_000_000);
    let shape = "a";
    const stream = new TraceStream(store, 16, 1_000, undefined, () => shape);
    const [reader, behind] = [new Reader(), new Reader()];
    for (const one of [reader, behind]) stream.serve(one);
    behind.bufferedBytes = 1_000;
    store.add(finished("same"));
    t.mock.timers.tick(200);
    assert.deepEqual([reader.got, behind.got], [[": connected", "trace 1"], [": connected"]]);
    shape = "b";
    now += 100;
    store.add(finished("found"));
    assert.deepEqual(reader.got.slice(2), ["graph {}", "trace 2"]);
    behind.bufferedBytes = 0;
    t.mock.timers.tick(200);
    assert.deepEqual([reader.got.slice(4), behind.got.includes("graph {}")], [[], true]);
    shape = "c";
    const late = new Reader();
    stream.serve(late);
    t.mock.timers.tick(200);
    assert.deepEqual([reader.got.slice(4), late.got], [["graph {}"], [": connected"]]);
    stream.close();
  });

  it("STREAM-011: checks a slow client every 50 ms, until it leaves", (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const store = new TraceStore(5, 1_000_000);
    const stream = new TraceStream(store, 16, 100);
    const reader = new Reader();
    stream.serve(reader);
    reader.bufferedBytes = 101;
    store.add(finished("a"));
    t.mock.timers.tick(50);
    assert.deepEqual(reader.got, [": connected"]);
    reader.bufferedBytes = 0;
    t.mock.timers.tick(49);
    assert.deepEqual(reader.got, [": connected"]);
    t.mock.timers.tick(1);
    assert.deepEqual(reader.got, [": connected", "trace 1"]);
    reader.bufferedBytes = 101;
    store.add(finished("b"));
    reader.leaving.abort();
    reader.bufferedBytes = 0;
    t.mock.timers.tick(1_000);
    assert.deepEqual(reader.got, [": connected", "trace 1"]);
  });

  it("STREAM-010: accepts as an id only one from this process", () => {
    const store = new TraceStore(20, 1_000_000);
    for (let n = 0; n < 12; n += 1) store.add(finished("a"));
    const first = (id: string): string | undefined => {
      const reader = new Reader(id);
      const stream = new TraceStream(store, 16, 1_000_000);
      stream.serve(reader);
      stream.close();
      return reader.got[1];
    };
    assert.deepEqual(
      [first(`${store.instance}.10`), first(`${store.instance}.99`), first("")],
      ["trace 11", undefined, undefined],
    );
    for (const id of [
      `${store.instance}.x1`,
      `${store.instance}.1x`,
      `${store.instance}.`,
      `${store.instance}1`,
      `${store.instance}x1`,
      `${"0".repeat(store.instance.length)}.1`,
      "x.1",
    ])
      assert.equal(first(id), 'gap {"missed":null}', id);
  });

  it("frames as many traces together as may wait for one client, one at least", () => {
    const store = new TraceStore(5, 1_000_000);
    for (let n = 0; n < 3; n += 1) store.add(finished("a"));
    const size = Buffer.byteLength(store.textOf(1) ?? "") + 256;
    const writes = (maxBuffered: number): number => {
      const reader = new Reader(`${store.instance}.0`);
      const stream = new TraceStream(store, 16, maxBuffered);
      stream.serve(reader);
      stream.close();
      assert.deepEqual(reader.got.slice(1), ["trace 1", "trace 2", "trace 3"]);
      return reader.writes - 1;
    };
    assert.deepEqual([writes(3 * size), writes(3 * size - 1), writes(2 * size - 1), writes(1)], [1, 2, 3, 3]);
  });

  it("cuts a client off when it has missed 100 traces, and not one before", () => {
    const store = new TraceStore(5, 1_000_000);
    const stream = new TraceStream(store, 16, 100);
    const reader = new Reader();
    stream.serve(reader);
    reader.bufferedBytes = 101;
    for (let n = 0; n < 104; n += 1) store.add(finished("x"));
    assert.equal(reader.closed, false);
    store.add(finished("x"));
    assert.deepEqual([reader.closed, stream.clients, reader.got], [true, 0, [": connected"]]);
  });

  it("sends no heartbeat to a slow client, and first says when to reconnect", (t) => {
    t.mock.timers.enable({ apis: ["setInterval"] });
    const stream = new TraceStream(new TraceStore(5, 1_000_000), 16, 100);
    const reader = new Reader();
    const sent: unknown[] = [];
    reader.send = (event) => sent.push(event) > 0;
    stream.serve(reader);
    reader.bufferedBytes = 101;
    t.mock.timers.tick(15_000);
    assert.deepEqual([reader.got, sent], [[": connected"], [{ retry: RETRY_MS }]]);
    reader.bufferedBytes = 100;
    t.mock.timers.tick(15_000);
    assert.deepEqual(reader.got, [": connected", ": heartbeat"]);
    stream.close();
  });
});
