import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  AggregationTemporality,
  DataPointType,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import type { Observation } from "../metrics/collector.ts";
import { OpenTelemetryMetricsCollector } from "./metrics-collector.ts";

/** The SDK's export after `observations`. */
const exported = (...observations: Observation[]): Promise<unknown[]> =>
  exportedBy((collector) => {
    for (const one of observations) collector.record(one);
  });

async function exportedBy(record: (collector: OpenTelemetryMetricsCollector) => void): Promise<unknown[]> {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 1_000_000 });
  const provider = new MeterProvider({ readers: [reader] });
  const collector = new OpenTelemetryMetricsCollector(provider.getMeter("test"));
  record(collector);
  await provider.forceFlush();
  const metrics = exporter.getMetrics().flatMap((resource) => resource.scopeMetrics.flatMap((scope) => scope.metrics));
  await provider.shutdown();
  return metrics.map((metric) => ({
    name: metric.descriptor.name,
    unit: metric.descriptor.unit,
    points:
      metric.dataPointType === DataPointType.HISTOGRAM
        ? metric.dataPoints.map(({ attributes, value }) => ({
            attributes,
            count: value.count,
            sum: value.sum,
            boundaries: value.buckets.boundaries,
          }))
        : metric.dataPointType === DataPointType.GAUGE ||
            (metric.dataPointType === DataPointType.SUM && metric.isMonotonic)
          ? metric.dataPoints.map(({ attributes, value }) => ({ attributes, value }))
          : [],
  }));
}

const boundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

describe("OpenTelemetryMetricsCollector", () => {
  test("counts who calls deprecated routes", async () => {
    const [calls] = await exportedBy((collector) => {
      for (const caller of ["acme", undefined, "acme"]) collector.deprecated({ method: "GET", route: "/v1", caller });
    });
    const route = { "http.request.method": "GET", "http.route": "/v1" };
    assert.deepEqual(calls, {
      name: "http.server.deprecated_requests",
      unit: "{request}",
      points: [
        { attributes: { ...route, caller: "acme" }, value: 2 },
        { attributes: route, value: 1 },
      ],
    });
  });

  test("records attempts at jobs, and how many wait", async () => {
    const [duration, count, oldest] = await exportedBy((collector) => {
      collector.job({ job: "mail", system: "pg-boss", outcome: "dead", durationSeconds: 2 });
      collector.jobs([{ job: "mail", waiting: 3, active: 2, failed: 1, oldestMs: 1_500 }]);
    });
    const job = { "messaging.destination.name": "mail" };
    const attributes = {
      "messaging.system": "pg-boss",
      ...job,
      "messaging.operation.name": "process",
      "error.type": "dead",
    };
    assert.deepEqual(duration, {
      name: "messaging.process.duration",
      unit: "s",
      points: [{ attributes, count: 1, sum: 2, boundaries }],
    });
    assert.deepEqual(count, {
      name: "jobs.count",
      unit: "{job}",
      points: [
        { attributes: { ...job, "job.state": "waiting" }, value: 3 },
        { attributes: { ...job, "job.state": "active" }, value: 2 },
        { attributes: { ...job, "job.state": "failed" }, value: 1 },
      ],
    });
    assert.deepEqual(oldest, { name: "jobs.oldest.age", unit: "s", points: [{ attributes: job, value: 1.5 }] });
  });

  test("records http.server.request.duration in seconds with the conventions' boundaries and attributes", async () => {
    const observation: Observation = {
      method: "QUERY",
      route: "/search",
      status: 200,
      durationSeconds: 0.25,
      aborted: false,
      scheme: "http",
      httpVersion: "1.1",
    };
    assert.deepEqual(await exported(observation, observation), [
      {
        name: "http.server.request.duration",
        unit: "s",
        points: [
          {
            attributes: {
              "http.request.method": "QUERY",
              "http.route": "/search",
              "http.response.status_code": 200,
              "url.scheme": "http",
              "network.protocol.version": "1.1",
            },
            count: 2,
            sum: 0.5,
            boundaries,
          },
        ],
      },
    ]);
  });

  for (const [name, [given, attributes]] of Object.entries({
    "a 404 without a route": [{ route: null, status: 404 }, { "http.response.status_code": 404 }],
    "a 5xx as an error": [
      { status: 503 },
      { "http.route": "/a", "http.response.status_code": 503, "error.type": "503" },
    ],
    "the first of the 5xx as an error, too": [
      { status: 500 },
      { "http.route": "/a", "http.response.status_code": 500, "error.type": "500" },
    ],
    "an abort before the head without a status": [
      { status: 499, aborted: true },
      { "http.route": "/a", "error.type": "aborted" },
    ],
    "an abort after the head with its status": [
      { status: 200, aborted: true },
      { "http.route": "/a", "http.response.status_code": 200, "error.type": "aborted" },
    ],
  } satisfies Record<string, [Partial<Observation> & { status: number }, object]>)) {
    test(`records ${name}`, async () => {
      const observation = { method: "GET", route: "/a", durationSeconds: 1, aborted: false, ...given };
      assert.deepEqual(await exported(observation), [
        {
          name: "http.server.request.duration",
          unit: "s",
          points: [{ attributes: { "http.request.method": "GET", ...attributes }, count: 1, sum: 1, boundaries }],
        },
      ]);
    });
  }
});
