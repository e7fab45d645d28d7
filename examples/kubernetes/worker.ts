/**
 * The program of the worker's container: it does jobs, and serves only the probes and the metrics. On SIGTERM it takes no
 * new job, waits for those that run, and gives back those that do not end in time.
 */
import { EXPOSITION_CONTENT_TYPE, Framework, HealthMiddleware } from "framework";
import { JobMetrics } from "framework/work";
import { pgBossWork } from "framework/work/pg-boss";
import { Pool } from "pg";
import { SendInvoice } from "./jobs.ts";

const pool = new Pool({ connectionString: process.env["DATABASE_URL"] });
pool.on("error", () => undefined); // an idle connection was lost: the engine reports when the database is away
const metrics = new JobMetrics();
const engine = pgBossWork({ db: pool, metrics });
const health = new HealthMiddleware({
  checks: { jobs: engine.check({ maxAgeMs: 300_000 }) },
  liveness: "/health/live",
  readiness: "/health/ready",
});

const worker = Framework.create()
  .work(engine)
  .use(health)
  .get("/metrics", (ctx) => ctx.setHeader("Content-Type", EXPOSITION_CONTENT_TYPE).text(metrics.prometheus()));

worker.job(SendInvoice, async ({ order }, run) => {
  // A job can be done twice, so the order is the key of what it does.
  const text =
    "insert into invoices (order_id) values ($1) on conflict (order_id) do update set times = invoices.times + 1";
  await pool.query(text, [order]);
  run.log.info("the invoice was written", { order });
});

process.once("SIGTERM", () => void worker.stop().then(() => pool.end()));
await worker.start(); // FRAMEWORK_PORT
console.log(`Listening on ${worker.url}`);
