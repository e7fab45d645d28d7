/**
 * What the user looks at: a route, a run, a bean, a step, two runs to compare; and the link that says so.
 */

import { batch, computed } from "@preact/signals";
import type { Trace } from "../../wire.ts";
import { formatLink, parseLink } from "../shell/link.ts";
import type { State } from "./state.ts";
import { routeKey, traceKey } from "./keys.ts";

/** Makes the actions that select. */
export function createSelection(state: State) {
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
  const link = computed(() =>
    formatLink({ route: state.routeId.value, trace: state.traceId.value, bean: state.bean.value }),
  );
  return { selectRoute, selectTrace, selectBean, link, ...createSteps(state), ...createMarks(state, selectTrace) };
}

function createSteps(state: State) {
  return {
    setStep: (step: number | null): void => {
      const total = state.path.value?.steps.length ?? 0;
      state.step.value = step === null ? null : Math.max(0, Math.min(total, step));
    },
    replay: (): void =>
      batch(() => {
        state.step.value = null;
        state.replays.value++;
      }),
  };
}

/** Marks runs A and B; with both marked, the comparison opens. */
function createMarks(state: State, selectTrace: (trace: Trace) => void) {
  return {
    mark: (as: "a" | "b", trace: Trace): void =>
      batch(() => {
        const key = traceKey(trace);
        const other = as === "a" ? "b" : "a";
        const before = state.marks.value;
        const marks = { ...before, [as]: before[as] === key ? null : key };
        if (marks[other] === marks[as]) marks[other] = null;
        state.marks.value = marks;
        if (marks.a !== null && marks.b !== null) state.detail.value = "compare";
        else if (state.detail.value === "compare") selectTrace(trace);
      }),
    swapMarks: (): void => {
      const { a, b } = state.marks.value;
      state.marks.value = { a: b, b: a };
    },
    clearMarks: (): void =>
      batch(() => {
        state.marks.value = { a: null, b: null };
        if (state.detail.value === "compare") state.detail.value = "response";
      }),
  };
}

/** Follows a deep link; says so when what it points at is gone. */
export function openLink(state: State, selection: ReturnType<typeof createSelection>, hash: string): void {
  const link = parseLink(hash);
  batch(() => {
    const known = state.routes.value.some((r) => routeKey(r) === link.route);
    if (link.route !== null && known) selection.selectRoute(link.route);
    const trace = state.traces.value.find((t) => traceKey(t) === link.trace);
    if (trace !== undefined) selection.selectTrace(trace);
    else if (link.trace !== null)
      state.notice.value = `Run ${link.trace} is no longer kept: only the last 100 are. Send the request again to see its path.`;
    else if (link.route !== null && !known)
      state.notice.value = `The link points at ${link.route}, which this application does not have.`;
    if (link.bean !== null && state.beans.value.has(link.bean)) selection.selectBean(link.bean);
  });
}
