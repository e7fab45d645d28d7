/**
 * The user's selection: a route, a run, a bean, a step of the run, two runs to compare.
 *
 *   routeId, traceId, bean … (signals) ──▶ route, run, graph, reachable beans, path (computed) ◀── actions
 */

import { batch, computed, signal } from "@preact/signals";
import { reachable } from "../../run/reach.ts";
import type { BeanNode, Call, Leaf, Trace } from "../../run/shapes.ts";
import { clamp, routeKey, traceKey } from "../../run/format.ts";
import { joinedGraph, wholeRun, type WholeRun } from "./across-services.ts";
import { applicationSlice } from "./application.ts";
import { entryBeans, isRunOf, stableList } from "./entries.ts";
import { panelsSlice } from "./panels.ts";
import { tracePath } from "./path.ts";
import type { Use } from "./slice.ts";

/** The selection, and the actions that change it. */
export function selectionSlice(use: Use) {
  const chosen = createChosen();
  const selects = createSelects(use, chosen);
  const looked = lookUp(use, chosen);
  return {
    ...chosen,
    ...looked,
    ...selects,
    ...createSteps(chosen, looked),
    ...createMarks(use, chosen, selects.selectTrace),
  };
}

type Chosen = ReturnType<typeof createChosen>;

function createChosen() {
  return {
    routeId: signal<string | null>(null),
    traceId: signal<string | null>(null),
    bean: signal<string | null>(null),
    callId: signal<number | null>(null),
    /** The open statement, request, log line … */
    leafId: signal<number | null>(null),
    /** How many calls of the path are drawn; null = all. */
    step: signal<number | null>(null),
    /** Grows with each replay, so that the overlay starts anew. */
    replays: signal(0),
    /** The correlation id of the last request of this page that the user still looks at. */
    exchangeId: signal<string | null>(null),
    /** The two runs to compare, by key. */
    marks: signal<Readonly<Record<"a" | "b", string | null>>>({ a: null, b: null }),
  };
}

function lookUp(use: Use, { routeId, traceId, marks }: Chosen) {
  const { live, opened, routes, services, traces } = use(applicationSlice);
  const { detail } = use(panelsSlice);
  const route = computed(() => routes.value.find((r) => routeKey(r) === routeId.value) ?? null);
  const runOf = (key: string | null): Trace | null => traces.value.find((t) => traceKey(t) === key) ?? null;
  const trace = computed(() => runOf(traceId.value));
  const saved = computed(() => (traceId.value === null ? undefined : opened.value.get(traceId.value)));
  const ownGraph = computed(() => saved.value?.graph ?? live.value);
  const wholeOf = (run: Trace): WholeRun => wholeRun(run, ownGraph.value, services.value);
  const wholeBy = (run: () => Trace | null) => {
    const found = computed(run);
    return computed(() => found.value && wholeOf(found.value));
  };
  const own = wholeBy(() => trace.value);
  const whole = computed(() => own.value?.trace ?? null);
  const marked = { a: wholeBy(() => runOf(marks.value.a)), b: wholeBy(() => runOf(marks.value.b)) };
  const all = computed(() => {
    const [a, b] = detail.value === "compare" ? [marked.a.value, marked.b.value] : [];
    return joinedGraph(
      ownGraph.value,
      [own.value, ...(a && b ? [a, b] : [])].flatMap((one) => one ?? []),
    );
  });
  const graph = computed(() => all.value.graph);
  const beans = computed(() => new Map<string, BeanNode>(graph.value.nodes.map((n) => [n.id, n])));
  const entries = stableList(() =>
    (saved.value?.entries ?? entryBeans(route.value, traces.value)).filter((id) => beans.value.has(id)),
  );
  return {
    route,
    trace,
    /** The run with its parts in other services. */
    whole,
    /** The part of that run in this application. */
    ownPart: computed(() => own.value?.own ?? null),
    /** The runs marked as A and B, each with its parts in other services. */
    marked,
    /** The service of each bean that is not the application's own. */
    islands: computed<ReadonlyMap<string, string>>(() => all.value.islands),
    /** The edges from one service to another, by their keys. */
    bridges: computed<WholeRun["bridges"]>(() => all.value.bridges),
    runOf,
    method: computed(() => trace.value?.method ?? route.value?.method ?? null),
    /** The graph of the application, or the selected run's own if it is from a file. */
    ownGraph,
    /** The graph to draw, with the beans of other services that the run, or a compared one, led to. */
    graph,
    beans,
    /** The name of a bean on the page; a missing one keeps its id. */
    beanName: (id: string): string => beans.value.get(id)?.name ?? id,
    entries,
    /** The beans that the route can reach, or null without a route. */
    reach: computed(() => route.value && reachable(graph.value, entries.value)),
    path: computed(() => whole.value && tracePath(whole.value, graph.value, entries.value)),
  };
}

