/**
 * Conduit: its beans, its middleware, its routes and, in development, devtools. Importing it has no side effect.
 *
 *   request ──▶ request id ──▶ log ──▶ metrics ──▶ CORS ──▶ health ──▶ guard ──▶ contract ──▶ controller
 */
import { Devtools } from "@framework/devtools";
import {
  type Beans,
  CorsMiddleware,
  EXPOSITION_CONTENT_TYPE,
  Framework,
  HealthMiddleware,
  InMemoryMetricsCollector,
  type Logger,
  MetricsMiddleware,
  RequestIdMiddleware,
  RequestLoggingMiddleware,
} from "framework";
import { OpenApiMiddleware } from "framework/openapi";
import { type Clock, systemClock } from "./auth/clock.ts";
import { startBeans } from "./beans.ts";
import { Database } from "./database/database.ts";
import { documentOptions } from "./document.ts";
import { addErrors } from "./errors.ts";
import { addRoutes } from "./routes.ts";

/** The options of Conduit. */
export interface ConduitOptions {
  /** Signs the tokens, at least 32 bytes. */
  readonly jwtSecret: string;
  /** Keeps the database in this folder. Without it, in memory. */
  readonly dataDir?: string | undefined;
  /** scrypt's N, a power of two. Default 2^16: about a tenth of a second for each login. */
  readonly passwordCost?: number | undefined;
  readonly clock?: Clock | undefined;
  /** Receives the access log's lines; default: stdout. */
  readonly log?: ((line: string) => void) | undefined;
  /** Receives errors and warnings; default: stderr. */
  readonly logger?: Logger | undefined;
}

/** Ready to start. */
export interface Conduit {
  readonly app: Framework;
  readonly beans: Beans;
  readonly devtools: Devtools;
}

/** Builds Conduit, ready to start. The caller stops the app, then closes the beans. */
export async function createApp(options: ConduitOptions): Promise<Conduit> {
  const { jwtSecret, dataDir, passwordCost = 2 ** 16, clock = systemClock, log, logger } = options;
  // Devtools redact passwords and tokens on their own. Only this app knows what a hash looks like.
  const devtools = Devtools.create({ name: "conduit", redact: { values: [/scrypt\$\S+/] } });
  const beans = await startBeans({ dataDir, jwtSecret, passwordCost, clock, recorder: devtools.recorder() });
  const app = Framework.create({ logger }).beans(beans);
  addMiddleware(app, beans, log);
  addErrors(app);
  addRoutes(app);
  devtools.install(app, beans);
  return { app, beans, devtools };
}

function addMiddleware(app: Framework, beans: Beans, log: ConduitOptions["log"]): void {
  const metrics = new InMemoryMetricsCollector();
  app.use(new RequestIdMiddleware());
  app.use(RequestLoggingMiddleware.json({ write: log }));
  app.use(new MetricsMiddleware(metrics));
  app.use(CorsMiddleware.permissive());
  app.use(new HealthMiddleware({ checks: { database: () => beans.get(Database).ping() } }));
  app.use(new OpenApiMiddleware(documentOptions));
  app.get("/metrics", (ctx) => ctx.setHeader("Content-Type", EXPOSITION_CONTENT_TYPE).text(metrics.prometheus()));
}
