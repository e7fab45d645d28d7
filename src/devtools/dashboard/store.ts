/**
 * The page's one store: signals that views read (state.ts), and the actions that change them.
 *
 *   Source ──▶ store (signals) ──▶ views ──▶ actions ──▶ store
 *
 * Views never fetch. Traces are taken in once a frame and at most 200 wait, so a flood of them costs
 * a constant amount; while paused they wait unseen.
 */

import { batch, computed, effect } from "@preact/signals";
import type { Trace } from "../wire.ts";
import { draftProblems, exampleDraft, routeKey, toRequest } from "./editor-model.ts";
import type { Draft } from "./editor-model.ts";
import { mergeTraces, traceKey } from "./history.ts";
import { formatLink, parseLink } from "./link.ts";
import { createState, derive, DRAFTS_KEY, FOCUS_KEY } from "./state.ts";
import type { Exchange, State, Surroundings, View } from "./state.ts";
import { remember, THEME_KEY } from "./storage.ts";
import type { Theme } from "./tokens.ts";

const MAX_WAITING = 200;
const MAX_EXCHANGES = 100;
const TRACE_WAIT_MS = 1_000;

/** Makes the store. Nothing is fetched before `start`. */
export function createStore(around: Surroundings) {
  const state = createState(around);
  const view = derive(state);
  const intake = createIntake(state, around);
  const selection = createSelection(state);
  const drafting = createDrafting(state, view, around);
  const { source } = around;
  const load = async (): Promise<void> => {
    try {
      const data = await source.load();
      batch(() => {
        state.graph.value = data.graph;
        state.routes.value = data.routes;
        intake.put(data.traces);
        state.failure.value = null;
        state.loaded.value = true;
      });
    } catch (error) {
      state.failure.value = error instanceof Error ? error.message : String(error);
    }
  };
  const catchUp = async (): Promise<void> => {
    try {
      intake.take(await source.requests());
    } catch {
      state.online.value = false;
    }
  };
  const send = createSend(state, view, around, { catchUp, ...drafting, ...selection });
  const start = (): (() => void) => {
    void load().then(() => selection.openLink(location.hash));
    effect(() => {
      document.documentElement.dataset["theme"] = state.theme.value;
    });
    return source.listen({
      trace: (trace) => intake.take([trace]),
      gap: () => void catchUp(),
      online: (online) => {
        if (online && (state.failure.value !== null || state.online.value === false)) void load();
        state.online.value = online;
      },
    });
  };
  return {
    ...state,
    ...view,
    ...selection,
    ...drafting,
    ...createChoices(state, around),
    load,
    start,
    send,
    setPaused: (paused: boolean) => {
      state.paused.value = paused;
      if (!paused) intake.flush();
    },
  };
}

/** The store of a page. */
export type Store = ReturnType<typeof createStore>;

function createDrafting(state: State, view: View, around: Surroundings) {
  const setDraft = (change: Partial<Draft>): void => {
    const { route } = state;
    const draft = view.draft.value;
    if (route.value === null || draft === null) return;
    state.drafts.value = { ...state.drafts.value, [routeKey(route.value)]: { ...draft, ...change } };
    remember(around.session, DRAFTS_KEY, state.drafts.value);
  };
  const resetDraft = (): void => {
    const { route } = state;
    if (route.value !== null) setDraft(view.exampleOf(route.value));
  };
  const editRun = (trace: Trace): void => {
    const route = state.routes.value.find((r) => r.method === trace.method && r.path === trace.route);
    if (route === undefined) return;
    batch(() => {
      state.routeId.value = routeKey(route);
      setDraft(exampleDraft(route, trace));
    });
  };
  return { setDraft, resetDraft, editRun };
}

/** Choices that stay: theme, "Only reachable", pins, a cleared history. */
function createChoices(state: State, around: Surroundings) {
  return {
    setTheme: (theme: Theme): void => {
      state.theme.value = theme;
      remember(around.local, THEME_KEY, theme);
    },
    setOnlyReachable: (only: boolean): void => {
      state.onlyReachable.value = only;
      remember(around.local, FOCUS_KEY, only);
    },
    togglePin: (key: string): void => {
      const pinned = new Set(state.pinned.value);
      if (!pinned.delete(key)) pinned.add(key);
      state.pinned.value = pinned;
    },
    clearHistory: (): void =>
      batch(() => {
        state.clearedAt.value = Math.max(0, ...state.traces.value.map((t) => t.startedAt));
        state.traces.value = state.traces.value.filter((t) => state.pinned.value.has(traceKey(t)));
        if (state.trace.value === null) state.traceId.value = null;
      }),
  };
}

