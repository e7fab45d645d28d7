/** Unit tests of streaming.ts: memory use of a stream, and notification of its end (CTX). */
import assert from "node:assert/strict";
import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { describe, it } from "node:test";
import type { Sink } from "./exchange.ts";
import type { StreamBody } from "./context.ts";
import { SseStream, type SseEvent } from "./sse.ts";
import { counted, dismiss, failureOf, hold, observe, pump, pumpEvents, RecordedEvents, sourceOf } from "./streaming.ts";
import { collectGarbage } from "../testing/harness.testkit.ts";

/** A client that accepts every chunk. */
function taking(): { sink: Sink; ended: () => boolean } {
  let isEnded = false;
  const sink: Sink = {
    write: () => true,
    bufferedBytes: 0,
    drained: () => Promise.resolve(),
    end: () => void (isEnded = true),
  };
  return { sink, ended: () => isEnded };
}

describe("pump", () => {
  it("keeps no sent chunk in memory", async () => {
    const chunks: WeakRef<Uint8Array>[] = [];
    const kept = (): number => chunks.filter((chunk) => chunk.deref() !== undefined).length;
    let keptAtLast = -1;
    async function* source(): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < 100; at += 1) {
        const chunk = new Uint8Array(8);
        chunks.push(new WeakRef(chunk));
        yield chunk;
      }
      for (let tries = 0; tries < 10 && keptAtLast !== 0; tries += 1) {
        await new Promise(setImmediate);
        collectGarbage();
        keptAtLast = kept();
      }
    }
    const { sink, ended } = taking();
    await pump(source(), sink, new AbortController().signal);
    assert.ok(ended());
    assert.ok(keptAtLast <= 1, `${keptAtLast} of ${chunks.length} chunks are still held`);
  });

  it("reads nothing after the client has left, and dismisses the source once", async () => {
    const client = new AbortController();
    let asked = 0;
    let dismissed = 0;
    const { sink, ended } = taking();
    const leaving: Sink = {
      ...sink,
      write: () => {
        client.abort();
        return true;
      },
    };
    const source: AsyncIterable<string> = {
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.resolve({ done: false, value: String((asked += 1)) }),
        return: () => Promise.resolve({ done: true, value: void (dismissed += 1) }),
      }),
    };
    await pump(source, leaving, client.signal);
    assert.deepEqual([asked, dismissed, ended()], [1, 1, false]);
  });

  it("passes the source's error on, also one thrown immediately", async () => {
    const { signal } = new AbortController();
    const failing = (next: () => Promise<IteratorResult<string>>): AsyncIterable<string> => ({
      [Symbol.asyncIterator]: () => ({ next }),
    });
    const rejecting = failing(() => Promise.reject(new Error("no more")));
    const throwing = failing(() => {
      throw new Error("at once");
    });
    await assert.rejects(pump(rejecting, taking().sink, signal), /no more/);
    await assert.rejects(pump(throwing, taking().sink, signal), /at once/);
  });

  it("dismisses a source whose sink fails", async () => {
    let dismissed = 0;
    async function* source(): AsyncGenerator<string> {
      try {
        for (;;) yield "a";
      } finally {
        dismissed += 1;
      }
    }
    const broken: Sink = {
      ...taking().sink,
      write() {
        throw new Error("broken");
      },
    };
    await assert.rejects(pump(source(), broken, new AbortController().signal), /broken/);
    assert.equal(dismissed, 1);
  });
});

/** Items that come one by one, and learn when the consumer stops. */
function itemsOf<T>(items: readonly T[], isEndless = false): AsyncIterable<T> & { dismissed: number; asked: number } {
  const left = [...items];
  const source = {
    dismissed: 0,
    asked: 0,
    [Symbol.asyncIterator]: (): AsyncIterator<T> => ({
      async next() {
        source.asked += 1;
        const value = left.shift();
        if (value !== undefined) return { done: false, value };
        return isEndless ? new Promise(() => undefined) : { done: true, value: undefined };
      },
      return: async () => ((source.dismissed += 1), { done: true, value: undefined }),
    }),
  };
  return source;
}

