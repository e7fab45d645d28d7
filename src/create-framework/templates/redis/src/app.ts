/**
 * The application: beans, middleware and routes, ready to start. Importing this file has no side effect.
 *
 *   request ──▶ request id ──▶ log ──▶ metrics ──▶ security headers ──▶ health ──▶ rate limit ──▶ session ──▶ openapi ──▶ route ──▶ controller
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
import { messagesOf } from "framework/broadcast";
import { OpenApiMiddleware } from "framework/openapi";
import { RateLimitMiddleware } from "framework/rate-limit";
import { SessionMiddleware, sessionOf } from "framework/session";
import { addRoutes, bindBeans } from "./module.ts";
import { documentOptions } from "./openapi.ts";
import { share, type Shared } from "./shared.ts";
import { TaskRepository } from "./tasks/task-repository.ts";

export interface AppOptions {
  /** Keeps the state that all processes share in that Redis. Without it, in memory. */
  readonly redisUrl?: string | undefined;
  /** Without `redisUrl`: keeps the tasks in that file. Without it, in memory. */
  readonly dataFile?: string | undefined;
  /** The number of proxies in front of it. With 0 it trusts no header with a client address. */
  readonly proxies?: number | undefined;
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
  const shared = await share(options.redisUrl);
  try {
    return await assemble(options, shared);
  } catch (error) {
    await shared.close(); // An open connection would keep the program running.
    throw error;
  }
}

async function assemble(options: AppOptions, shared: Shared): Promise<App> {
  const { dataFile, host, proxies = 0, jsonLog, opsToken, decorator, log } = options;
  const builder = bindBeans(dataFile, shared.tasks);
  const beans = await (decorator === undefined ? builder : builder.instrument(decorator)).startAsync();
  const trustProxy = proxies > 0 && ({ header: "x-forwarded", hops: proxies } as const);
  const app = Framework.create({ host, trustProxy, timeouts: { handlerMs: 30_000 } }).beans(beans);
  app.onStop(() => shared.close());
  const metrics = new InMemoryMetricsCollector();
  app.use(new RequestIdMiddleware());
  app.use(accessLog(jsonLog === true, log));
  app.use(new MetricsMiddleware(metrics));
  app.use(new SecurityHeadersMiddleware());
  app.use(health(beans));
  app.use(new RateLimitMiddleware({ limit: 600, windowMs: 60_000, store: shared.limits, skip: isMetrics }));
  app.use(new SessionMiddleware({ store: shared.sessions }));
  if (opsToken !== undefined) protect(app, opsToken);
  app.use(new OpenApiMiddleware(documentOptions));
  app.get("/metrics", (ctx) =>
    ctx.setHeader("Content-Type", "text/plain; version=0.0.4; charset=utf-8").text(metrics.prometheus()),
  );
  addVisits(app);
  addEvents(app, shared);
  addRoutes(app);
  return { app, beans };
}

/** The number of visits of this browser: a sample session, to be replaced by yours. */
function addVisits(app: Framework): void {
  app.get("/visits", (ctx) => {
    const session = sessionOf(ctx);
    const visits = Number(session.get("visits") ?? 0) + 1;
    session.set("visits", visits);
    return { visits };
  });
}

/** `/events` tells every client of every process which task was changed. */
function addEvents(app: Framework, { broadcast }: Shared): void {
  app.get("/events", (ctx) => ctx.sse(messagesOf(broadcast, "tasks", { signal: ctx.signal, limit: 100 })));
  app.onResponse(async (ctx, { status }) => {
    if (ctx.route?.startsWith("/tasks") === true && ctx.method !== "GET" && ctx.method !== "HEAD" && status < 300)
      await broadcast.publish("tasks", `${ctx.method} ${ctx.path}`);
  });
}

const isMetrics = (ctx: Context): boolean => ctx.path === "/metrics";

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
