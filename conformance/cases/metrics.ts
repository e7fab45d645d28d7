/** Metrics, as reported by the subject. Spec: metrics.md (METRIC). */
import { MetricsSnapshot } from "../../spec/metrics.ts";
import { proves } from "../kit/case.ts";
import { isLasting, metricsOf } from "../kit/evidence.ts";
import type { Metrics, Probe } from "../kit/probe.ts";

type Route = Metrics["routes"][number];
type Buckets = Route["durationSeconds"]["buckets"];

const total = (routes: readonly Route[]): number => routes.reduce((sum, { count }) => sum + count, 0);

/** Sends GETs and returns the metrics as soon as all of them are counted. */
async function after(probe: Probe, targets: readonly string[]): Promise<readonly Route[]> {
  for (const target of targets) await probe.send("GET", target);
  return metricsOf(probe, (routes) => total(routes) >= targets.length);
}

/** The durations of a missing entry: NaN, so every comparison fails. */
const none = {
  sum: NaN,
  min: NaN,
  max: NaN,
  mean: NaN,
  p50: NaN,
  p90: NaN,
  p95: NaN,
  p99: NaN,
  buckets: [] as Buckets,
};

async function sinceReset(probe: Probe): Promise<number> {
  await probe.reset();
  return (await probe.metrics()).since;
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

  proves("METRIC-036", "counts the calls of a deprecated route, and of no other", async (probe) => {
    probe.equal("the calls before the first one", (await probe.metrics()).deprecated, undefined);
    await after(probe, ["/typed/old", "/typed/csv", "/typed/old"]);
    const { deprecated } = await probe.metrics();
    const calls = deprecated?.map(({ method, route, caller, count }) => [method, route, caller, count]);
    probe.equal("the calls", calls, [["GET", "/typed/old", "", 2]]);
  }),

  proves("METRIC-002", "uses the pattern as the route, with the group's prefix", async (probe) => {
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

  proves("METRIC-004", "counts requests without a match under one route", async (probe) => {
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
    const targets = ["/fail/500", "/users/1", "/fail/404", "/fail/500", "/users/2", "/fail/503"];
    const entries = await after(probe, targets);
    const seen = entries.map(({ route, count, statuses, errors, aborted }) => [
      route,
      count,
      statuses,
      errors,
      aborted,
    ]);
    probe.equal("route, count, statuses, errors and aborted", seen, [
      ["/fail/{status}", 4, { 404: 1, 500: 2, 503: 1 }, 3, 0],
      ["/users/{id}", 2, { 200: 2 }, 0, 0],
    ]);
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

  proves("METRIC-008", "has the exact sum, minimum, maximum and mean", async (probe) => {
    const [entry] = await after(probe, ["/slow/20", "/slow/0"]);
    const { sum, min, max, mean } = entry?.durationSeconds ?? none;
    // With two durations the median may be the mean. With five it cannot.
    const [another] = await after(probe, ["/slow/30", "/slow/0", "/slow/0"]);
    const ofFive = another?.durationSeconds ?? none;
    const errors = [sum - (min + max), mean - sum / 2, ofFive.mean - ofFive.sum / 5];
    probe.equal(
      "whether sum and mean are exact",
      errors.map((error) => Math.abs(error) < 1e-9),
      [true, true, true],
    );
  }),

  proves("METRIC-035", "has percentiles in order between min and max", async (probe) => {
    const [entry] = await after(probe, ["/slow/20", "/slow/0"]);
    const { min, max, p50, p90, p95, p99 } = entry?.durationSeconds ?? none;
    const ordered = [min, p50, p90, p95, p99, max].every((value, at, all) => at === 0 || value >= (all[at - 1] ?? 0));
    probe.equal("the count, and whether percentiles are in order", [entry?.count, ordered], [2, true]);
  }),

  proves("METRIC-030", "has the time since when it counts", async (probe) => {
    const first = await sinceReset(probe);
    await probe.send("GET", "/slow/60");
    const second = await sinceReset(probe);
    const seen = [second - first >= 50 && second - first < 60_000, Math.abs(Date.now() - second) < 3_600_000];
    probe.equal("whether it counts from the reset on, and all within the hour", seen, [true, true]);
  }),

  proves("METRIC-031", "has each percentile in the bucket of its rank", async (probe) => {
    const [entry] = await after(probe, [
      "/slow/0",
      "/slow/0",
      "/slow/0",
      "/slow/0",
      "/slow/60",
      "/slow/60",
      "/slow/160",
    ]);
    const { count = 0, durationSeconds: times = none } = entry ?? {};
    const { min, max, buckets, p50, p90, p95, p99 } = times;
    const isInPlace = (value: number, share: number): boolean => {
      const at = buckets.findIndex((bucket) => bucket.count >= share * count);
      const from = Math.max(buckets[at - 1]?.le ?? 0, min);
      const to = Math.min(buckets[at]?.le ?? max, max);
      return value >= from - 1e-9 && value <= to + 1e-9;
    };
    const seen = [isInPlace(p50, 0.5), isInPlace(p90, 0.9), isInPlace(p95, 0.95), isInPlace(p99, 0.99)];
    probe.equal("whether p50, p90, p95 and p99 are where they belong", seen, [true, true, true, true]);
  }),

  proves("METRIC-034", "counts each request from its bucket on, and in none before", async (probe) => {
    const entries = await after(probe, ["/slow/0", "/slow/30", "/users/1"]);
    const off = entries.flatMap(({ route, count, durationSeconds: { min, max, buckets } }) =>
      buckets
        .filter(({ le, count: within }) => (le === null || le >= max ? within !== count : le < min && within !== 0))
        .map(({ le }) => `${route} ${le}`),
    );
    probe.equal("the routes, and their buckets that are off", [entries.length, off], [2, []]);
  }),

  proves("METRIC-032", "measures seconds from the beginning to the end of a request", async (probe) => {
    const began = performance.now();
    const entries = await after(probe, ["/slow/60", "/slow/120", "/users/1"]);
    const elapsedUs = (performance.now() - began) * 1_000;
    const timesOf = (name: string) => entries.find(({ route }) => route === name)?.durationSeconds ?? none;
    const { min, max, buckets } = timesOf("/slow/{ms}");
    const { buckets: quickBuckets, ...quick } = timesOf("/users/{id}");
    const figures = [quick.sum, quick.min, quick.max, quick.mean, quick.p50, quick.p90, quick.p95, quick.p99];
    const slower = figures.filter((time) => !(time >= 0 && time < min));
    probe.equal("times of a quick route that are none", [slower, quickBuckets.at(-1)?.count], [[], 1]);
    const below = buckets.findLast(({ le }) => le !== null && le < min)?.count ?? 0;
    const upTo = buckets.find(({ le }) => le === null || le >= max)?.count;
    const seen = [isLasting(min * 1e6, 60_000, elapsedUs), isLasting(max * 1e6, 120_000, elapsedUs), min < max];
    probe.equal("whether the times are those", seen, [true, true, true]);
    probe.equal("the counts below the shorter one and up to the longer one", [below, upTo], [0, 2]);
  }),

  proves("METRIC-015", "counts a client that left before the head as 499 and aborted", async (probe) => {
    const request = probe.begin("GET", "/slow/5000");
    await probe.underWay();
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

  proves("METRIC-017", "counts the requests in progress, including its own", async (probe) => {
    const alone = probe.json(MetricsSnapshot, await probe.send("GET", "/metrics")).activeRequests;
    probe.begin("GET", "/slow/5000");
    await probe.underWay();
    const together = probe.json(MetricsSnapshot, await probe.send("GET", "/metrics")).activeRequests;
    probe.equal("active requests alone, and beside another", [alone, together], [1, 2]);
  }),
];
