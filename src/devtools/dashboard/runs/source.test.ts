/**
 * liveSource: the requests to the application, and how the stream is kept.
 */

import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { FakeDocument, FakeEventSource, setGlobals } from "../testing/fake-page.ts";
import { traceOf } from "../../run/traces.testkit.ts";
import { liveSource } from "./source.ts";

interface Call {
  readonly url: string;
  readonly init: RequestInit;
}

const source = liveSource("/shop/framework/dev");
let restore = (): void => undefined;
let calls: Call[] = [];
let respond: (url: string) => Response = () => new Response();
let document = new FakeDocument();

beforeEach(() => {
  calls = [];
  FakeEventSource.opened.length = 0;
  document = new FakeDocument();
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    calls.push({ url, init });
    return respond(url);
  };
  restore = setGlobals({ fetch, document, EventSource: FakeEventSource });
});
afterEach(() => restore());

describe("read", () => {
  test("requests an endpoint with a query, and rejects with the application's error", async () => {
    respond = (url) => Response.json({ url });
    assert.deepEqual(await source.read("search", { q: "a b&c" }), { url: "/shop/framework/dev/api/search?q=a+b%26c" });
    respond = () => Response.json({ detail: "limit is a whole number" }, { status: 400 });
    await assert.rejects(source.read("history"), { message: "limit is a whole number" });
    respond = () => new Response("", { status: 500 });
    await assert.rejects(source.read("runs/i.1"), { message: "/shop/framework/dev/api/runs/i.1 responded with 500" });
  });
});

describe("load", () => {
  test("requests graph, routes and panels, and runs, past every cache", async () => {
    respond = (url) => Response.json([url.split("/").at(-1)]);
    assert.deepEqual(await source.load(), { graph: ["graph"], routes: ["routes"], panels: ["panels"], mount: "/shop" });
    assert.deepEqual(await source.read("requests"), ["requests"]);
    assert.deepEqual(await source.read("panels/mail"), ["mail"]);
    const paths = ["graph", "routes", "panels", "requests", "panels/mail"].map(
      (name) => `/shop/framework/dev/api/${name}`,
    );
    assert.deepEqual(
      calls,
      paths.map((url) => ({ url, init: { cache: "no-store" } })),
    );
  });

  test("DASH-036: finds where a host has mounted the application", async () => {
    const mounted: Readonly<Record<string, readonly [contextPath: string | undefined, mount: string]>> = {
      "/framework/dev": ["", ""],
      "/api/framework/dev": ["", "/api"],
      "/api/shop/framework/dev": ["/shop", "/api"],
      "/shop/framework/dev": ["/shop", ""],
      "/old/framework/dev": [undefined, "/old"],
      "/elsewhere": ["", ""],
    };
    for (const [page, [contextPath, mount]] of Object.entries(mounted)) {
      const headers: HeadersInit = contextPath === undefined ? {} : { "X-Framework-Context-Path": contextPath };
      respond = () => Response.json([], { headers });
      assert.equal((await liveSource(page).load()).mount, mount, page);
    }
  });

  test("reports the status of a failed response", async () => {
    respond = () => new Response("", { status: 403 });
    await assert.rejects(source.read("requests"), new Error("/shop/framework/dev/api/requests responded with 403"));
  });
});

/** The events that a listener received, in order, and the streams. */
function listening(): { received: unknown[]; stop: () => void; last: () => FakeEventSource } {
  const received: unknown[] = [];
  const stop = source.listen({
    trace: (trace) => received.push(trace),
    started: (started) => received.push(`started ${started}`),
    gap: () => received.push("gap"),
    changed: () => received.push("changed"),
    online: (online) => received.push(online),
  });
  const last = (): FakeEventSource => {
    const stream = FakeEventSource.opened.at(-1);
    assert.ok(stream);
    return stream;
  };
  return { received, stop, last };
}

describe("listen", () => {
  test("reports runs, gaps, and that graph or routes have changed", () => {
    const { received, stop, last } = listening();
    const trace = traceOf([]);
    last().say("open");
    last().say("trace", trace);
    last().say("gap", {});
    last().say("graph", {});
    assert.equal(last().url, "/shop/framework/dev/api/stream");
    assert.deepEqual(received, [true, JSON.stringify(trace), "gap", "changed"]);
    stop();
    assert.equal(last().closed, true);
  });

  test("backs off up to 15 s while the application is down, and reconnects when it is there", (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const { received, stop, last } = listening();
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
    assert.deepEqual(received, Array(6).fill(false));
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