describe("pump, and a slow client", () => {
  it("reads the next piece when there is room, and ends after the last", async () => {
    const order: string[] = [];
    let makeRoom = (): void => undefined;
    const sink: Sink = {
      write: (chunk) => order.push(String(chunk)) > 1,
      bufferedBytes: 0,
      drained: () => new Promise((resolve) => (makeRoom = resolve)),
      end: () => void order.push("end"),
    };
    const source = itemsOf(["a", "b"]);
    const pumped = pump(source, sink, new AbortController().signal);
    for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
    assert.deepEqual([order, source.asked], [["a"], 1]);
    makeRoom();
    await pumped;
    assert.deepEqual([order, source.asked, source.dismissed], [["a", "b", "end"], 3, 0]);
  });

  it("writes nothing that arrives after the client has left", async () => {
    const client = new AbortController();
    const written: unknown[] = [];
    const source = itemsOf(["a"]);
    const iterator: AsyncIterator<string> = source[Symbol.asyncIterator]();
    const next = (): Promise<IteratorResult<string>> => {
      const step = iterator.next();
      void step.then(() => client.abort());
      return step;
    };
    const leaving = { [Symbol.asyncIterator]: () => ({ ...iterator, next }) };
    await pump(leaving, { ...taking().sink, write: (chunk) => written.push(chunk) > 0 }, client.signal);
    assert.deepEqual([written, source.dismissed], [[], 1]);
  });

  it("writes nothing that is available when the client leaves just before the read", async () => {
    const client = new AbortController();
    const written: unknown[] = [];
    const next = (): Promise<IteratorResult<string>> => {
      queueMicrotask(() => queueMicrotask(() => client.abort()));
      return Promise.resolve({ done: false, value: "late" });
    };
    const leaving = { [Symbol.asyncIterator]: () => ({ next }) };
    await pump(leaving, { ...taking().sink, write: (chunk) => written.push(chunk) > 0 }, client.signal);
    assert.deepEqual(written, []);
  });

  it("is over when its client leaves, also while the source is idle", async () => {
    const client = new AbortController();
    const idle = itemsOf<string>([], true);
    const { sink, ended } = taking();
    const pumped = pump(idle, sink, client.signal);
    await new Promise(setImmediate);
    client.abort();
    await pumped;
    assert.deepEqual([idle.asked, idle.dismissed, ended()], [1, 1, false]);
  });

  it("reads nothing for a client that has left before, and is not retained by its signal", async () => {
    const { signal } = new AbortController();
    const kept: unknown[] = [];
    const add = signal.addEventListener.bind(signal);
    Object.assign(signal, {
      addEventListener: (...args: Parameters<typeof add>) => (kept.push(args.slice(0, 2)), add(...args)),
      removeEventListener: (...args: unknown[]) => assert.deepEqual([args], kept.splice(0)),
    });
    await pump(itemsOf(["a"]), taking().sink, signal);
    assert.equal(kept.length, 0);
    const gone = itemsOf(["a"]);
    const { sink, ended } = taking();
    await pump(gone, sink, AbortSignal.abort());
    assert.deepEqual([gone.asked, gone.dismissed, ended()], [0, 1, false]);
  });
});

describe("pumpEvents", () => {
  it("sends one event after the other as the client reads them, then closes", async () => {
    const written: string[] = [];
    const sink: Sink = {
      write: (chunk) => written.push(String(chunk)) > 1,
      bufferedBytes: 0,
      drained: async () => void written.push("drained"),
      end: () => void written.push("end"),
    };
    const { signal } = new AbortController();
    const stream = new SseStream(sink, signal, undefined, () => void written.push("closed"));
    await pumpEvents(itemsOf<SseEvent | string>([{ id: "1", data: "a" }, "b"]), stream, signal);
    assert.deepEqual(written, ["id: 1\ndata: a\n\n", "drained", "data: b\n\n", "end", "closed"]);
  });
});

