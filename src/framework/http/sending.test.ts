/** Unit tests of sending.ts: how an event stream ends, and which parts are notified (LIFE, MW). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { endWithApp, openEventStream } from "./sending.ts";
import type { Sink } from "./exchange.ts";
import { RecordedEvents } from "./streaming.ts";

/** An app that stops later, or is stopping already. */
function appThat(isStopping: boolean): { streams: Set<() => void>; isStopping(): boolean; stop(): void } {
  const streams = new Set<() => void>();
  const stop = (): void => {
    for (const end of Array.from(streams)) end();
  };
  return { streams, isStopping: () => isStopping, stop };
}

/** An event stream of that app, and a log of its notifications. */
function opened(app: ReturnType<typeof appThat>, client = new AbortController()) {
  const told: string[] = [];
  const sink: Sink = {
    write: (chunk) => told.push(String(chunk)) > 0,
    bufferedBytes: 0,
    drained: () => Promise.resolve(),
    end: () => void told.push("ended"),
  };
  const { stream, over } = openEventStream(sink, {
    signal: client.signal,
    lastEventId: "7",
    app,
    isHead: false,
    onClosed: () => void told.push("closed"),
    onStop: () => void told.push("stopped"),
  });
  const state = (): unknown[] => [told, stream.isOpen, over.aborted, app.streams.size];
  return { stream, client, state };
}

describe("openEventStream", () => {
  it("is open and registered with the app until it is closed", () => {
    const { stream, state } = opened(appThat(false));
    assert.deepEqual([stream.send("a"), stream.lastEventId], [true, "7"]);
    assert.deepEqual(state(), [["data: a\n\n"], true, false, 1]);
    stream.close();
    stream.close();
    assert.deepEqual(state(), [["data: a\n\n", "ended", "closed"], false, true, 0]);
  });

  it("ends with the app, and then its signal aborts", () => {
    const app = appThat(false);
    const { state } = opened(app);
    app.stop();
    assert.deepEqual(state(), [["ended", "closed", "stopped"], false, true, 0]);
  });

  it("is over immediately when the app is already stopping", () => {
    assert.deepEqual(opened(appThat(true)).state(), [["ended", "closed", "stopped"], false, true, 0]);
  });

  it("is over when its client leaves or has left, whether or not the app stops", () => {
    const { client, state } = opened(appThat(false));
    client.abort();
    assert.deepEqual(state(), [["closed"], false, true, 0]);
    for (const isStopping of [false, true]) {
      const left = new AbortController();
      left.abort();
      assert.deepEqual(opened(appThat(isStopping), left).state(), [["closed"], false, true, 0]);
    }
  });
});

describe("endWithApp", () => {
  /** Events that never come, wrapped by a hook, in a request of that app. */
  function wrapped(app: ReturnType<typeof appThat>) {
    let isAborted = false;
    let isDismissed = false;
    const behind: (() => unknown)[] = [];
    const iterator: AsyncIterator<string> = {
      next: () => new Promise(() => undefined),
      return: async () => ((isDismissed = true), { done: true, value: undefined }),
    };
    const events = new RecordedEvents({ [Symbol.asyncIterator]: () => iterator });
    const next = events[Symbol.asyncIterator]().next();
    const request = { onComplete: (listener: () => unknown) => behind.push(listener) };
    endWithApp(events, app, request, () => void (isAborted = true));
    const complete = (): void => {
      for (const listener of behind.splice(0)) listener();
    };
    return { next, complete, state: () => [isDismissed, isAborted, app.streams.size] };
  }

  it("ends them when the app stops, and aborts the signal after the response is over", async () => {
    for (const isStopping of [false, true]) {
      const app = appThat(isStopping);
      const { next, complete, state } = wrapped(app);
      if (!isStopping) app.stop();
      assert.deepEqual(await next, { done: true, value: undefined });
      assert.deepEqual(state(), [true, false, 1]);
      complete();
      assert.deepEqual(state(), [true, true, 0]);
    }
  });

  it("releases a request that is over", () => {
    const { complete, state } = wrapped(appThat(false));
    assert.deepEqual(state(), [false, false, 1]);
    complete();
    assert.deepEqual(state(), [false, false, 0]);
  });
});