function createSelects(use: Use, chosen: Chosen) {
  const { routes } = use(applicationSlice);
  const { detail, notice } = use(panelsSlice);
  return {
    selectRoute: (key: string): void =>
      batch(() => {
        chosen.routeId.value = key;
        chosen.traceId.value = null;
        chosen.exchangeId.value = null;
        chosen.leafId.value = null;
        notice.value = null;
        chosen.step.value = null;
        if (detail.value !== "node" || chosen.bean.value === null) detail.value = "response";
      }),
    selectTrace: (trace: Trace): void =>
      batch(() => {
        chosen.traceId.value = traceKey(trace);
        const route = routes.value.find((r) => isRunOf(trace, r));
        const byGet = trace.method === "HEAD" && trace.route !== null ? `GET ${trace.route}` : null;
        chosen.routeId.value = route ? routeKey(route) : byGet;
        notice.value = null;
        chosen.step.value = null;
        chosen.callId.value = null;
        chosen.leafId.value = null;
        chosen.replays.value++;
      }),
    selectBean: (id: string | null, callId: number | null = null): void =>
      batch(() => {
        chosen.bean.value = id;
        chosen.callId.value = callId;
        if (id !== null) detail.value = "node";
      }),
    /** Shows the place of a call in the graph; the tab stays. */
    showCall: (call: Call): void =>
      batch(() => {
        chosen.bean.value = call.bean;
        chosen.callId.value = call.id;
        chosen.leafId.value = null;
      }),
    /** Opens a leaf and shows the call around it, or closes it. */
    selectLeaf: (leaf: Leaf | null, caller?: Call): void =>
      batch(() => {
        chosen.leafId.value = leaf?.id ?? null;
        if (!caller) return;
        chosen.bean.value = caller.bean;
        chosen.callId.value = caller.id;
      }),
  };
}

function createSteps({ step, replays }: Chosen, { path }: ReturnType<typeof lookUp>) {
  const total = (): number => path.value?.steps.length ?? 0;
  return {
    /** Draws this number of calls more or fewer of the path. */
    moveStep: (by: number): void => {
      step.value = clamp((step.value ?? total()) + by, 0, total());
    },
    replay: (): void =>
      batch(() => {
        step.value = null;
        replays.value++;
      }),
  };
}

/** Marks runs A and B. With both marked, the comparison opens. */
function createMarks(use: Use, { marks }: Chosen, selectTrace: (trace: Trace) => void) {
  const { detail } = use(panelsSlice);
  return {
    mark: (as: "a" | "b", trace: Trace): void =>
      batch(() => {
        const key = traceKey(trace);
        const other = as === "a" ? "b" : "a";
        const before = marks.value;
        const next = { ...before, [as]: before[as] === key ? null : key };
        if (next[other] === next[as]) next[other] = null;
        marks.value = next;
        if (next.a !== null && next.b !== null) detail.value = "compare";
        else if (detail.value === "compare") selectTrace(trace);
      }),
    swapMarks: (): void => {
      const { a, b } = marks.value;
      marks.value = { a: b, b: a };
    },
    clearMarks: (): void =>
      batch(() => {
        marks.value = { a: null, b: null };
        if (detail.value === "compare") detail.value = "response";
      }),
  };
}
