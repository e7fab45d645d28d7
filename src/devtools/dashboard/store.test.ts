/**
 * createStore: what the page does, without a page. The source is a hand-driven stand-in for the network.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { BeanGraph, RouteInfo, Trace } from "../wire.ts";
import type { Listener } from "./api.ts";
import type { OutgoingRequest } from "./editor-model.ts";
import { callOf, graphOf, traceOf } from "./fixtures.ts";
import type { ReceivedResponse, SendOptions } from "./receive.ts";
import { createStore } from "./store.ts";
import type { Store } from "./store.ts";

const routes: RouteInfo[] = [
  { method: "GET", path: "/x/{id}", pathParams: ["id"], beans: ["Web"] },
  { method: "POST", path: "/x", pathParams: [], beans: [] },
];
const graph = graphOf({ Web: ["Service"], Service: ["Repo"], Repo: [], Other: [] });
const answer: ReceivedResponse = { status: 200, statusText: "OK", headers: [], bytes: new Uint8Array(), durationUs: 9 };

function memory(): Storage {
  const values = new Map<string, string>();
  return {
    get length() {
      return values.size;
    },
    clear: () => values.clear(),
    key: () => null,
    getItem: (k) => values.get(k) ?? null,
    removeItem: (k) => values.delete(k),
    setItem: (k, v) => void values.set(k, v),
  };
}

interface Stage {
  readonly store: Store;
  readonly sent: { request: OutgoingRequest; id: string }[];
  readonly hear: (trace: Trace) => void;
  readonly frame: () => void;
  readonly kept: Trace[];
  readonly tell: () => Listener | undefined;
}

interface Props {
  readonly graph?: BeanGraph;
  readonly traces?: Trace[];
  readonly onSend?: (stage: Stage, id: string, options: SendOptions) => ReceivedResponse;
  readonly session?: Storage;
}

async function stage(props: Props = {}): Promise<Stage> {
  Object.assign(globalThis, { document: { documentElement: { dataset: {} } }, location: { hash: "" } });
  const sent: Stage["sent"] = [];
  const kept = props.traces ?? [];
  let listener: Listener | undefined;
  let pending: (() => void)[] = [];
  const frame = (): void => {
    const due = pending;
    pending = [];
    for (const run of due) run();
  };
  const session = props.session ?? memory();
  const local = memory();
  const store = createStore({
    source: {
      load: async () => ({ graph: props.graph ?? graph, routes, traces: kept }),
      requests: async () => kept,
      send: async (request, id, options) => {
        sent.push({ request, id });
        return props.onSend?.(result, id, options) ?? answer;
      },
      listen: (l) => {
        listener = l;
        return () => undefined;
      },
    },
    nextFrame: (run) => void pending.push(run),
    wait: async () => frame(),
    newId: () => `dev-${sent.length + 1}`,
    systemTheme: () => "dark",
    local: () => local,
    session: () => session,
  });
  const result: Stage = {
    store,
    sent,
    kept,
    frame,
    hear: (trace) => listener?.trace(JSON.stringify(trace)),
    tell: () => listener,
  };
  store.start();
  await store.load();
  return result;
}

const run = (sequence: number, more: Partial<Trace> = {}): Trace =>
  traceOf([callOf(0, null, "Web"), callOf(1, 0, "Service")], { sequence, startedAt: sequence, ...more });

describe("createStore", () => {
  test("shows what a route can reach, and no path before a run", async () => {
    const { store } = await stage();
    store.selectRoute("GET /x/{id}");
    assert.deepEqual([...(store.reach.value ?? [])], ["Web", "Service", "Repo"]);
    assert.equal(store.path.value, null);
  });

  test("sends the draft and selects the trace that carries its correlation id", async () => {
    const { store, sent } = await stage({
      onSend: (s, id) => {
        s.hear(run(7, { correlationId: "someone-else" }));
        s.hear(run(8, { correlationId: id }));
        return answer;
      },
    });
    store.selectRoute("GET /x/{id}");
    store.setDraft({ params: { id: "5" } });
    await store.send();
    assert.deepEqual(sent, [{ request: { method: "GET", url: "/x/5", headers: [], body: undefined }, id: "dev-1" }]);
    assert.equal(store.traceId.value, "i1.8");
    assert.deepEqual(store.exchange.value?.response, answer);
    assert.deepEqual([...(store.path.value?.edges.keys() ?? [])], ["entry>Web", "Web>Service"]);
  });

  test("asks the list when the stream stays silent", async () => {
    const { store } = await stage({
      onSend: (s, id) => {
        s.kept.push(run(3, { correlationId: id }));
        return answer;
      },
    });
    store.selectRoute("POST /x");
    await store.send();
    assert.equal(store.traceId.value, "i1.3");
  });

  test("keeps the response and says so when no trace comes", async () => {
    const { store } = await stage();
    store.selectRoute("POST /x");
    await store.send();
    assert.equal(store.traceId.value, null);
    assert.deepEqual(store.exchange.value?.response, answer);
    assert.match(store.exchange.value?.notice ?? "", /No trace/);
  });

  test("says why a request failed", async () => {
    const { store } = await stage({
      onSend: () => {
        throw new TypeError("Failed to fetch");
      },
    });
    store.selectRoute("POST /x");
    await store.send();
    assert.deepEqual([store.exchange.value?.failure, store.sending.value], ["Failed to fetch", false]);
  });

  test("sends nothing while a path parameter is missing", async () => {
    const { store, sent } = await stage();
    store.selectRoute("GET /x/{id}");
    await store.send();
    assert.deepEqual(sent, []);
  });

  test("keeps each route's draft over switching and reloading", async () => {
    const session = memory();
    const { store } = await stage({ session });
    store.selectRoute("GET /x/{id}");
    store.setDraft({ query: "a=1" });
    store.selectRoute("POST /x");
    store.selectRoute("GET /x/{id}");
    assert.equal(store.draft.value?.query, "a=1");
    const again = await stage({ session });
    again.store.selectRoute("GET /x/{id}");
    assert.equal(again.store.draft.value?.query, "a=1");
    again.store.resetDraft();
    assert.equal(again.store.draft.value?.query, "");
  });

  test("takes traces in once a frame, newest first, none while paused, 200 waiting at most", async () => {
    const { store, hear, frame } = await stage();
    hear(run(1));
    hear(run(2));
    assert.deepEqual(store.traces.value.length, 0);
    frame();
    assert.deepEqual(
      store.traces.value.map((t) => t.sequence),
      [2, 1],
    );
    store.setPaused(true);
    for (let i = 3; i < 303; i++) hear(run(i));
    frame();
    assert.deepEqual([store.traces.value.length, store.waiting.value], [2, 200]);
    store.setPaused(false);
    assert.deepEqual([store.traces.value.length, store.traces.value[0]?.sequence, store.waiting.value], [100, 302, 0]);
  });

  test("draws the path up to the step, and whole again on replay", async () => {
    const { store } = await stage({ traces: [run(1)] });
    store.selectTrace(run(1));
    store.setStep(1);
    assert.deepEqual([...(store.shownPath.value?.edges.keys() ?? [])], ["entry>Web"]);
    store.replay();
    assert.deepEqual([...(store.shownPath.value?.edges.keys() ?? [])], ["entry>Web", "Web>Service"]);
  });

  test("enters the graph where runs were seen to, until the route knows", async () => {
    const { store } = await stage({ traces: [traceOf([callOf(0, null, "Service")], { method: "POST", route: "/x" })] });
    store.selectRoute("POST /x");
    assert.deepEqual(store.entries.value, ["Service"]);
  });

  test("lays out only what is reachable above 60 beans, unless told otherwise", async () => {
    const many = graphOf(Object.fromEntries([["Web", ["B0"]], ...Array.from({ length: 60 }, (_, i) => [`B${i}`, []])]));
    const { store } = await stage({ graph: many });
    assert.equal(store.shown.value.length, 61);
    store.selectRoute("GET /x/{id}");
    assert.deepEqual(store.shown.value, ["Web", "B0"]);
    store.setOnlyReachable(false);
    assert.equal(store.shown.value.length, 61);
  });

  test("follows a deep link and says when its run is gone", async () => {
    const { store } = await stage({ traces: [run(4)] });
    store.openLink("#trace=i1.4&bean=Repo");
    assert.deepEqual(
      [store.routeId.value, store.traceId.value, store.bean.value, store.link.value],
      ["GET /x/{id}", "i1.4", "Repo", "#route=GET+%2Fx%2F%7Bid%7D&trace=i1.4&bean=Repo"],
    );
    store.openLink("#trace=i0.9");
    assert.match(store.notice.value ?? "", /i0\.9 is no longer kept/);
  });

  test("keeps pinned runs when history is cleared", async () => {
    const { store } = await stage({ traces: [run(1), run(2)] });
    store.togglePin("i1.1");
    store.clearHistory();
    assert.deepEqual(
      store.traces.value.map((t) => t.sequence),
      [1],
    );
    await store.load();
    assert.deepEqual(
      store.traces.value.map((t) => t.sequence),
      [1],
    );
  });

  test("shows no earlier response of ours beside a run that came from elsewhere", async () => {
    const { store } = await stage({ traces: [run(1)] });
    store.selectRoute("POST /x");
    await store.send();
    store.selectTrace(run(1));
    assert.equal(store.exchange.value, null);
  });

  test("remembers the theme and fills the editor from a run", async () => {
    const { store } = await stage({ traces: [run(1)] });
    store.setTheme("light");
    assert.equal(document.documentElement.dataset["theme"], "light");
    store.editRun(run(1));
    assert.deepEqual([store.routeId.value, store.draft.value?.params], ["GET /x/{id}", { id: "1" }]);
  });
});
