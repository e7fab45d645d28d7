import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, test } from "node:test";
import fc from "fast-check";
import { DURATION_METRIC, escapeLabel, EXPOSITION_CONTENT_TYPE } from "./exposition.ts";
import { Histogram } from "./histogram.ts";
import { InMemoryMetricsCollector } from "./in-memory.ts";
import type { RuntimeSource } from "./runtime/runtime-metrics.ts";

function sample(): InMemoryMetricsCollector {
  const collector = new InMemoryMetricsCollector();
  collector.attachRuntime(fixedRuntime);
  collector.started();
  const base = { method: "GET", aborted: false };
  collector.record({ ...base, route: "/users/{id}", status: 200, durationSeconds: 0.004 });
  collector.record({ ...base, route: "/users/{id}", status: 200, durationSeconds: 42 });
  collector.record({ ...base, route: "/users/{id}", status: 404, durationSeconds: 1e-9 });
  collector.record({ ...base, route: '/odd"\\\n', status: 200, durationSeconds: 0.3 });
  collector.record({ ...base, route: null, status: 404, durationSeconds: 0.3 });
  return collector;
}

/** Every figure of a process. */
const fixedRuntime: RuntimeSource = {
  onGarbageCollection: () => undefined,
  read: () => ({
    eventLoopUtilization: 0.25,
    eventLoopDelaySeconds: { min: 0.01, max: 0.4, mean: 0.02, stddev: 0.1, p50: 0.01, p90: 0.1, p99: 0.3 },
    eventLoopSeconds: { active: 1, idle: 3 },
    cpuSeconds: { user: 1.5, system: 0.25 },
    memoryBytes: { rss: 4e7, heapTotal: 2e7, heapUsed: 1e7, external: 1e6 },
    heapSpaces: [],
    garbageCollections: [{ kind: "minor", seconds: pauses.summary() }],
    openConnections: 12,
    processStartedAt: 1.8e9,
  }),
};
const pauses = new Histogram();
pauses.observe(0.002);

/** Rules that promtool does not check: every series once, cumulative buckets, +Inf equal to the count. */
function violations(text: string): string[] {
  const found: string[] = [];
  if (!text.endsWith("\n") || text.includes("\r")) found.push("the text does not end in one line feed");
  const seen = new Set<string>();
  const buckets = new Map<string, { le: number; count: number }[]>();
  const counts = new Map<string, number>();
  for (const line of text.split("\n").slice(0, -1)) {
    if (line.startsWith("# ")) continue;
    const match = /^([a-z0-9_]+)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)+)\})? (\S+)$/.exec(line);
    const [, name, labels = "", value] = match ?? [];
    if (name === undefined || !Number.isFinite(Number(value))) {
      found.push(`no sample: ${line}`);
      continue;
    }
    if (seen.has(`${name}{${labels}}`)) found.push(`twice: ${line}`);
    seen.add(`${name}{${labels}}`);
    const [, series = labels, le] = /^(.*),le="([^"]+)"$/s.exec(labels) ?? [];
    if (name.endsWith("_count")) counts.set(series, Number(value));
    if (le === undefined) continue;
    const bound = le === "+Inf" ? Infinity : Number(le);
    buckets.set(series, [...(buckets.get(series) ?? []), { le: bound, count: Number(value) }]);
  }
  for (const [series, list] of buckets) {
    const ascending = list.every(
      ({ le, count }, i) => le > (list[i - 1]?.le ?? -1) && count >= (list[i - 1]?.count ?? 0),
    );
    if (!ascending) found.push(`not cumulative: ${series}`);
    if (list.at(-1)?.le !== Infinity || list.at(-1)?.count !== counts.get(series))
      found.push(`+Inf is not the count: ${series}`);
  }
  return found;
}

