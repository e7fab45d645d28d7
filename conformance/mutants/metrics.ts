/** Metrics that count wrong. */
import { breaks, editObject } from "../kit/mutant.ts";
import { editMetrics, editPart } from "../kit/evidence.ts";
import type { Evidence } from "../kit/probe.ts";

type Metrics = Evidence["metrics"];
type Route = Metrics["routes"][number];

/** A rewrite of the whole list of routes. */
const editRoutes = (exchange: Parameters<typeof editPart>[0], change: (routes: readonly Route[]) => readonly Route[]) =>
  editPart(exchange, "metrics", (metrics) => ({
    ...(metrics as Metrics),
    routes: change((metrics as Metrics).routes),
  }));

const duration = (route: Route, change: Partial<Route["durationSeconds"]>): Route => ({
  ...route,
  durationSeconds: { ...route.durationSeconds, ...change },
});

/** The mutants of this chapter. */
export const metrics = [
  breaks("streams-are-counted-twice", ["METRIC-001"], (exchange) =>
    editMetrics(exchange, (entry) =>
      entry.route === "/events/{n}" && entry.aborted === 0 ? { ...entry, count: 2, statuses: { 200: 2 } } : entry,
    ),
  ),
  breaks("unexpected-errors-are-counted-as-200", ["METRIC-001"], (exchange) =>
    editMetrics(exchange, (entry) => (entry.route === "/boom" ? { ...entry, statuses: { 200: 1 } } : entry)),
  ),
  breaks("routes-are-paths", ["METRIC-002"], (exchange) =>
    editMetrics(exchange, (entry) => (entry.route === "/files/*path" ? { ...entry, route: "/files/x/y" } : entry)),
  ),
  breaks("routes-forget-their-group", ["METRIC-002"], (exchange) =>
    editMetrics(exchange, (entry) => (entry.route === "/api/search" ? { ...entry, route: "/search" } : entry)),
  ),
  breaks("entries-are-unsorted", ["METRIC-003"], (exchange) =>
    editRoutes(exchange, (routes) =>
      routes.length === 5 && routes[0]?.route === "/big/{bytes}" ? routes.toReversed() : routes,
    ),
  ),
  breaks("head-is-counted-as-get", ["METRIC-003"], (exchange) =>
    editMetrics(exchange, (entry) => (entry.method === "HEAD" ? { ...entry, method: "GET" } : entry)),
  ),
  breaks("every-unmatched-path-is-a-route", ["METRIC-004"], (exchange) =>
    editMetrics(exchange, (entry) =>
      entry.route === "UNMATCHED" && entry.count === 4 ? { ...entry, route: "/nowhere" } : entry,
    ),
  ),
  breaks("any-method-is-a-label", ["METRIC-005"], (exchange) =>
    editMetrics(exchange, (entry) =>
      entry.method === "_OTHER" && entry.count === 2 ? { ...entry, method: "MKCOL" } : entry,
    ),
  ),
  breaks("query-is-another-method", ["METRIC-003", "METRIC-005"], (exchange) =>
    editMetrics(exchange, (entry) => (entry.method === "QUERY" ? { ...entry, method: "_OTHER" } : entry)),
  ),
  breaks("4xx-are-errors", ["METRIC-006"], (exchange) =>
    editMetrics(exchange, (entry) => (entry.errors === 3 ? { ...entry, errors: 4 } : entry)),
  ),
  breaks("statuses-are-classes", ["METRIC-006"], (exchange) =>
    editMetrics(exchange, (entry) =>
      entry.count === 4 && entry.errors === 3 ? { ...entry, statuses: { 404: 1, 500: 3 } } : entry,
    ),
  ),
  breaks("buckets-are-not-cumulative", ["METRIC-007"], (exchange) =>
    editMetrics(exchange, (entry) =>
      entry.route === "/slow/{ms}" && entry.count === 3
        ? duration(entry, {
            buckets: entry.durationSeconds.buckets.map(({ le }) => ({ le, count: le === null ? 3 : 0 })),
          })
        : entry,
    ),
  ),
  breaks("buckets-have-other-bounds", ["METRIC-007"], (exchange) =>
    editMetrics(exchange, (entry) =>
      entry.route === "/slow/{ms}"
        ? duration(entry, {
            buckets: entry.durationSeconds.buckets.map(({ le, count }) => ({ le: le === 10 ? 30 : le, count })),
          })
        : entry,
    ),
  ),
  breaks("percentiles-are-above-the-maximum", ["METRIC-008"], (exchange) =>
    editMetrics(exchange, (entry) =>
      entry.route === "/slow/{ms}" && entry.count === 3
        ? duration(entry, { p99: entry.durationSeconds.max * 2 })
        : entry,
    ),
  ),
  breaks("the-mean-is-an-estimate", ["METRIC-008"], (exchange) =>
    editMetrics(exchange, (entry) =>
      entry.route === "/slow/{ms}" && entry.count === 3
        ? duration(entry, { mean: entry.durationSeconds.mean * 1.01 })
        : entry,
    ),
  ),
  breaks("early-aborts-are-counted-as-200", ["METRIC-015"], (exchange) =>
    editMetrics(exchange, (entry) => (entry.statuses["499"] === 1 ? { ...entry, statuses: { 200: 1 } } : entry)),
  ),
  breaks("late-aborts-are-not-counted", ["METRIC-015"], (exchange) =>
    editMetrics(exchange, (entry) => (entry.route === "/events/{n}" ? { ...entry, aborted: 0 } : entry)),
  ),
  breaks("rejected-requests-are-not-counted", ["METRIC-016"], (exchange) =>
    editRoutes(exchange, (routes) =>
      routes.filter(({ method, statuses }) => !(method === "_OTHER" && statuses["400"] === 1)),
    ),
  ),
  breaks("the-request-that-asks-is-not-active", ["METRIC-017"], (exchange) =>
    exchange.sent.path === "/metrics"
      ? editObject(exchange, (body) => ({ ...body, activeRequests: Number(body["activeRequests"]) - 1 }))
      : exchange,
  ),
];
