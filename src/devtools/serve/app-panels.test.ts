/** The application's own metrics and health, from its middleware; kept-endpoints.test.ts reads them by HTTP. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { HealthMiddleware, InMemoryMetricsCollector, MetricsMiddleware } from "framework";
import { HealthPanel, metricsOf } from "./app-panels.ts";
import type { DevtoolsHost } from "../host.ts";

/** An application with this middleware. */
function hostOf(...installed: readonly object[]): DevtoolsHost {
  const middlewareOf = (type: new (...args: never[]) => object): readonly object[] =>
    installed.filter((one) => one instanceof type);
  return { about: { middlewareOf } } as unknown as DevtoolsHost;
}
const plain = (text: string): string => text;

describe("metricsOf", () => {
  it("HISTORY-018: returns the snapshot of the first readable collector", () => {
    const [first, second] = [new InMemoryMetricsCollector(), new InMemoryMetricsCollector()];
    first.started();
    const other = new MetricsMiddleware({ record: () => undefined });
    const { metrics, reason } = metricsOf(hostOf(other, new MetricsMiddleware(first), new MetricsMiddleware(second)));
    assert.deepEqual([metrics, reason], [first.snapshot(), null]);
    assert.notDeepEqual(metrics, second.snapshot());
  });

  it("says why there are none: no middleware, or an unreadable collector", () => {
    const other = new MetricsMiddleware({ record: () => undefined });
    assert.deepEqual(metricsOf(hostOf()), {
      metrics: null,
      reason: "no MetricsMiddleware is installed: app.use(new MetricsMiddleware(new InMemoryMetricsCollector()))",
    });
    assert.deepEqual(metricsOf(hostOf(other)), {
      metrics: null,
      reason: "the metrics go to a collector that cannot be read here: only an InMemoryMetricsCollector can",
    });
  });
});

describe("HealthPanel", () => {
  it("says why there is no health", async () => {
    assert.deepEqual(await new HealthPanel(hostOf(), plain).view(), {
      health: null,
      reason:
        "no HealthMiddleware is installed: app.use(new HealthMiddleware({ checks: { database: () => pool.ping() } }))",
      checks: [],
    });
  });

  it("HISTORY-019: returns the checks in their order, with the reason of a failed one, its secrets hidden", async () => {
    const health = new HealthMiddleware({
      checks: {
        queue: () => undefined,
        database: () => {
          throw new Error("no s3cret");
        },
      },
    });
    const panel = new HealthPanel(hostOf(health), (text) => text.replaceAll("s3cret", "[redacted]"));
    const view = await panel.view();
    const [queue, database] = view.checks;
    assert.deepEqual(
      [view.health, view.reason, queue?.name, database?.name],
      [{ status: "DOWN", checks: { queue: "UP", database: "DOWN" } }, null, "queue", "database"],
    );
    assert.deepEqual([queue?.status, database?.status], ["UP", "DOWN"]);
    assert.equal("error" in (queue ?? {}), false);
    assert.match(database?.error ?? "", /no \[redacted\]/);
  });

  it("HISTORY-025: has the last 20 results of each check, the latest first and each once", async () => {
    const ages: number[] = [];
    let sequence = 0;
    const resultOf = (name: string) => ({
      name,
      status: "UP" as const,
      sequence,
      durationUs: sequence * 10,
      checkedAt: 1e3 + sequence,
    });
    const health: object = {
      report: async (maxAgeMs: number) => {
        ages.push(maxAgeMs);
        return { status: "UP", checks: [resultOf("a"), { ...resultOf("b"), sequence: 1 }] };
      },
    };
    const panel = new HealthPanel({ about: { middlewareOf: () => [health] } } as unknown as DevtoolsHost, plain);
    for (sequence = 1; sequence < 23; sequence += 1) await panel.view();
    sequence = 22;
    const [a, b] = (await panel.view()).checks;
    const { name, sequence: at, ...last } = resultOf("a");
    assert.equal(at, 22);
    assert.deepEqual(a, { name, ...last, recent: a?.recent });
    assert.deepEqual(a?.recent[0], last);
    assert.deepEqual(
      a?.recent.map(({ durationUs }) => durationUs),
      Array.from({ length: 20 }, (_, at) => 220 - at * 10),
    );
    assert.deepEqual(b?.recent, [{ status: "UP", durationUs: 10, checkedAt: 1_001 }]);
    assert.deepEqual(new Set(ages), new Set([5_000]));
  });
});
