/**
 * What the page knows: its signals, and what is computed from them. Actions are in store.ts.
 */

import { computed, signal } from "@preact/signals";
import type { ReadonlySignal } from "@preact/signals";
import type { BeanGraph, BeanNode, RouteInfo, Trace } from "../../wire.ts";
import type { Source } from "../runs/source.ts";
import { compareRuns } from "../compare/compare.ts";
import { exampleDraft } from "../request/draft.ts";
import type { Draft } from "../request/draft.ts";
import { ANY_RUN, filterTraces } from "../runs/history.ts";
import { reachable, tracePath } from "./path.ts";
import type { PathEdge } from "./path.ts";
import type { ReceivedResponse } from "../request/receive.ts";
import type { SavedRun } from "../runs/run-file.ts";
import { recall, THEME_KEY } from "../page/storage.ts";
import type { Theme } from "../page/tokens.ts";
import type { Side } from "../compare/sides.ts";
import { routeKey, traceKey } from "./keys.ts";

/** One Send of this page. */
export interface Exchange {
  readonly correlationId: string;
  readonly route: string;
  readonly response?: ReceivedResponse | undefined;
  /** Why there is no response. */
  readonly failure?: string | undefined;
  /** Why there is no trace. */
  readonly notice?: string | undefined;
}

/** What the store needs from its surroundings. */
export interface Surroundings {
  readonly source: Source;
  readonly nextFrame: (run: () => void) => void;
  readonly wait: (ms: number) => Promise<void>;
  readonly newId: () => string;
  readonly systemTheme: () => Theme;
  readonly local: () => Storage;
  readonly session: () => Storage;
}

/** Above this many beans the reachable part is laid out alone unless the user says otherwise. */
export const MANY_BEANS = 60;
/** Where drafts are remembered. */
export const DRAFTS_KEY = "framework-dev.drafts";
/** Where "Only reachable" is remembered. */
export const FOCUS_KEY = "framework-dev.only-reachable";

const isObject = (value: unknown): value is Record<string, Draft> => typeof value === "object" && value !== null;
const isTheme = (value: unknown): value is Theme => value === "light" || value === "dark";
const isBoolean = (value: unknown): value is boolean => typeof value === "boolean";

/** Where a route enters the graph: as it says, or until it knows, where its runs were seen to. */
function entryBeans(route: RouteInfo | null, traces: readonly Trace[]): readonly string[] {
  if (route === null || route.beans.length > 0) return route?.beans ?? [];
  const runs = traces.filter((t) => t.route === route.path && t.method === route.method);
  return [...new Set(runs.flatMap((t) => t.calls.filter((c) => c.parentId === null).map((c) => c.bean)))];
}

/** A computed list that stays the same object while its items do, so that live traffic disturbs nothing. */
function stableList(compute: () => readonly string[]): ReadonlySignal<readonly string[]> {
  let last: readonly string[] = [];
  return computed(() => {
    const next = compute();
    if (next.length !== last.length || next.some((item, i) => item !== last[i])) last = next;
    return last;
  });
}

/** What is looked at, and what is computed from it alone. */
function createFocus() {
  const live = signal<BeanGraph>({ nodes: [], edges: [], unspied: [] });
  const opened = signal<ReadonlyMap<string, SavedRun>>(new Map());
  const routes = signal<readonly RouteInfo[]>([]);
  const traces = signal<readonly Trace[]>([]);
  const routeId = signal<string | null>(null);
  const traceId = signal<string | null>(null);
  const route = computed(() => routes.value.find((r) => routeKey(r) === routeId.value) ?? null);
  const trace = computed(() => traces.value.find((t) => traceKey(t) === traceId.value) ?? null);
  const saved = computed(() => (traceId.value === null ? undefined : opened.value.get(traceId.value)));
  const graph = computed(() => saved.value?.graph ?? live.value);
  const beans = computed(() => new Map<string, BeanNode>(graph.value.nodes.map((n) => [n.id, n])));
  const entries = stableList(() =>
    (saved.value?.entries ?? entryBeans(route.value, traces.value)).filter((id) => beans.value.has(id)),
  );
  const reach = computed(() => (route.value === null ? null : reachable(graph.value, entries.value)));
  const path = computed(() => (trace.value === null ? null : tracePath(trace.value, graph.value, entries.value)));
  return {
    /** The application's graph. */
    live,
    /** Runs from files, by key; each comes with the graph it ran in. */
    opened,
    /** The graph to draw: the application's, or that of the selected run if it is from a file. */
    graph,
    routes,
    traces,
    routeId,
    traceId,
    route,
    trace,
    beans,
    entries,
    reach,
    path,
  };
}

