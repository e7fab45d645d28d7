/**
 * The shop: its beans, its middleware, its routes and, in development, devtools. Importing it has no side effect.
 *
 *   request ──▶ request id ──▶ log ──▶ metrics ──▶ tracing ──▶ CORS ──▶ overload ──▶ health ──▶ route ──▶ controller
 *                                                                               └─ none ──▶ pictures
 *   an agent at /mcp ──▶ each of its calls is a request, from the beginning
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type DescriptionOf, Devtools } from "@framework/devtools";
import {
  type BeanBinder,
  type BeanDecorator,
  type Beans,
  CorsMiddleware,
  Framework,
  HealthMiddleware,
  InMemoryMetricsCollector,
  type Logger,
  MetricsMiddleware,
  type MiddlewareLike,
  OverloadMiddleware,
  RequestIdMiddleware,
  RequestLoggingMiddleware,
} from "framework";
import { McpMiddleware } from "framework/mcp";
import { OpenApiMiddleware } from "framework/openapi";
import { StaticMiddleware } from "framework/static";
import { JobEngine } from "framework/work";
import { startBeans } from "./beans.ts";
import { Database } from "./database/database.ts";
import type { Postgres } from "./database/postgres.ts";
import { type PublishedStatement, SQL_CHANNEL } from "./database/sql.ts";
import { Money } from "./money.ts";
import { documentOptions } from "./document.ts";
import { picturesFolder } from "./pictures.ts";
import { addJobs } from "./jobs.ts";
import { addRoutes } from "./routes.ts";
import { stockAlerts } from "./stock-alerts.ts";

export interface ShopOptions {
  /** Record it for the dashboard? Default true; FRAMEWORK_DEVTOOLS=false disables it anyway. */
  readonly devtools?: boolean | undefined;
  /** Keeps the database in this folder. Without it, in memory. */
  readonly dataDir?: string | undefined;
  /** The URL of the shipping service. Without it nothing is shipped. */
  readonly shippingUrl?: string | undefined;
  /** The secret of the payment service's webhooks. Default: one for development. */
  readonly paymentsSecret?: string | undefined;
  /** Puts a cache in front of the catalogue. Default false, so that each request shows its beans. */
  readonly cache?: boolean | undefined;
  /** Receives the access log's lines; default: stdout. */
  readonly log?: ((line: string) => void) | undefined;
  /** Receives errors and warnings; default: stderr. */
  readonly logger?: Logger | undefined;
  /** Traces requests, see tracing.ts. */
  readonly tracing?: MiddlewareLike | undefined;
  /** An open database. The caller closes it. */
  readonly postgres?: Postgres | undefined;
  /** A decorator of each bean. Devtools record its result. */
  readonly around?: BeanDecorator | undefined;
  /** Called when all beans are bound and none is made. A test overrides some: `(beans) => beans.override(Clock, …)`. */
  readonly change?: ((beans: BeanBinder) => void) | undefined;
}

export interface Shop {
  readonly app: Framework;
  readonly beans: Beans;
  readonly devtools: Devtools | undefined;
}

/** Builds the shop, ready to start. The caller stops the app, then closes the beans. */
export async function createApp(options: ShopOptions = {}): Promise<Shop> {
  const devtools = options.devtools === false ? undefined : createDevtools(options.dataDir);
  const { dataDir, shippingUrl, postgres, around, change, logger } = options;
  const decorators = [around, devtools?.recorder()].filter((one) => one !== undefined);
  const beans = await startBeans({ dataDir, shippingUrl, postgres, decorators, change });
  const app = Framework.create({ logger }).beans(beans);
  const uploads = picturesFolder(dataDir);
  await mkdir(uploads, { recursive: true });
  addMiddleware(app, beans, { ...options, uploads });
  addRoutes(app, uploads, options.cache, options.paymentsSecret);
  addJobs(app, beans.get(JobEngine));
  app.plugin(stockAlerts, { below: 20 });
  devtools?.install(app, beans);
  return { app, beans, devtools };
}

/**
 * Money keeps its cents private, so the app says how devtools show it, how a replay restores it, and how its statements are read.
 * Runs are kept next to the database.
 */
function createDevtools(dataDir: string | undefined): Devtools {
  return Devtools.create({
    name: "shop",
    history: dataDir === undefined ? false : join(dataDir, "runs.jsonl"),
    snapshot: [[Money, (money) => ({ amount: money.amount, currency: "EUR" })]],
    revive: [[Money, ({ amount }) => Money.ofCents(Math.round(Number(amount) * 100))]],
    channels: [{ channel: SQL_CHANNEL, kind: "sql", describe: describeStatement }],
  });
}

/** The rows if a statement returns some, else the number of changed rows. */
const describeStatement = ({ text, values, result }: PublishedStatement): DescriptionOf<"sql"> => ({
  system: "postgresql",
  statement: text,
  parameters: values,
  rows: result === undefined || result.rows.length > 0 ? result?.rows : result.changed,
});

/** The pictures are next to the sources, but this runs compiled, in .build/examples/shop. */
const pictures = fileURLToPath(new URL("../../../examples/shop/pictures", import.meta.url));

function addMiddleware(
  app: Framework,
  beans: Beans,
  { log, tracing, uploads, devtools }: ShopOptions & { readonly uploads: string },
): void {
  const metrics = new InMemoryMetricsCollector();
  app.use(new RequestIdMiddleware());
  app.use(RequestLoggingMiddleware.json({ write: log }));
  app.use(new MetricsMiddleware(metrics, { runtime: true }));
  if (tracing !== undefined) app.use(tracing);
  app.use(new CorsMiddleware({ allowMethods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "QUERY"] }));
  // Devtools record each call, so a burst of requests takes longer with them.
  app.use(new OverloadMiddleware({ inFlight: 2_000, eventLoopDelayMs: devtools === false ? 250 : 5_000 }));
  app.use(new HealthMiddleware({ checks: { database: () => beans.get(Database).ping() } }));
  app.use(new OpenApiMiddleware(documentOptions));
  app.use(new McpMiddleware({ path: "/mcp", info: { name: "shop", version: "1" } }));
  app.use(new StaticMiddleware({ root: uploads, prefix: "/pictures/products", index: false }));
  app.use(new StaticMiddleware({ root: pictures, prefix: "/pictures", index: false, maxAge: 3_600 }));
  app.get("/metrics", (ctx) =>
    ctx.setHeader("Content-Type", "text/plain; version=0.0.4; charset=utf-8").text(metrics.prometheus()),
  );
  app.get("/metrics.json", () => metrics.snapshot());
}
