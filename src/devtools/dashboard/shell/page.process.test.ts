/**
 * The slices of a page together, bound to the page's own path, its tab, its storages and its clock.
 */

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { THEME_KEY } from "../../run/graph/tokens.ts";
import { DRAFTS_KEY } from "../request/drafts.ts";
import { sendSlice } from "../request/send.ts";
import { liveSlice } from "../runs/live.ts";
import { applicationSlice } from "../store/application.ts";
import { selectionSlice } from "../store/selection.ts";
import { createUse } from "../store/slice.ts";
import { FakeDocument, FakeEventSource, memoryStorage, setGlobals } from "../testing/fake-page.ts";
import { graphOf, traceOf } from "../../run/traces.testkit.ts";
import { themeSlice } from "./theme.ts";

const [localStorage, sessionStorage, document] = [memoryStorage(), memoryStorage(), new FakeDocument()];
const requested: string[] = [];
const correlation: string[] = [];
const responses: Readonly<Record<string, unknown>> = {
  graph: graphOf({ Web: [] }),
  routes: [{ method: "POST", path: "/x", pathParams: [], beans: ["Web"] }],
  requests: [],
  panels: [],
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
    requested.push(url);
    const id = new Headers(init.headers).get("x-framework-dev");
    if (id === null) return Response.json(responses[url.split("/").at(-1) ?? ""]);
    correlation.push(id);
    say("trace", traceOf([], { sequence: correlation.length, method: "POST", route: "/x", correlationId: id }));
    return new Response("sent");
  },
});
after(restore);

const use = createUse();
const { loaded, traces } = use(applicationSlice);
const { selectRoute, trace: selected } = use(selectionSlice);
const { load, listen } = use(liveSlice);
const { send, exchange } = use(sendSlice);

describe("the page", () => {
  test("begins with the system's theme and remembers the chosen one", () => {
    const { theme, toggleTheme } = use(themeSlice);
    assert.equal(theme.value, "dark");
    toggleTheme();
    assert.deepEqual([theme.value, document.documentElement.dataset["theme"]], ["light", "light"]);
    assert.equal(localStorage.getItem(THEME_KEY), '"light"');
  });

  test("asks the application that served the page", async () => {
    await load();
    assert.deepEqual(
      requested,
      ["graph", "routes", "panels", "requests"].map((name) => `/shop/framework/dev/api/${name}`),
    );
    assert.equal(loaded.value, true);
  });

  test("sends under a fresh id, waits for the run and keeps drafts for the session alone", async () => {
    const stop = listen();
    selectRoute("POST /x");
    await send();
    await send();
    stop();
    assert.equal(exchange.value?.notice, undefined);
    assert.equal(selected.value?.correlationId, correlation[1]);
    for (const id of correlation) assert.match(id, /^dev-[0-9a-f]{16}$/);
    assert.equal(new Set(correlation).size, 2);
    assert.deepEqual([sessionStorage.getItem(DRAFTS_KEY) === null, localStorage.getItem(DRAFTS_KEY)], [false, null]);
  });

  test("changes lists ten times a second at most, the first time immediately", async (t) => {
    const stop = listen();
    const shows = (sequence: number): boolean => traces.value.some((trace) => trace.sequence === sequence);
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
    const stop = listen();
    document.visibilityState = "hidden";
    say("trace", traceOf([], { sequence: 77, startedAt: 77_000 }));
    t.mock.timers.tick(499);
    assert.equal(
      traces.value.some((trace) => trace.sequence === 77),
      false,
    );
    t.mock.timers.tick(1);
    assert.equal(
      traces.value.some((trace) => trace.sequence === 77),
      true,
    );
    stop();
  });
});