/** The signals of the page, before any action. */
export function createState(around: Surroundings) {
  return {
    ...createFocus(),
    loaded: signal(false),
    failure: signal<string | null>(null),
    online: signal<boolean | null>(null),
    notice: signal<string | null>(null),
    bean: signal<string | null>(null),
    callId: signal<number | null>(null),
    /** How many calls of the path are drawn; null = all. */
    step: signal<number | null>(null),
    /** Grows with each replay, so that the overlay starts anew. */
    replays: signal(0),
    list: signal<"requests" | "history">("requests"),
    detail: signal<"response" | "timeline" | "node" | "compare">("response"),
    dialog: signal<"help" | "palette" | null>(null),
    routeFilter: signal({ text: "", method: "" }),
    historyFilter: signal(ANY_RUN),
    find: signal(""),
    paused: signal(false),
    waiting: signal(0),
    /** Runs that went by while the page did not listen and that nobody keeps any more. */
    missed: signal(0),
    /** The two runs to compare, by key. */
    marks: signal<Readonly<Record<"a" | "b", string | null>>>({ a: null, b: null }),
    /** Runs that began up to here were cleared away. */
    clearedAt: signal(0),
    pinned: signal<ReadonlySet<string>>(new Set()),
    exchanges: signal<readonly Exchange[]>([]),
    exchangeId: signal<string | null>(null),
    sending: signal(false),
    drafts: signal<Readonly<Record<string, Draft>>>(recall(around.session, DRAFTS_KEY, {}, isObject)),
    onlyReachable: signal<boolean | null>(recall<boolean | null>(around.local, FOCUS_KEY, null, isBoolean)),
    theme: signal<Theme>(recall(around.local, THEME_KEY, around.systemTheme(), isTheme)),
  };
}

/** The signals. */
export type State = ReturnType<typeof createState>;

/** A run that is marked for comparison, and its path. */
function markedRun(state: State, mark: "a" | "b") {
  const trace = computed(() => state.traces.value.find((t) => traceKey(t) === state.marks.value[mark]) ?? null);
  const entries = stableList(() => {
    const run = trace.value;
    const route = state.routes.value.find((r) => r.path === run?.route && r.method === run.method) ?? null;
    return entryBeans(route, state.traces.value);
  });
  const path = computed(() => (trace.value === null ? null : tracePath(trace.value, state.graph.value, entries.value)));
  return { trace, path };
}

/** Everything computed from the state. */
export function derive(state: State) {
  const focused = computed(
    () =>
      state.reach.value !== null &&
      state.reach.value.size > 0 &&
      (state.onlyReachable.value ?? state.graph.value.nodes.length > MANY_BEANS),
  );
  const mine = computed(() => new Set(state.exchanges.value.map((e) => e.correlationId)));
  // Not followed: what is in the editor does not change under the user's hands when traffic arrives.
  const lastTrace = (route: RouteInfo): Trace | undefined =>
    state.traces.peek().find((t) => t.route === route.path && t.method === route.method);
  const [markedA, markedB] = [markedRun(state, "a"), markedRun(state, "b")];
  const comparison = computed(() => {
    const [a, b, pathA, pathB] = [markedA.trace.value, markedB.trace.value, markedA.path.value, markedB.path.value];
    return a === null || b === null || pathA === null || pathB === null ? null : compareRuns(a, b, pathA, pathB);
  });
  const comparing = computed(() => (state.detail.value === "compare" ? comparison.value : null));
  const shownPath = computed(() => {
    const [trace, step] = [state.trace.value, state.step.value];
    if (trace === null || step === null) return state.path.value;
    const calls = trace.calls.toSorted((a, b) => a.id - b.id).slice(0, step);
    return tracePath({ ...trace, calls }, state.graph.value, state.entries.value);
  });
  return {
    focused,
    mine,
    markedA: markedA.trace,
    markedB: markedB.trace,
    comparison,
    /** The comparison, while the graph shows it. */
    comparing,
    /** The dependencies to draw in bold: of the comparison, else of the path as far as the user has stepped. */
    boldEdges: computed<ReadonlyMap<string, PathEdge & { readonly side?: Side }>>(
      () => comparing.value?.edges ?? shownPath.value?.edges ?? new Map(),
    ),
    /** The path as far as the user has stepped. */
    shownPath,
    /** Ids of the beans that are laid out. */
    shown: computed(() => {
      const reach = state.reach.value;
      const ids = state.graph.value.nodes.map((n) => n.id);
      return focused.value && reach !== null ? ids.filter((id) => reach.has(id)) : ids;
    }),
    history: computed(() => filterTraces(state.traces.value, state.historyFilter.value, mine.value)),
    draft: computed<Draft | null>(() => {
      const route = state.route.value;
      return route === null ? null : (state.drafts.value[routeKey(route)] ?? exampleDraft(route, lastTrace(route)));
    }),
    exchange: computed(() => {
      const trace = state.trace.value;
      const id = trace === null ? state.exchangeId.value : trace.correlationId;
      return state.exchanges.value.find((e) => e.correlationId === id) ?? null;
    }),
    /** The example of a route, as if nothing had been typed. */
    exampleOf: (route: RouteInfo): Draft => exampleDraft(route, lastTrace(route)),
  };
}

/** What is computed. */
export type View = ReturnType<typeof derive>;
