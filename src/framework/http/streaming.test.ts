/** Unit tests of streaming.ts: what is kept of a stream, and who is told how it ends (CTX). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Sink } from "./exchange.ts";
import { pump } from "./streaming.ts";

/** A client that takes all at once. */
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

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

describe("pump", () => {
  it("CTX-015: keeps nothing of what was sent", async () => {
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

  it("CTX-013: asks a source for nothing once the client has left, and dismisses it once", async () => {
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

  it("passes on what a source fails with, also one that throws at once", async () => {
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
