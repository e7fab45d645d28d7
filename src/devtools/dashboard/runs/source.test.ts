/**
 * liveSource: what goes to the application, and how the stream is kept.
 */

import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { FakeDocument, FakeEventSource, setGlobals } from "../testing/fake-page.ts";
import { traceOf } from "../testing/fixtures.ts";
import { liveSource } from "./source.ts";

interface Asked {
  readonly url: string;
  readonly init: RequestInit;
}

const source = liveSource("/shop/framework/dev");
let restore = (): void => undefined;
let asked: Asked[] = [];
let answer: (url: string) => Response = () => new Response();
let document = new FakeDocument();

beforeEach(() => {
  asked = [];
  FakeEventSource.opened.length = 0;
  document = new FakeDocument();
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    asked.push({ url, init });
    return answer(url);
  };
  restore = setGlobals({ fetch, document, EventSource: FakeEventSource });
});
afterEach(() => restore());

describe("load", () => {
  test("asks for graph, routes and runs, past every cache", async () => {
    answer = (url) => Response.json([url.split("/").at(-1)]);
    assert.deepEqual(await source.load(), { graph: ["graph"], routes: ["routes"], traces: ["requests"] });
    assert.deepEqual(await source.requests(), ["requests"]);
    const paths = ["graph", "routes", "requests", "requests"].map((name) => `/shop/framework/dev/api/${name}`);
    assert.deepEqual(
      asked,
      paths.map((url) => ({ url, init: { cache: "no-store" } })),
    );
  });

  test("says what was answered when it was no success", async () => {
    answer = () => new Response("", { status: 403 });
    await assert.rejects(source.requests(), new Error("/shop/framework/dev/api/requests answered 403"));
  });
});

/** What a listener heard, in order; and the streams. */
function listening(): { heard: unknown[]; stop: () => void; last: () => FakeEventSource } {
  const heard: unknown[] = [];
  const stop = source.listen({
    trace: (trace) => heard.push(trace),
    gap: () => heard.push("gap"),
    online: (online) => heard.push(online),
  });
  const last = (): FakeEventSource => {
    const stream = FakeEventSource.opened.at(-1);
    assert.ok(stream);
    return stream;
  };
  return { heard, stop, last };
}

describe("listen", () => {
  test("tells of runs, of gaps, and that what came before is to be fetched", () => {
    const { heard, stop, last } = listening();
    const trace = traceOf([]);
    last().say("open");
    last().say("trace", trace);
    last().say("gap", {});
    assert.equal(last().url, "/shop/framework/dev/api/stream");
    assert.deepEqual(heard, [true, "gap", JSON.stringify(trace), "gap"]);
    stop();
    assert.equal(last().closed, true);
  });

  test("backs off up to 15 s while the application is down, and begins anew once it is there", (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const { heard, stop, last } = listening();
    const { opened } = FakeEventSource;
    for (const wait of [1_000, 2_000, 4_000, 8_000, 15_000, 15_000]) {
      const before = opened.length;
      last().say("error");
      assert.equal(last().closed, true);
      t.mock.timers.tick(wait - 1);
      assert.equal(opened.length, before, `before ${wait}`);
      t.mock.timers.tick(1);
      assert.equal(opened.length, before + 1, `after ${wait}`);
    }
    assert.deepEqual(heard, Array(6).fill(false));
    last().say("open");
    last().say("error");
    t.mock.timers.tick(1_000);
    assert.equal(opened.length, 8);
    last().say("error");
    stop();
    t.mock.timers.tick(60_000);
    assert.equal(opened.length, 8);
  });

  test("holds no connection while the tab is hidden", () => {
    document.turn("hidden");
    const { stop } = listening();
    const { opened } = FakeEventSource;
    assert.equal(opened.length, 0);
    document.turn("visible");
    assert.deepEqual(
      opened.map((stream) => stream.closed),
      [false],
    );
    document.turn("hidden");
    document.turn("visible");
    assert.deepEqual(
      opened.map((stream) => stream.closed),
      [true, false],
    );
    stop();
    document.turn("hidden");
    document.turn("visible");
    assert.deepEqual(
      opened.map((stream) => stream.closed),
      [true, true],
    );
  });
});
