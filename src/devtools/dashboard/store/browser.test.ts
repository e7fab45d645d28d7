/**
 * The page's store: bound to the page's own path, its tab, its storages and its clock.
 */

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { FakeDocument, FakeEventSource, memoryStorage, setGlobals } from "../testing/fake-page.ts";
import { graphOf, traceOf } from "../testing/fixtures.ts";
import { DRAFTS_KEY } from "./state.ts";
import { THEME_KEY } from "../page/storage.ts";

const [localStorage, sessionStorage, document] = [memoryStorage(), memoryStorage(), new FakeDocument()];
const asked: string[] = [];
const correlation: string[] = [];
const answers: Readonly<Record<string, unknown>> = {
  graph: graphOf({ Web: [] }),
  routes: [{ method: "POST", path: "/x", pathParams: [], beans: ["Web"] }],
  requests: [],
};
const say = (name: string, data?: unknown): void => FakeEventSource.opened.at(-1)?.say(name, data);

const restore = setGlobals({
  location: { pathname: "/shop/framework/dev//", hash: "" },
  document,
  localStorage,
  sessionStorage,
  EventSource: FakeEventSource,
  matchMedia: () => ({ matches: true }),
  requestAnimationFrame: (run: () => void) => setImmediate(run),
  fetch: async (url: string, init: RequestInit): Promise<Response> => {
    asked.push(url);
    const id = new Headers(init.headers).get("x-framework-dev");
    if (id === null) return Response.json(answers[url.split("/").at(-1) ?? ""]);
    correlation.push(id);
    say("trace", traceOf([], { sequence: correlation.length, method: "POST", route: "/x", correlationId: id }));
    return new Response("sent");
  },
});
after(restore);
const { store } = await import("./browser.ts");

describe("store", () => {
  test("begins with the system's theme and remembers the chosen one", () => {
    assert.equal(store.theme.value, "dark");
    store.setTheme("light");
    assert.equal(localStorage.getItem(THEME_KEY), '"light"');
  });

  test("asks the application that served the page", async () => {
    await store.load();
    assert.deepEqual(
      asked,
      ["graph", "routes", "requests"].map((name) => `/shop/framework/dev/api/${name}`),
    );
    assert.equal(store.loaded.value, true);
  });

  test("sends under a fresh id, waits for the run and keeps drafts for the session alone", async () => {
    const stop = store.start();
    store.selectRoute("POST /x");
    await store.send();
    await store.send();
    stop();
    assert.equal(store.exchange.value?.notice, undefined);
    assert.equal(store.trace.value?.correlationId, correlation[1]);
    for (const id of correlation) assert.match(id, /^dev-[0-9a-f]{16}$/);
    assert.equal(new Set(correlation).size, 2);
    assert.deepEqual([sessionStorage.getItem(DRAFTS_KEY) === null, localStorage.getItem(DRAFTS_KEY)], [false, null]);
  });

  test("changes lists ten times a second at most, the first time at once", async (t) => {
    const stop = store.start();
    const shows = (sequence: number): boolean => store.traces.value.some((trace) => trace.sequence === sequence);
    const frame = (): Promise<void> => new Promise((done) => setImmediate(done));
    await new Promise((done) => setTimeout(done, 110));
    t.mock.timers.enable({ apis: ["setTimeout"] });
    say("trace", traceOf([], { sequence: 70, startedAt: 70_000 }));
    await frame();
    say("trace", traceOf([], { sequence: 71, startedAt: 71_000 }));
    await frame();
    assert.deepEqual([shows(70), shows(71)], [true, false]);
    t.mock.timers.tick(100);
    await frame();
    assert.equal(shows(71), true);
    stop();
  });

  test("takes runs in without frames while the tab is hidden", (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const stop = store.start();
    document.visibilityState = "hidden";
    say("trace", traceOf([], { sequence: 77, startedAt: 77_000 }));
    t.mock.timers.tick(499);
    assert.equal(
      store.traces.value.some((trace) => trace.sequence === 77),
      false,
    );
    t.mock.timers.tick(1);
    assert.equal(
      store.traces.value.some((trace) => trace.sequence === 77),
      true,
    );
    stop();
  });
});