describe("RecordedEvents", () => {
  const over = { done: true, value: undefined };

  it("is the text of its events for any wrapper, and ends with them", async () => {
    const source = itemsOf<SseEvent | string>([{ id: "1", data: "a" }, "b"]);
    const reader = new RecordedEvents(source)[Symbol.asyncIterator]();
    const steps = [await reader.next(), await reader.next(), await reader.next()];
    assert.deepEqual(
      steps,
      ["id: 1\ndata: a\n\n", "data: b\n\n"].map((value) => ({ done: false, value }) as object).concat(over),
    );
    assert.equal(source.dismissed, 0);
    assert.deepEqual([await reader.return?.(), source.dismissed], [over, 1]);
  });

  it("ends when it is closed, also while it is idle, and before it was read", async () => {
    const idle = itemsOf<string>([], true);
    const events = new RecordedEvents(idle);
    const reader = events[Symbol.asyncIterator]();
    const next = reader.next();
    events.close();
    assert.deepEqual([await next, await reader.next(), idle.dismissed > 0, idle.asked], [over, over, true, 1]);
    const unread = itemsOf(["a"]);
    const closed = new RecordedEvents(unread);
    closed.close();
    assert.deepEqual([await closed[Symbol.asyncIterator]().next(), unread.asked, unread.dismissed], [over, 0, 1]);
  });

  it("fails when its source fails, and with an event that cannot be framed", async () => {
    const failing = (async function* (): AsyncGenerator<SseEvent> {
      yield { event: "a\nb", data: "" };
    })();
    await assert.rejects(new RecordedEvents(failing)[Symbol.asyncIterator]().next(), /cannot hold a line end/);
  });
});

describe("dismiss, hold, failureOf", () => {
  it("dismiss a stream of any kind immediately, including the app's own behind recorded events", async () => {
    const node = new Readable({ read: () => undefined });
    const own = itemsOf(["a"]);
    const recorded = itemsOf<string>(["a"]);
    let cancelled = 0;
    const web = new ReadableStream<Uint8Array>({ cancel: () => void (cancelled += 1) });
    for (const body of [node, own, web, new RecordedEvents(recorded)]) dismiss(body as StreamBody);
    await new Promise(setImmediate);
    assert.deepEqual([node.destroyed, own.dismissed, cancelled, recorded.dismissed], [true, 1, 1, 1]);
  });

  it("do not end the process when a Node stream fails while it is dismissed", async () => {
    const file = createReadStream("/nowhere/at/all");
    dismiss(file);
    await new Promise((resolve) => void file.once("close", () => resolve(undefined))); // An error without a listener would end this test.
    assert.equal(Reflect.get(Object(file.errored), "code"), "ENOENT");
  });

  it("ignore a source's error about its dismissal", async () => {
    const failing = (end: () => Promise<never>): AsyncIterable<string> => ({
      [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined), return: end }),
    });
    const sources: StreamBody[] = [
      failing(() => Promise.reject(new Error("rejects"))),
      failing(() => assert.fail("throws")),
      { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }) } as AsyncIterable<string>,
      { [Symbol.asyncIterator]: () => assert.fail("has no iterator") } as AsyncIterable<string>,
      new ReadableStream({ cancel: () => Promise.reject(new Error("rejects")) }),
    ] as StreamBody[];
    for (const source of sources) dismiss(source);
    await new Promise(setImmediate); // An unhandled rejection would end this test.
  });

  it("keep the error of a Node stream for later, also of the app's own behind recorded events", async () => {
    const error = new Error("broken");
    const broken = new Readable({ read: () => undefined });
    const events = new Readable({ objectMode: true, read: () => undefined });
    const recorded = new RecordedEvents(events);
    for (const body of [broken, recorded] as StreamBody[]) {
      hold(body);
      assert.equal(failureOf(body), undefined);
    }
    broken.destroy(error);
    events.destroy(error);
    await new Promise(setImmediate); // An uncaught exception would end this test.
    assert.deepEqual([failureOf(broken as StreamBody), failureOf(recorded)], [error, error]);
  });

  it("leave sources alone that are not Node streams", () => {
    const asks = { on: () => assert.fail("is no stream"), errored: new Error("is no stream") };
    const some = [itemsOf(["a"]), Object.assign(itemsOf(["a"]), asks), new ReadableStream<Uint8Array>()];
    for (const body of some) {
      hold(body);
      assert.equal(failureOf(body), undefined);
    }
    hold(Object.assign(itemsOf(["a"]), { destroy: () => assert.fail("is not ended"), on: "a field" }));
    hold(Object.assign(itemsOf(["a"]), { destroy: () => assert.fail("is not ended") }));
  });
});