describe("exposition", () => {
  test("writes help, type, buckets, sum and count", () => {
    const collector = new InMemoryMetricsCollector();
    collector.record({ method: "GET", route: "/a", status: 200, durationSeconds: 0.3, aborted: false });
    const lines = collector.prometheus().split("\n");
    const labels = 'http_request_method="GET",http_route="/a",http_response_status_code="200"';
    assert.deepEqual(lines.slice(0, 3), [
      `# HELP ${DURATION_METRIC} Duration of HTTP server requests in seconds.`,
      `# TYPE ${DURATION_METRIC} histogram`,
      `${DURATION_METRIC}_bucket{${labels},le="0.005"} 0`,
    ]);
    assert.deepEqual(lines.slice(-7), [
      `${DURATION_METRIC}_bucket{${labels},le="+Inf"} 1`,
      `${DURATION_METRIC}_sum{${labels}} 0.3`,
      `${DURATION_METRIC}_count{${labels}} 1`,
      "# HELP http_server_active_requests Number of active HTTP server requests.",
      "# TYPE http_server_active_requests gauge",
      "http_server_active_requests 0",
      "",
    ]);
  });

  test("has the figures of the process when they were asked for", () => {
    const lines = sample().prometheus().split("\n");
    const from = lines.indexOf("# HELP http_server_active_requests Number of active HTTP server requests.");
    const samples = lines.slice(from).filter((line) => line !== "" && !/^#|_bucket/.test(line));
    assert.deepEqual(samples, [
      "http_server_active_requests 0",
      "process_cpu_user_seconds_total 1.5",
      "process_cpu_system_seconds_total 0.25",
      "process_cpu_seconds_total 1.75",
      "process_start_time_seconds 1800000000",
      "process_resident_memory_bytes 40000000",
      "nodejs_heap_size_total_bytes 20000000",
      "nodejs_heap_size_used_bytes 10000000",
      "nodejs_external_memory_bytes 1000000",
      "nodejs_eventloop_lag_min_seconds 0.01",
      "nodejs_eventloop_lag_max_seconds 0.4",
      "nodejs_eventloop_lag_mean_seconds 0.02",
      "nodejs_eventloop_lag_stddev_seconds 0.1",
      "nodejs_eventloop_lag_p50_seconds 0.01",
      "nodejs_eventloop_lag_p90_seconds 0.1",
      "nodejs_eventloop_lag_p99_seconds 0.3",
      "nodejs_eventloop_utilization_ratio 0.25",
      "http_server_open_connections 12",
      'nodejs_gc_duration_seconds_sum{kind="minor"} 0.002',
      'nodejs_gc_duration_seconds_count{kind="minor"} 1',
    ]);
  });

  test("has version 0.0.4, with the statuses of a route in order", () => {
    const collector = new InMemoryMetricsCollector();
    for (const status of [503, 200, 404])
      collector.record({ method: "GET", route: "/a", status, durationSeconds: 0.3, aborted: false });
    const statuses = [...collector.prometheus().matchAll(/_count\{.*status_code="(\d+)"/g)].map(([, status]) => status);
    assert.deepEqual(
      [EXPOSITION_CONTENT_TYPE, statuses],
      ["text/plain; version=0.0.4; charset=utf-8", ["200", "404", "503"]],
    );
  });

  test("holds the format's invariants", () => {
    assert.deepEqual(violations(sample().prometheus()), []);
  });

  test("holds the invariants for any route and duration", () => {
    const observation = fc.record({
      method: fc.constantFrom("GET", "QUERY", "_OTHER"),
      route: fc.option(fc.string({ unit: "grapheme", maxLength: 20 })),
      status: fc.integer({ min: 200, max: 599 }),
      durationSeconds: fc.double({ min: 0, max: 100, noNaN: true }),
      aborted: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(observation, { maxLength: 20 }), (observations) => {
        const collector = new InMemoryMetricsCollector();
        for (const one of observations) collector.record(one);
        assert.deepEqual(violations(collector.prometheus()), []);
      }),
      { numRuns: 300 },
    );
  });

  test("is accepted by promtool", (t) => {
    const ran = spawnSync("promtool", ["check", "metrics"], { input: sample().prometheus(), encoding: "utf8" });
    if (ran.error !== undefined) return t.skip("skipped: promtool not found");
    assert.deepEqual([ran.status, ran.stdout, ran.stderr], [0, "", ""]);
  });
});

describe("escapeLabel", () => {
  test("escapes quote, backslash and line feed, and nothing else", () => {
    assert.equal(escapeLabel('a"b\\c\nd é{}'), 'a\\"b\\\\c\\nd é{}');
  });
});