/** Takes traces in: one flush a frame, at most MAX_WAITING waiting, none shown while paused. */
function createIntake(state: State, around: Surroundings) {
  let waiting: Trace[] = [];
  let asked = false;
  const put = (fresh: readonly Trace[]): void => {
    const keep = new Set(state.pinned.value);
    if (state.traceId.value !== null) keep.add(state.traceId.value);
    const shown = fresh.filter((trace) => trace.startedAt > state.clearedAt.value);
    state.traces.value = mergeTraces(state.traces.value, shown, keep);
  };
  const flush = (): void => {
    asked = false;
    if (state.paused.value) {
      state.waiting.value = waiting.length;
      return;
    }
    if (waiting.length === 0) return;
    const fresh = waiting;
    waiting = [];
    batch(() => {
      state.waiting.value = 0;
      put(fresh);
    });
  };
  const take = (traces: readonly Trace[]): void => {
    waiting.push(...traces);
    if (waiting.length > MAX_WAITING) waiting = waiting.slice(-MAX_WAITING);
    if (asked) return;
    asked = true;
    around.nextFrame(flush);
  };
  return { put, take, flush };
}

function createSelection(state: State) {
  const selectRoute = (key: string): void =>
    batch(() => {
      state.routeId.value = key;
      state.traceId.value = null;
      state.exchangeId.value = null;
      state.notice.value = null;
      state.step.value = null;
      if (state.detail.value !== "node" || state.bean.value === null) state.detail.value = "response";
    });
  const selectTrace = (trace: Trace): void =>
    batch(() => {
      state.traceId.value = traceKey(trace);
      const key = trace.route === null ? null : `${trace.method} ${trace.route}`;
      const known = state.routes.value.some((r) => routeKey(r) === key);
      const byGet = trace.method === "HEAD" && trace.route !== null ? `GET ${trace.route}` : null;
      state.routeId.value = known ? key : byGet;
      state.notice.value = null;
      state.step.value = null;
      state.callId.value = null;
      state.replays.value++;
    });
  const selectBean = (id: string | null, callId: number | null = null): void =>
    batch(() => {
      state.bean.value = id;
      state.callId.value = callId;
      if (id !== null) state.detail.value = "node";
    });
  const setStep = (step: number | null): void => {
    const total = state.path.value?.steps.length ?? 0;
    state.step.value = step === null ? null : Math.max(0, Math.min(total, step));
  };
  const replay = (): void =>
    batch(() => {
      state.step.value = null;
      state.replays.value++;
    });
  const openLink = (hash: string): void => {
    const link = parseLink(hash);
    batch(() => {
      if (link.route !== null && state.routes.value.some((r) => routeKey(r) === link.route)) selectRoute(link.route);
      const trace = state.traces.value.find((t) => traceKey(t) === link.trace);
      if (trace !== undefined) selectTrace(trace);
      else if (link.trace !== null)
        state.notice.value = `Run ${link.trace} is no longer kept: only the last 100 are. Send the request again to see its path.`;
      if (link.bean !== null && state.beans.value.has(link.bean)) selectBean(link.bean);
    });
  };
  const link = computed(() =>
    formatLink({ route: state.routeId.value, trace: state.traceId.value, bean: state.bean.value }),
  );
  return { selectRoute, selectTrace, selectBean, setStep, replay, openLink, link };
}

interface SendTools {
  readonly catchUp: () => Promise<void>;
  readonly setDraft: (change: Partial<Draft>) => void;
  readonly selectTrace: (trace: Trace) => void;
}

/** Send: fire, show the response, then wait for the trace that carries our correlation id. */
function createSend(state: State, view: View, around: Surroundings, tools: SendTools) {
  const put = (exchange: Exchange): void => {
    const others = state.exchanges.value.filter((e) => e.correlationId !== exchange.correlationId);
    state.exchanges.value = [exchange, ...others].slice(0, MAX_EXCHANGES);
    state.exchangeId.value = exchange.correlationId;
  };
  const traceOf = (id: string): Trace | undefined => state.traces.value.find((t) => t.correlationId === id);
  const awaitTrace = async (id: string): Promise<Trace | undefined> => {
    for (let waited = 0; waited < TRACE_WAIT_MS && traceOf(id) === undefined; waited += 25) await around.wait(25);
    if (traceOf(id) === undefined) {
      await tools.catchUp();
      await around.wait(50);
    }
    return traceOf(id);
  };
  return async (): Promise<void> => {
    const [route, draft] = [state.route.value, view.draft.value];
    if (route === null || draft === null || state.sending.value || draftProblems(route, draft).length > 0) return;
    const exchange: Exchange = { correlationId: around.newId(), route: routeKey(route) };
    tools.setDraft({});
    state.sending.value = true;
    try {
      const response = await around.source.send(toRequest(route, draft), exchange.correlationId);
      batch(() => {
        state.traceId.value = null;
        state.detail.value = "response";
        put({ ...exchange, response });
      });
      const trace = await awaitTrace(exchange.correlationId);
      if (trace !== undefined) tools.selectTrace(trace);
      else
        put({
          ...exchange,
          response,
          notice:
            "No trace of this request arrived, so there is no path to draw. Is the recorder installed in this process?",
        });
    } catch (error) {
      batch(() => {
        state.traceId.value = null;
        put({ ...exchange, failure: error instanceof Error ? error.message : String(error) });
      });
    } finally {
      state.sending.value = false;
    }
  };
}
