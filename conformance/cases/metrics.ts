/** Metrics, as the subject reveals them. Spec: metrics.md (METRIC). */
import { MetricsSnapshot } from "../../spec/metrics.ts";
import { proves } from "../kit/case.ts";
import { metricsOf } from "../kit/evidence.ts";
import type { Evidence, Probe } from "../kit/probe.ts";

type Route = Evidence["metrics"]["routes"][number];

const total = (routes: readonly Route[]): number => routes.reduce((sum, { count }) => sum + count, 0);

/** Sends GETs and gives the metrics as soon as all of them are counted. */
async function after(probe: Probe, targets: readonly string[]): Promise<readonly Route[]> {
  for (const target of targets) await probe.send("GET", target);
  return metricsOf(probe, (routes) => total(routes) >= targets.length);
}

/** Waits until a request is under way. */
async function underWay(probe: Probe): Promise<void> {
  await probe.eventually("the request under way", async () =>
    (await probe.evidence()).metrics.activeRequests > 0 ? true : undefined,
  );
}

const bounds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, null];

/** The cases of this chapter. */
export const metrics = [
  proves("METRIC-001", "records every request exactly once, with the status sent", async (probe) => {
    const routes = await after(probe, ["/users/1", "/boom", "/users/2", "/events/2", "/fail/418", "/health"]);
    const seen = routes.map(({ route, statuses }) => [route, statuses]);
    probe.equal("statuses by route", Object.fromEntries(seen), {
      "/boom": { 500: 1 },
      "/events/{n}": { 200: 1 },
      "/fail/{status}": { 418: 1 },
      "/health": { 200: 1 },
      "/users/{id}": { 200: 2 },
    });
  }),

  proves("METRIC-002", "takes the pattern for the route, with the group's prefix", async (probe) => {
    const routes = await after(probe, ["/users/a%2Fb?c=d", "/users/1/posts/2", "/api/search", "/files/x/y"]);
    const seen = routes.map(({ route }) => route).toSorted();
    probe.equal("the routes", seen, ["/api/search", "/files/*path", "/users/{id}", "/users/{id}/posts/{postId}"]);
  }),

  proves("METRIC-003", "has one entry for each method and route, sorted by route, then by method", async (probe) => {
    await probe.send("QUERY", "/search", { json: {} });
    await probe.send("HEAD", "/users/1");
    const routes = await after(probe, ["/users/1", "/search", "/users/2", "/big/1", "/search"]);
    const seen = routes.map(({ method, route }) => `${route} ${method}`);
    const expected = ["/big/{bytes} GET", "/search GET", "/search QUERY", "/users/{id} GET", "/users/{id} HEAD"];
    probe.equal("the entries", seen, expected);
  }),

  proves("METRIC-004", "counts what matched nothing under one route", async (probe) => {
    const routes = await after(
      probe,
      [1, 2, 3, 4].map(() => `/${probe.token()}`),
    );
    const seen = routes.map(({ method, route, count }) => [method, route, count]);
    probe.equal("the entries", seen, [["GET", "UNMATCHED", 4]]);
  }),

  proves("METRIC-005", "counts other methods under one method", async (probe) => {
    await probe.send("PROPFIND", "/users/1");
    await probe.send("MKCOL", "/users/1");
    await probe.send("QUERY", "/lookup", { body: "x", headers: { "content-type": "text/plain" } });
    const routes = await metricsOf(probe, (found) => total(found) >= 3);
    const seen = Object.fromEntries(routes.map(({ method, count }) => [method, count]));
    probe.equal("requests by method", seen, { QUERY: 1, _OTHER: 2 });
  }),

  proves("METRIC-006", "counts requests, statuses, errors and aborts", async (probe) => {
    const [entry] = await after(probe, ["/fail/500", "/fail/404", "/fail/500", "/fail/503"]);
    const seen = [entry?.count, entry?.statuses, entry?.errors, entry?.aborted];
    probe.equal("count, statuses, errors and aborted", seen, [4, { 404: 1, 500: 2, 503: 1 }, 3, 0]);
  }),

  proves("METRIC-007", "has cumulative buckets with the fixed bounds", async (probe) => {
    const [entry] = await after(probe, ["/slow/0", "/slow/30", "/slow/0"]);
    const buckets = entry?.durationSeconds.buckets ?? [];
    const counts = buckets.map(({ count }) => count);
    const rising = counts.every((count, at) => at === 0 || count >= (counts[at - 1] ?? 0));
    const within = (le: number): number => buckets.find((bucket) => bucket.le === le)?.count ?? -1;
    const seen = [buckets.map(({ le }) => le), rising, within(0.025) < 3, within(10), counts.at(-1)];
    const expected = [bounds, true, true, 3, 3];
    probe.equal("bounds, whether counts rise, who is not within 25 ms, who within 10 s, all", seen, expected);
  }),

  proves("METRIC-008", "has an exact mean, and percentiles in order between min and max", async (probe) => {
    const [entry] = await after(probe, ["/slow/20", "/slow/0", "/slow/5"]);
    const { sum, min, max, mean, p50, p90, p95, p99 } = entry?.durationSeconds ?? ({} as Route["durationSeconds"]);
    const ordered = [min, p50, p90, p95, p99, max].every((value, at, all) => at === 0 || value >= (all[at - 1] ?? 0));
    const exact = Math.abs(mean - sum / 3) < 1e-9 && max >= 0.015 && sum >= max + min;
    probe.equal("whether percentiles are in order, and sums exact", [ordered, exact], [true, true]);
  }),

  proves("METRIC-015", "counts a client that left before the head as 499 and aborted", async (probe) => {
    const request = probe.begin("GET", "/slow/5000");
    await underWay(probe);
    request.leave();
    const [entry] = await metricsOf(probe, (routes) => total(routes) >= 1);
    probe.equal("statuses and aborted", [entry?.statuses, entry?.aborted], [{ 499: 1 }, 1]);
  }),

  proves("METRIC-015", "counts a client that left later with the status sent, and aborted", async (probe) => {
    const request = probe.begin("GET", "/events/1000000");
    await request.head();
    request.leave();
    const [entry] = await metricsOf(probe, (routes) => total(routes) >= 1);
    probe.equal("statuses and aborted", [entry?.statuses, entry?.aborted], [{ 200: 1 }, 1]);
  }),

  proves("METRIC-016", "records a request that the parser rejected once", async (probe) => {
    await probe.raw("NO HTTP\r\n\r\n", { responses: 1 });
    const routes = await after(probe, ["/users/1"]);
    const rejected = routes.filter(({ route }) => route === "UNMATCHED");
    const seen = rejected.map(({ method, statuses }) => [method, statuses]);
    probe.equal("method and statuses", seen, [["_OTHER", { 400: 1 }]]);
  }),

  proves("METRIC-017", "counts the requests under way, the one that asks included", async (probe) => {
    const alone = probe.json(MetricsSnapshot, await probe.send("GET", "/metrics")).activeRequests;
    probe.begin("GET", "/slow/5000");
    await underWay(probe);
    const together = probe.json(MetricsSnapshot, await probe.send("GET", "/metrics")).activeRequests;
    probe.equal("active requests alone, and beside another", [alone, together], [1, 2]);
  }),
];
