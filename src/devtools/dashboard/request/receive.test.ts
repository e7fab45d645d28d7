/**
 * send: the request, and a response that is complete, partial, stopped or cut.
 */

import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { setGlobals } from "../testing/fake-page.ts";
import { MAX_BODY, send, type ReceivedResponse } from "./receive.ts";

interface Call {
  readonly url: string;
  readonly init: RequestInit;
}

let calls: Call[] = [];
let respond = (): Response => new Response();
let restore = (): void => undefined;

beforeEach(() => {
  calls = [];
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    calls.push({ url, init });
    return respond();
  };
  restore = setGlobals({ fetch });
});
afterEach(() => restore());

/** The received response, its bytes as text and without its duration. */
function plain({ bytes, durationUs, ...head }: ReceivedResponse): unknown {
  assert.ok(Number.isInteger(durationUs) && durationUs >= 0);
  return { ...head, text: new TextDecoder().decode(bytes) };
}

const request = { method: "GET", url: "/x", headers: [], body: undefined };
const options = { signal: new AbortController().signal, progress: () => undefined };
const head = { status: 200, statusText: "", headers: [] };

describe("send", () => {
  test("sends the editor's content, marked by its correlation id", async () => {
    respond = () => new Response("done", { status: 201, statusText: "Created", headers: { "x-a": "1" } });
    const got = await send(
      {
        method: "POST",
        url: "/x?a=1",
        headers: [
          ["X-B", "2"],
          ["x-framework-dev", "forged"],
        ],
        body: "{}",
      },
      "dev-1",
      options,
    );
    const { headers, signal, ...rest } = calls[0]?.init ?? {};
    assert.equal(signal, options.signal);
    assert.deepEqual(
      [calls[0]?.url, rest, [...new Headers(headers)]],
      [
        "/x?a=1",
        { method: "POST", cache: "no-store", redirect: "manual", body: "{}" },
        [
          ["x-b", "2"],
          ["x-framework-dev", "dev-1"],
        ],
      ],
    );
    assert.deepEqual(plain(got), {
      status: 201,
      statusText: "Created",
      headers: [
        ["content-type", "text/plain;charset=UTF-8"],
        ["x-a", "1"],
      ],
      text: "done",
    });
  });

  test("sends no body without one in the editor", async () => {
    respond = () => new Response();
    assert.deepEqual(plain(await send(request, "dev-2", options)), { ...head, text: "" });
    assert.equal("body" in (calls[0]?.init ?? {}), false);
  });

  test("reports the received part, and keeps it when the user stops an endless response", async (t) => {
    const stop = new AbortController();
    const seen: unknown[] = [];
    let [part, now] = [0, 0];
    t.mock.method(performance, "now", () => now);
    respond = () =>
      new Response(
        new ReadableStream(
          {
            pull(stream) {
              now = 120 * part; // Each part after the first comes when the next report is due.
              if (stop.signal.aborted) stream.error(new Error("aborted"));
              else stream.enqueue(new TextEncoder().encode(`${part++};`));
            },
          },
          { highWaterMark: 0 },
        ),
      );
    const progress = (soFar: ReceivedResponse): void => {
      seen.push(plain(soFar));
      if (seen.length === 2) stop.abort();
    };
    const got = await send(request, "dev-3", { signal: stop.signal, progress });
    assert.deepEqual(seen, [
      { ...head, state: "arriving", text: "0;1;" },
      { ...head, state: "arriving", text: "0;1;2;" },
    ]);
    assert.deepEqual(plain(got), { ...head, state: "stopped", text: "0;1;2;" });
  });

  test("reports the head of a response whose body does not come", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const stop = new AbortController();
    respond = () => {
      setImmediate(() => t.mock.timers.tick(100));
      return new Response(
        new ReadableStream({
          pull: () =>
            new Promise((_, reject) => stop.signal.addEventListener("abort", () => reject(new Error("aborted")))),
        }),
        { status: 206 },
      );
    };
    const seen: unknown[] = [];
    const progress = (soFar: ReceivedResponse): void => {
      seen.push(plain(soFar));
      stop.abort();
    };
    await send(request, "dev-8", { signal: stop.signal, progress });
    assert.deepEqual(seen, [{ ...head, status: 206, state: "arriving", text: "" }]);
  });

  test("lists the events of a stream with their times, and reports the last one before a pause", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    let now = 0;
    t.mock.method(performance, "now", () => now);
    const stop = new AbortController();
    let part = 0;
    respond = () =>
      new Response(
        new ReadableStream({
          pull(stream) {
            now += 5;
            if (part++ < 2) return stream.enqueue(new TextEncoder().encode(`data: ${part}\n\n`));
            setImmediate(() => t.mock.timers.tick(100));
            return new Promise((_, reject) =>
              stop.signal.addEventListener("abort", () => reject(new Error("aborted"))),
            );
          },
        }),
        { headers: { "Content-Type": "text/event-stream" } },
      );
    const seen: unknown[] = [];
    const got = await send(request, "dev-7", {
      signal: stop.signal,
      progress: ({ state, stream }) => {
        seen.push([state, stream?.count]);
        stop.abort();
      },
    });
    assert.deepEqual(seen, [["arriving", 2]]);
    assert.deepEqual(
      got.stream?.items.map(({ number, name, text, time }) => [number, name, text, time]),
      [
        [1, "message", "1", "+10.0 ms"],
        [2, "message", "2", "+15.0 ms"],
      ],
    );
  });

  test("keeps the part before the connection broke off", async () => {
    let part = 0;
    respond = () =>
      new Response(
        new ReadableStream({
          pull(stream) {
            if (part++ === 0) stream.enqueue(new TextEncoder().encode("half"));
            else stream.error(new TypeError("network error"));
          },
        }),
      );
    assert.deepEqual(plain(await send(request, "dev-4", options)), { ...head, state: "broken off", text: "half" });
  });

  test("stops reading when the page could not hold any more", async () => {
    const chunk = new Uint8Array(MAX_BODY / 4 + 1);
    respond = () => new Response(new ReadableStream({ pull: (stream) => stream.enqueue(chunk) }));
    const got = await send(request, "dev-5", options);
    assert.deepEqual([got.state, got.bytes.length], ["too long", 4 * chunk.length]);
  });

  test("rethrows the error of fetch when there is no response", async () => {
    respond = () => {
      throw new TypeError("Failed to fetch");
    };
    await assert.rejects(send(request, "dev-6", options), new TypeError("Failed to fetch"));
  });
});
