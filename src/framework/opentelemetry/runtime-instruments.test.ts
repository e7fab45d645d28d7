/** The figures of the process and the requests in flight, beside those of OpenTelemetry's own instrumentation. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { RuntimeNodeInstrumentation } from "@opentelemetry/instrumentation-runtime-node";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  type MetricData,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { MetricsMiddleware } from "../index.ts";
import { collectGarbage, created, serving, until } from "../testing/harness.testkit.ts";
import { RuntimeMonitor } from "../metrics/runtime/runtime-metrics.ts";
import { OpenTelemetryMetricsCollector } from "./metrics-collector.ts";

/** A provider, and everything that it exports. */
function providing(): { readonly provider: MeterProvider; readonly exported: () => Promise<readonly MetricData[]> } {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 1_000_000 });
  const provider = new MeterProvider({ readers: [reader] });
  after(() => provider.shutdown());
  return {
    provider,
    exported: async () => {
      exporter.reset();
      await provider.forceFlush();
      return exporter.getMetrics().flatMap((one) => one.scopeMetrics.flatMap(({ metrics }) => metrics));
    },
  };
}

/** Name, unit, type and attributes of every instrument. */
const described = (metrics: readonly MetricData[]): Map<string, string> =>
  new Map(
    metrics.map(({ descriptor, dataPointType, dataPoints }) => {
      const keys = [...new Set(dataPoints.flatMap(({ attributes }) => Object.keys(attributes)))].toSorted();
      return [descriptor.name, `${descriptor.unit}, ${dataPointType}, ${keys.join(" ")}`];
    }),
  );

describe("the figures of the process", () => {
  test("have the names, units, types and attributes of instrumentation-runtime-node", async () => {
    const theirs = providing();
    const instrumentation = new RuntimeNodeInstrumentation();
    instrumentation.setMeterProvider(theirs.provider);
    const ours = providing();
    const monitor = new RuntimeMonitor(() => 2);
    new OpenTelemetryMetricsCollector(ours.provider.getMeter("test")).attachRuntime(monitor);
    collectGarbage();
    await until(() => (monitor.read().eventLoopDelaySeconds?.min ?? 0) > 0);
    let expected = described(await theirs.exported());
    // Theirs has a delay from its fifth sample on.
    while (!expected.has("nodejs.eventloop.delay.p99") || !expected.has("v8js.gc.duration"))
      expected = described(await theirs.exported());
    const found = described(await ours.exported());
    instrumentation.disable();
    monitor.stop();
    // They count the resources that keep the process alive, one by one. Ours are the open connections.
    expected.delete("v8js.resource.active");
    assert.ok(expected.size >= 14, [...expected.keys()].join(", "));
    const own = ["process.cpu.time", "process.memory.usage", "http.server.open_connections"];
    assert.deepEqual(new Map([...found].filter(([name]) => !own.includes(name))), expected);
    assert.deepEqual(
      own.map((name) => found.get(name)),
      ["s, 3, cpu.mode", "By, 3, ", "{connection}, 3, "],
    );
  });
});

describe("http.server.active_requests", () => {
  test("counts by method and scheme, and is the convention's", async () => {
    const { provider, exported } = providing();
    const { app } = created();
    let inside: unknown;
    app.use(new MetricsMiddleware(new OpenTelemetryMetricsCollector(provider.getMeter("test"))));
    app.post("/", async () => {
      inside = await active();
      return "";
    });
    const active = async (): Promise<unknown> =>
      (await exported())
        .find(({ descriptor }) => descriptor.name === "http.server.active_requests")
        ?.dataPoints.map(({ attributes, value }) => [attributes, value]);
    await (await app.fetch(new Request("https://h/", { method: "POST" }))).text();
    const attributes = { "http.request.method": "POST", "url.scheme": "https" };
    assert.deepEqual([inside, await active()], [[[attributes, 1]], [[attributes, 0]]]);
    await app.fetch(new Request("https://h/", { method: "BREW" }));
    assert.deepEqual(await active(), [
      [attributes, 0],
      [{ ...attributes, "http.request.method": "_OTHER" }, 0],
    ]);
  });
});

describe("http.server.open_connections", () => {
  test("is the number of the engine", async () => {
    const { provider, exported } = providing();
    const collector = new OpenTelemetryMetricsCollector(provider.getMeter("test"));
    await serving(
      (app) => app.use(new MetricsMiddleware(collector, { runtime: true })).get("/", () => "hello"),
      async ({ port }) => {
        await (await fetch(`http://127.0.0.1:${port}/`)).text();
        const open = (await exported()).find(({ descriptor }) => descriptor.name === "http.server.open_connections");
        assert.deepEqual(
          open?.dataPoints.map(({ value }) => value),
          [1],
        );
      },
    );
  });
});
