/**
 * An application whose requests and process Prometheus can scrape: what the dashboard and the alerts are about.
 *
 *   requests ──▶ MetricsMiddleware ──▶ prom-client ◀── the process: CPU, memory, event loop
 *                                         └──▶ GET /metrics
 */
import { Framework, HttpError, MetricsMiddleware } from "framework";
import { PromClientMetricsCollector } from "framework/prometheus";
import { collectDefaultMetrics, Counter, Registry } from "prom-client";

/** The application, ready to start. */
export function createApp(): Framework {
  const register = new Registry();
  collectDefaultMetrics({ register });
  const orders = new Counter({ name: "shop_orders_total", help: "Orders placed", registers: [register] });

  const app = Framework.create({ host: "127.0.0.1" });
  app.use(new MetricsMiddleware(new PromClientMetricsCollector(register)));
  app.get("/orders/{id}", (ctx) => ({ id: ctx.pathParamAsInt("id") }));
  app.post("/orders", (ctx) => {
    orders.inc();
    ctx.status(201);
    return { placed: true };
  });
  app.get("/broken", () => new HttpError(503, "the payment service does not respond"));
  app.get("/metrics", async (ctx) =>
    ctx.setHeader("Content-Type", register.contentType).text(await register.metrics()),
  );
  return app;
}
