/**
 * The application of one worker: two routes, the probes, and its own metrics on a separate port.
 *
 *   GET /work · QUERY /sum          the work; both say which process did it
 *   GET /health/live · /health/ready   for the orchestrator
 *   GET /metrics on the metrics port   for Prometheus: one target a process
 */
import { Framework, HealthMiddleware, InMemoryMetricsCollector, MetricsMiddleware, type Context } from "framework";

/** One worker's application. */
export interface Worker {
  readonly app: Framework;
  readonly metrics: Framework;
}

/** Builds the applications of a worker. Nothing listens yet. */
export function createWorker(): Worker {
  const collector = new InMemoryMetricsCollector();
  const app = Framework.create({ shutdownGraceMs: 5_000 })
    .use(new HealthMiddleware({ liveness: "/health/live", readiness: "/health/ready" }))
    .use(new MetricsMiddleware(collector))
    .get("/work", () => work())
    .query("/sum", { accept: ["application/json"] }, sum);
  const metrics = Framework.create().get("/metrics", (ctx) => ctx.text(collector.prometheus()));
  return { app, metrics };
}

const work = (): Promise<object> => new Promise((resolve) => setTimeout(() => resolve({ pid: process.pid }), 5));

const numbers = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((item) => typeof item === "number");

async function sum(ctx: Context): Promise<object> {
  const body = await ctx.body((value: unknown) => numbers(value));
  const total = numbers(body) ? body.reduce((all, one) => all + one, 0) : 0;
  return { pid: process.pid, total };
}
