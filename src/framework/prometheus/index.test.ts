import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { collectDefaultMetrics, Registry } from "prom-client";
import type { Observation } from "../metrics/collector.ts";
import { InMemoryMetricsCollector } from "../metrics/in-memory.ts";
import { RuntimeMonitor } from "../metrics/runtime/runtime-metrics.ts";
import { collectGarbage, until } from "../testing/harness.testkit.ts";
import { JobMetrics } from "../work/job-metrics.ts";
import { PromClientMetricsCollector } from "./index.ts";

const observations: Observation[] = [
  { method: "GET", route: "/users/{id}", status: 200, durationSeconds: 0.25, aborted: false },
  { method: "GET", route: "/users/{id}", status: 200, durationSeconds: 3, aborted: false },
  { method: "_OTHER", route: null, status: 404, durationSeconds: 0.5, aborted: false },
];

const samples = (text: string): string[] =>
  text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map(sortedLabels)
    .toSorted();

/** A sample with its labels in alphabetical order, since the format ignores their order. */
function sortedLabels(line: string): string {
  return line.replace(
    /\{(.*)\}/,
    (_, labels: string) => `{${(labels.match(/\w+="[^"]*"/g) ?? []).toSorted().join(",")}}`,
  );
}

describe("PromClientMetricsCollector", () => {
  test("exposes exactly the samples of the in-memory collector", async () => {
    const registry = new Registry();
    const client = new PromClientMetricsCollector(registry);
    const memory = new InMemoryMetricsCollector();
    for (const collector of [client, memory]) {
      for (let begun = 0; begun <= observations.length; begun += 1) collector.started();
      for (const one of observations) collector.record(one);
      for (const caller of ["acme", undefined, "acme"]) collector.deprecated({ method: "GET", route: "/v1", caller });
    }
    const text = await registry.metrics();
    assert.equal(samples(text).length, 2 * 17 + 1 + 2);
    assert.deepEqual(samples(text), samples(memory.prometheus()));
  });

  test("exposes exactly the samples of jobs that JobMetrics does", async () => {
    const registry = new Registry();
    const client = new PromClientMetricsCollector(registry);
    const memory = new JobMetrics();
    const before = samples(await registry.metrics());
    for (const collector of [client, memory]) {
      collector.job({ job: 'a"b', system: "memory", outcome: "done", durationSeconds: 0.25 });
      collector.job({ job: 'a"b', system: "memory", outcome: "failed", durationSeconds: 20 });
      collector.jobs([{ job: "mail", waiting: 3, active: 2, failed: 1, oldestMs: 1_500 }]);
    }
    const text = samples(await registry.metrics()).filter((line) => !before.includes(line));
    assert.equal(text.length, 2 * 17 + 4);
    assert.deepEqual([before, text], [["http_server_active_requests 0"], samples(memory.prometheus())]);
    assert.match(
      memory.prometheus(),
      /^# HELP jobs_oldest_seconds .*\n# TYPE jobs_oldest_seconds gauge\njobs_oldest_seconds\{job="mail"\} 1\.5\n$/m,
    );
  });

  test("registers the figures of the process under names, types and help texts of prom-client's own", async () => {
    const own = new Registry();
    collectDefaultMetrics({ register: own });
    const registry = new Registry();
    const client = new PromClientMetricsCollector(registry);
    const monitor = new RuntimeMonitor(() => 3);
    client.attachRuntime(monitor);
    collectGarbage();
    await until(() => monitor.read().garbageCollections.length > 0);
    monitor.stop();
    const described = (text: string): string[] => text.split("\n").filter((line) => line.startsWith("# "));
    const theirs = new Set(described(await own.metrics()));
    const text = await registry.metrics();
    assert.deepEqual(
      described(text).filter((line) => !theirs.has(line)),
      [
        "# HELP http_server_request_duration_seconds Duration of HTTP server requests in seconds.",
        "# TYPE http_server_request_duration_seconds histogram",
        "# HELP http_server_active_requests Number of active HTTP server requests.",
        "# TYPE http_server_active_requests gauge",
        "# HELP nodejs_eventloop_utilization_ratio Event loop utilization",
        "# TYPE nodejs_eventloop_utilization_ratio gauge",
        "# HELP http_server_open_connections Number of open connections of the HTTP server.",
        "# TYPE http_server_open_connections gauge",
      ],
    );
    const names = (exposed: string): Set<string> =>
      new Set(samples(exposed).map((line) => line.replace(/ [^ ]*$/, "").replace(/le="[^"]*",?/, "")));
    const memory = new InMemoryMetricsCollector();
    memory.attachRuntime(monitor);
    assert.deepEqual(names(text), names(memory.prometheus()));
    assert.match(text, /^http_server_open_connections 3$/m);
  });

  test("leaves out a figure that the platform does not have", async () => {
    const registry = new Registry();
    const monitor = new RuntimeMonitor();
    new PromClientMetricsCollector(registry).attachRuntime({
      read: () => ({ ...monitor.read(), eventLoopDelaySeconds: undefined }),
      onGarbageCollection: () => undefined,
    });
    monitor.stop();
    const text = samples(await registry.metrics());
    assert.deepEqual([text.filter((line) => /lag|open_connections/.test(line)), text.length > 5], [[], true]);
  });

  for (const [what, given] of Object.entries({
    "{ registry }": { registry: new Registry() },
    "{ registers }": { registers: [new Registry()] },
    "an array": [new Registry()],
    null: null,
    "a name": "default",
  }))
    test(`accepts only a registry, and rejects ${what}`, () =>
      assert.throws(() => new PromClientMetricsCollector(given as unknown as Registry), {
        name: "TypeError",
        message:
          /^new PromClientMetricsCollector takes a prom-client Registry itself: .*Collector\(registry\), not \{ registry \}.* it takes the default registry$/,
      }));

  test("cannot be made twice for one registry", () => {
    const registry = new Registry();
    void new PromClientMetricsCollector(registry);
    assert.throws(() => new PromClientMetricsCollector(registry), /already been registered/);
  });
});
