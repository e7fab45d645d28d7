/**
 * What a pod runs: the application on one port, its metrics and its document on another that no Service forwards.
 *
 *   Service ──▶ :8080  /, /health/live, /health/ready          Prometheus ──▶ :9100  /metrics, /openapi.json
 */
import {
  EXPOSITION_CONTENT_TYPE,
  Framework,
  HealthMiddleware,
  InMemoryMetricsCollector,
  MetricsMiddleware,
} from "framework";
import { openApi } from "framework/openapi";

/** What the application depends on. */
export interface Dependencies {
  /** Rejects when the database cannot be reached. */
  readonly ping: () => Promise<void>;
}

/** The two servers of a pod, ready to start. */
export function createServers({ ping }: Dependencies): { readonly app: Framework; readonly operations: Framework } {
  const metrics = new InMemoryMetricsCollector();
  const health = new HealthMiddleware({
    checks: { database: ping },
    liveness: "/health/live",
    readiness: "/health/ready",
  });
  const app = Framework.create()
    .use(new MetricsMiddleware(metrics))
    .use(health)
    .get("/", () => "hello");
  const operations = Framework.create()
    .get("/metrics", (ctx) => ctx.setHeader("Content-Type", EXPOSITION_CONTENT_TYPE).text(metrics.prometheus()))
    .get("/openapi.json", () => openApi(app, { info: { title: "shop", version: "1.0.0" } }));
  return { app, operations };
}
