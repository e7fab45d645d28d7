/**
 * Aggregates: statistics of a route's kept runs, and of a bean's calls.
 *
 *   runs ──▶ by route ─▶ count, errors, p50, p95, and the newest of them
 *        └─▶ by bean ──▶ the same of its calls
 *
 * Percentiles are values that occurred. Of n sorted times, it is the one at ⌈p · n⌉.
 *
 * Spec: spec/history.md
 */
import type { Aggregates, BeanAggregate, RouteAggregate } from "../run/shapes.ts";
import type { KeptRun } from "./kept-runs.ts";

const maxNamed = 20;

interface RouteGroup extends Pick<RouteAggregate, "kind" | "method" | "route"> {
  readonly times: number[];
  readonly runs: string[];
  errors: number;
  aborted: number;
  /** The slowest run, and how long it took. */
  slowest: string;
  slowestUs: number;
}

interface BeanGroup {
  readonly times: number[];
  readonly runs: string[];
  calls: number;
  errors: number;
  count: number;
  /** The run that was counted last. */
  last: string;
}

/** The aggregates of runs, the newest first. */
export function aggregatesOf(runs: readonly KeptRun[]): Aggregates {
  const routes = new Map<string, RouteGroup>();
  const beans = new Map<string, BeanGroup>();
  let since: number | null = null;
  for (const run of runs) {
    since = Math.min(since ?? run.document.startedAt, run.document.startedAt);
    addToRoute(routes, run);
    addToBeans(beans, run);
  }
  return {
    count: runs.length,
    since,
    routes: [...routes.values()].map(routeAggregate).toSorted(byRoute),
    beans: [...beans].map(beanAggregate).toSorted((a, b) => compare(a.bean, b.bean)),
  };
}

function addToRoute(routes: Map<string, RouteGroup>, { key, document }: KeptRun): void {
  const { kind, method, status, aborted, durationUs } = document;
  const route = kind === "request" ? document.route : document.path;
  const name = JSON.stringify([kind, method, route]);
  const group = routes.get(name) ?? {
    kind,
    method,
    route,
    times: [],
    runs: [],
    errors: 0,
    aborted: 0,
    slowest: "",
    slowestUs: -1,
  };
  if (group.times.length === 0) routes.set(name, group);
  group.times.push(durationUs);
  if (group.runs.length < maxNamed) group.runs.push(key);
  if (durationUs > group.slowestUs) [group.slowest, group.slowestUs] = [key, durationUs];
  if (status >= 500) group.errors += 1;
  if (aborted) group.aborted += 1;
}

function addToBeans(beans: Map<string, BeanGroup>, { key, document }: KeptRun): void {
  for (const { bean, durationUs, failed } of document.calls) {
    const group = beans.get(bean) ?? { times: [], runs: [], calls: 0, errors: 0, count: 0, last: "" };
    if (group.calls === 0) beans.set(bean, group);
    group.calls += 1;
    if (failed) group.errors += 1;
    if (durationUs !== null) group.times.push(durationUs);
    if (group.last === key) continue;
    group.last = key;
    group.count += 1;
    if (group.runs.length < maxNamed) group.runs.push(key);
  }
}

function routeAggregate({ kind, method, route, times, runs, errors, aborted, slowest }: RouteGroup): RouteAggregate {
  return { kind, method, route, count: times.length, errors, aborted, ...percentiles(times), runs, slowest };
}

function beanAggregate([bean, { calls, errors, count, times, runs }]: [string, BeanGroup]): BeanAggregate {
  return { bean, calls, errors, ...percentiles(times), count, runs };
}

function percentiles(times: readonly number[]): { p50Us: number; p95Us: number; maxUs: number } {
  const sorted = Float64Array.from(times).sort();
  const at = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
  return { p50Us: at(0.5), p95Us: at(0.95), maxUs: sorted.at(-1) ?? 0 };
}

const byRoute = (a: RouteAggregate, b: RouteAggregate): number =>
  compare(a.kind === "request" ? "" : a.kind, b.kind === "request" ? "" : b.kind) ||
  compare(a.route ?? "", b.route ?? "") ||
  compare(a.method, b.method);

/** By code unit, so that the order does not depend on a locale. */
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
