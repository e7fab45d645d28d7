/**
 * createStore: what the page does, without a page. The source is a hand-driven stand-in for the network.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { BeanGraph, RouteInfo, Trace } from "../../wire.ts";
import type { Listener } from "../runs/source.ts";
import { callOf, graphOf, traceOf } from "../testing/fixtures.ts";
import type { OutgoingRequest, ReceivedResponse, SendOptions } from "../request/receive.ts";
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
  /** How often the list was asked for alone. */
  readonly asked: () => number;
  readonly tell: () => Listener | undefined;
}

interface Props {
  readonly graph?: BeanGraph;
  readonly traces?: Trace[];
  readonly onSend?: (stage: Stage, id: string, options: SendOptions) => ReceivedResponse;
  readonly session?: Storage;
  readonly down?: { now: boolean };
}

async function stage(props: Props = {}): Promise<Stage> {
  Object.assign(globalThis, { document: { documentElement: { dataset: {} } }, location: { hash: "" } });
  const sent: Stage["sent"] = [];
  const kept = props.traces ?? [];
  let asked = 0;
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
      load: async () => {
        if (props.down?.now === true) throw new Error("Failed to fetch");
        return { graph: props.graph ?? graph, routes, traces: kept };
      },
      requests: async () => {
        asked += 1;
        return kept;
      },
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
    asked: () => asked,
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

  test("leaves the graph and the editor alone when traffic arrives", async () => {
    const { store, hear, frame } = await stage({ traces: [run(1)] });
    store.selectRoute("POST /x");
    hear(traceOf([callOf(0, null, "Web")], { sequence: 2, method: "POST", route: "/x", startedAt: 2 }));
    frame();
    const [reach, draft] = [store.reach.value, store.draft.value];
    hear(
      traceOf([callOf(0, null, "Web")], {
        sequence: 3,
        method: "POST",
        route: "/x",
        startedAt: 3,
        request: { pathParams: {}, query: { a: ["1"] }, headers: {}, body: null },
      }),
    );
    frame();
    assert.equal(store.traces.value.length, 3);
    assert.equal(store.reach.value, reach);
    assert.equal(store.draft.value, draft);
  });

  test("shows a response while it arrives, and keeps it when the user stops", async () => {
    const part: ReceivedResponse = { ...answer, state: "arriving" };
    const seen: unknown[] = [];
    const { store } = await stage({
      onSend: (s, _, { progress, signal }) => {
        progress(part);
        seen.push(s.store.exchange.value?.response, s.store.sending.value);
        s.store.stop();
        seen.push(signal.aborted);
        return { ...answer, state: "stopped" };
      },
    });
    store.selectRoute("POST /x");
    await store.send();
    assert.deepEqual(seen, [part, true, true]);
    assert.deepEqual([store.exchange.value?.response?.state, store.sending.value], ["stopped", false]);
  });

  test("says that it was stopped when there was no answer yet", async () => {
    const { store } = await stage({
      onSend: (s) => {
        s.store.stop();
        throw new DOMException("aborted", "AbortError");
      },
    });
    store.selectRoute("POST /x");
    await store.send();
    assert.equal(store.exchange.value?.failure, "You stopped it before the application answered");
  });

  test("finds the run of its own request while paused", async () => {
    const { store } = await stage({
      onSend: (s, id) => {
        s.hear(run(8, { correlationId: "another" }));
        s.hear(run(9, { correlationId: id }));
        return answer;
      },
    });
    store.setPaused(true);
    store.selectRoute("POST /x");
    await store.send();
    assert.deepEqual(
      store.traces.value.map((t) => t.sequence),
      [9],
    );
    assert.equal(store.traceId.value, "i1.9");
  });

  test("counts the runs that nobody kept while it was not listening", async () => {
    const { store, kept, tell } = await stage({ traces: [run(1)] });
    kept.push(run(40), run(41));
    kept.shift();
    tell()?.gap();
    await new Promise((done) => setImmediate(done));
    assert.equal(store.missed.value, 38);
    tell()?.gap();
    await new Promise((done) => setImmediate(done));
    assert.equal(store.missed.value, 38);
    store.clearHistory();
    assert.equal(store.missed.value, 0);
  });

  test("counts the runs of a new process that were over before it listened again", async () => {
    const { store, kept, tell } = await stage({ traces: [run(1)] });
    kept.splice(0, 1, run(31, { instance: "i2" }), run(32, { instance: "i2" }));
    tell()?.gap();
    await new Promise((done) => setImmediate(done));
    assert.equal(store.missed.value, 30);
  });

  test("asks for graph and routes again when the stream is back: it may be a new process", async () => {
    const { store, kept, tell } = await stage();
    tell()?.online(true);
    tell()?.online(false);
    assert.equal(store.online.value, false);
    kept.push(run(1, { instance: "i2" }));
    tell()?.online(true);
    await new Promise((done) => setImmediate(done));
    assert.deepEqual(
      [store.online.value, store.traces.value.map((t) => t.instance), store.missed.value],
      [true, ["i2"], 0],
    );
  });

  test("says that the application is down when its stream ends, keeps what it has, and recovers", async () => {
    const down = { now: false };
    const { store, tell } = await stage({ traces: [run(1)], down });
    tell()?.online(true);
    down.now = true;
    tell()?.online(false);
    await new Promise((done) => setImmediate(done));
    assert.deepEqual([store.failure.value, store.traces.value.length], ["Failed to fetch", 1]);
    down.now = false;
    tell()?.online(true);
    await new Promise((done) => setImmediate(done));
    assert.equal(store.failure.value, null);
  });

  test("says nothing of the application when only the stream is lost", async () => {
    const { store, tell } = await stage();
    tell()?.online(false);
    await new Promise((done) => setImmediate(done));
    assert.deepEqual([store.failure.value, store.online.value], [null, false]);
  });

  test("asks once for gaps that come while it waits, and once more for those that come while it asks", async () => {
    const { tell, asked } = await stage();
    for (let gap = 0; gap < 5; gap += 1) tell()?.gap();
    await Promise.resolve();
    assert.equal(asked(), 1);
    for (let gap = 0; gap < 5; gap += 1) tell()?.gap();
    await new Promise((done) => setImmediate(done));
    assert.equal(asked(), 2);
  });

  test("leaves out what is not a trace", async () => {
    const { store, frame, tell } = await stage();
    tell()?.trace("{");
    frame();
    assert.deepEqual(store.traces.value, []);
  });

  test("compares two marked runs and keeps them when others are dropped", async () => {
    const other = traceOf([callOf(0, null, "Web"), callOf(1, 0, "Repo")], { sequence: 2, startedAt: 2 });
    const { store, hear, frame } = await stage({ traces: [run(1), other] });
    store.mark("a", run(1));
    assert.deepEqual([store.comparing.value, store.detail.value], [null, "response"]);
    store.mark("b", other);
    assert.equal(store.detail.value, "compare");
    const sides = (): unknown => [...store.boldEdges.value].map(([key, edge]) => [key, edge.side]);
    assert.deepEqual(sides(), [
      ["entry>Web", "both"],
      ["Web>Service", "a"],
      ["Web>Repo", "b"],
    ]);
    for (let i = 10; i < 130; i++) hear(run(i));
    frame();
    assert.equal(store.comparing.value?.a.sequence, 1);
    store.swapMarks();
    assert.equal(store.comparing.value?.a.sequence, 2);
    store.mark("b", other);
    assert.deepEqual(store.marks.value, { a: null, b: "i1.2" });
    store.clearMarks();
    assert.deepEqual([store.marks.value, store.detail.value], [{ a: null, b: null }, "response"]);
  });

  test("unmarks a run that is marked again", async () => {
    const { store } = await stage({ traces: [run(1)] });
    store.mark("a", run(1));
    store.mark("a", run(1));
    assert.deepEqual(store.marks.value, { a: null, b: null });
  });

  test("saves a run and opens it again on the graph it ran in", async () => {
    const first = await stage({ traces: [run(1)] });
    assert.equal(first.store.savedRun(), undefined);
    first.store.selectTrace(run(1));
    const text = first.store.savedRun() ?? "";
    const { store } = await stage({ graph: graphOf({ New: [] }) });
    await store.openRun({ name: "run.json", text: async () => text });
    assert.deepEqual(
      [store.traceId.value, [...store.beans.value.keys()]],
      ["i1.1", ["Web", "Service", "Repo", "Other"]],
    );
    assert.deepEqual([...store.boldEdges.value.keys()], ["entry>Web", "Web>Service"]);
    store.clearHistory();
    assert.equal(store.trace.value?.sequence, 1);
    store.selectRoute("POST /x");
    assert.deepEqual([...store.beans.value.keys()], ["New"]);
  });

  test("says why a file is no run", async () => {
    const { store } = await stage();
    await store.openRun({ name: "notes.txt", text: async () => "hello" });
    assert.equal(store.notice.value, "notes.txt: The file is not JSON.");
  });

  test("follows a redirect to a route of the application", async () => {
    const { store, sent } = await stage();
    const from = traceOf([], { method: "POST", path: "/x", status: 303 });
    await store.follow(from, "/x/7?a=1");
    assert.deepEqual(sent.at(-1)?.request, { method: "GET", url: "/x/7?a=1", headers: [], body: undefined });
    assert.equal(store.routeId.value, "GET /x/{id}");
  });

  test("repeats method and body where the redirect says so", async () => {
    const { store, sent } = await stage();
    const request = { pathParams: {}, query: {}, headers: {}, body: { n: 1 } };
    await store.follow(traceOf([], { method: "POST", path: "/a/b", status: 307, request }), "../x");
    assert.deepEqual([sent.at(-1)?.request.method, sent.at(-1)?.request.body], ["POST", '{\n  "n": 1\n}']);
  });

  test("does not go where no route of the application is", async () => {
    const { store, sent } = await stage();
    for (const target of ["https://elsewhere.example/x/7", "/nowhere", "http://[", "javascript:alert(1)"]) {
      await store.follow(traceOf([], { status: 302 }), target);
      assert.equal(store.notice.value, `No route of this application answers GET ${target}.`);
    }
    assert.deepEqual(sent, []);
  });

  test("says that a link points at a route it does not have, and that a run has no route to edit", async () => {
    const { store } = await stage();
    store.openLink("#route=GET+%2Fgone");
    assert.match(store.notice.value ?? "", /GET \/gone, which this application does not have/);
    store.editRun(traceOf([], { route: null }));
    assert.match(store.notice.value ?? "", /belongs to no route/);
  });
});
