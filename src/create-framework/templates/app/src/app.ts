/**
 * The application: beans, middleware and routes, ready to start. Importing this file has no side effect.
 *
 *   request ──▶ request id ──▶ log ──▶ metrics ──▶ security headers ──▶ health ──▶ openapi ──▶ route ──▶ controller
 */
import {
  type BeanDecorator,
  type Beans,
  type Context,
  Framework,
  HealthMiddleware,
  InMemoryMetricsCollector,
  MetricsMiddleware,
  RequestIdMiddleware,
  RequestLoggingMiddleware,
  SecurityHeadersMiddleware,
} from "framework";
import { BearerAuthMiddleware, sameSecret } from "framework/auth";
import { OpenApiMiddleware } from "framework/openapi";
import { addRoutes, bindBeans } from "./module.ts";
import { documentOptions } from "./openapi.ts";
import { TaskRepository } from "./tasks/task-repository.ts";

export interface AppOptions {
  /** Keeps the tasks in that file. Without it, in memory. */
  readonly dataFile?: string | undefined;
  /** The address where it listens. Every interface by default. */
  readonly host?: string | undefined;
  /** Writes the access log as JSON instead of text. */
  readonly jsonLog?: boolean | undefined;
  /** The bearer token for `/metrics` and `/openapi.json`. Without it they are public. */
  readonly opsToken?: string | undefined;
  /** Receives every bean when it is made, and may return a wrapper. */
  readonly decorator?: BeanDecorator | undefined;
  /** Receives the access log's lines. Standard output by default. */
  readonly log?: ((line: string) => void) | undefined;
}

export interface App {
  readonly app: Framework;
  readonly beans: Beans;
}

/** Builds the application. The caller stops the app, then closes the beans. */
export async function createApp(options: AppOptions = {}): Promise<App> {
  const { dataFile, host, jsonLog, opsToken, decorator, log } = options;
  const builder = bindBeans(dataFile);
  const beans = await (decorator === undefined ? builder : builder.instrument(decorator)).startAsync();
  const app = Framework.create({ host, timeouts: { handlerMs: 30_000 } }).beans(beans);
  const metrics = new InMemoryMetricsCollector();
  app.use(new RequestIdMiddleware());
  app.use(accessLog(jsonLog === true, log));
  app.use(new MetricsMiddleware(metrics));
  app.use(new SecurityHeadersMiddleware());
  app.use(health(beans));
  if (opsToken !== undefined) protect(app, opsToken);
  app.use(new OpenApiMiddleware(documentOptions));
  app.get("/metrics", (ctx) =>
    ctx.setHeader("Content-Type", "text/plain; version=0.0.4; charset=utf-8").text(metrics.prometheus()),
  );
  addRoutes(app);
  return { app, beans };
}

/** Operational data is only for those who run the application. */
function protect(app: Framework, opsToken: string): void {
  const verify = async (token: string) => ((await sameSecret(token, opsToken)) ? { id: "operations" } : undefined);
  const guard = new BearerAuthMiddleware({ verify });
  app.use("/metrics", guard).use("/openapi.json", guard);
}

/** One line per request, without health probes. */
function accessLog(json: boolean, write: AppOptions["log"]): RequestLoggingMiddleware {
  const options = { write, skip: (ctx: Context) => ctx.path.startsWith("/health") };
  return json ? RequestLoggingMiddleware.json(options) : new RequestLoggingMiddleware(options);
}

/** `/health` and `/health/ready` run every check, `/health/live` only shows that the process responds. */
function health(beans: Beans): HealthMiddleware {
  return new HealthMiddleware({
    checks: { tasks: async () => void (await beans.get(TaskRepository).list()) },
    liveness: "/health/live",
    readiness: "/health/ready",
  });
}