describe("counted", () => {
  it("LOG-014: counts the bytes of each chunk in UTF-8, and returns its sink's result", async () => {
    const seen: unknown[] = [];
    const sink: Sink = {
      write: (chunk) => seen.push(["written", chunk]) > 99,
      bufferedBytes: 5,
      drained: () => Promise.reject(new Error("the sink's own")),
      end: () => void seen.push("end"),
    };
    const counting = counted(sink, (bytes, chunk) => void seen.push([bytes, chunk]));
    const bytes = new Uint8Array(3);
    assert.deepEqual([counting.write("aä"), counting.write(bytes), counting.bufferedBytes], [false, false, 5]);
    await assert.rejects(counting.drained(), /the sink's own/);
    counting.end();
    assert.deepEqual(seen, [[3, "aä"], ["written", "aä"], [3, bytes], ["written", bytes], "end"]);
  });

  it("rejects a chunk that is not text or bytes, and names its type", () => {
    const seen: unknown[] = [];
    const sink = counted(
      { ...taking().sink, write: (chunk) => seen.push(chunk) > 0 },
      (bytes) => void seen.push(bytes),
    );
    for (const [chunk, kind] of [
      [{ row: 1 }, "object"],
      [null, "null"],
      [7, "number"],
      [new ArrayBuffer(1), "object"],
    ] as const)
      assert.throws(() => sink.write(chunk as unknown as string), {
        code: "RESPONSE_VALUE",
        message: `a stream takes bytes or text, not ${kind}`,
      });
    assert.deepEqual(seen, []);
  });

  it("sends no byte more than promised, and reports an early end", () => {
    const sent: unknown[] = [];
    const promising = (length: number): Sink =>
      counted(
        { ...taking().sink, write: (chunk) => sent.push(chunk) > 0, end: () => void sent.push("end") },
        () => 0,
        length,
      );
    const exact = promising(3);
    exact.write("a");
    exact.write("bc");
    exact.end();
    assert.deepEqual(sent.splice(0), ["a", "bc", "end"]);
    const longer = promising(3);
    longer.write("ab");
    const lost = "leave the header to the framework";
    assert.throws(() => longer.write("cd"), {
      name: "RangeError",
      message: `Content-Length promised 3 bytes and the stream had at least 4: ${lost}`,
    });
    const shorter = promising(3);
    shorter.write("ab");
    assert.throws(() => shorter.end(), {
      name: "RangeError",
      message: `Content-Length promised 3 bytes and the stream had 2: ${lost}`,
    });
    assert.deepEqual(sent, ["ab", "ab"]);
  });
});

describe("observe", () => {
  it("ignores a rejecting listener", async () => {
    observe(() => Promise.reject(new Error("rejects")) as unknown as undefined, "a");
    await new Promise(setImmediate); // An unhandled rejection would end this test.
  });

  it("calls a listener and ignores its errors", () => {
    const heard: unknown[] = [];
    observe((chunk) => void heard.push(chunk), "a");
    observe(() => assert.fail("a listener's own"), "b");
    assert.deepEqual(heard, ["a"]);
  });
});

describe("sourceOf", () => {
  it("ends a Node stream immediately, before its first chunk and while it waits for one", async () => {
    for (const isRead of [false, true]) {
      const stream = new Readable({ read: () => undefined });
      const source = sourceOf<Uint8Array>(stream);
      const next = isRead ? source.next() : undefined;
      next?.catch(() => undefined);
      assert.deepEqual([await source.return?.(), stream.destroyed], [{ done: true, value: undefined }, true]);
    }
  });

  it("reads a Node stream to its end", async () => {
    const source = sourceOf<string>(Readable.from(["a"]));
    assert.deepEqual(
      [await source.next(), await source.next()],
      [
        { done: false, value: "a" },
        { done: true, value: undefined },
      ],
    );
  });

  it("reads a web stream to its end, and cancels it", async () => {
    const source = sourceOf(new Response("ab").body ?? assert.fail("has no body"));
    const { done, value } = await source.next();
    assert.deepEqual([done, Buffer.from(value as Uint8Array).toString()], [false, "ab"]);
    assert.deepEqual(await source.next(), { done: true, value: undefined });
    let cancelled = false;
    const idle = sourceOf(new ReadableStream({ cancel: () => void (cancelled = true) }));
    void idle.next();
    void idle.return?.();
    assert.equal(cancelled, true);
    assert.deepEqual([await idle.return?.(), cancelled], [{ done: true, value: undefined }, true]);
  });
});
