/**
 * Which runs belong to a route, and where it enters the graph.
 */

import { computed, type ReadonlySignal } from "@preact/signals";
import type { RouteInfo, Trace } from "../../run/shapes.ts";

/** Whether this is a run of that route. A WebSocket is opened by a GET, and its handlers run for that route. */
export function isRunOf(trace: Trace, { method, path, version }: RouteInfo): boolean {
  return (
    trace.route === path && trace.version === version && (trace.kind === "websocket" ? "GET" : trace.method) === method
  );
}

/** The entry beans, from the route, or until it knows them, from its runs. */
export function entryBeans(route: RouteInfo | null, traces: readonly Trace[]): readonly string[] {
  if (!route || route.beans.length > 0) return route?.beans ?? [];
  const runs = traces.filter((trace) => isRunOf(trace, route));
  const called = (trace: Trace): string[] =>
    trace.calls.filter(({ parentId }) => parentId === null).map(({ bean }) => bean);
  return [...new Set(runs.flatMap((trace) => [...(trace.entered ?? []), ...called(trace)]))];
}

/** A computed list that stays the same object while its items do, so that live traffic disturbs nothing. */
export function stableList(compute: () => readonly string[]): ReadonlySignal<readonly string[]> {
  let last: readonly string[] = [];
  return computed(() => {
    const next = compute();
    if (next.length !== last.length || next.some((item, i) => item !== last[i])) last = next;
    return last;
  });
}
