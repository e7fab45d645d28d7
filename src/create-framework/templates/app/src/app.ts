/**
 * The application: beans, middleware and routes, ready to start. Importing this file has no side effect.
 *
 * {{if redis}}
 *   request ──▶ request id ──▶ log ──▶ metrics ──▶ security headers ──▶ health ──▶ overload ──▶ rate limit ──▶ session ──▶ openapi ──▶ route ──▶ controller
 * {{else}}
 *   request ──▶ request id ──▶ log ──▶ metrics ──▶ security headers ──▶ health ──▶ overload ──▶ openapi ──▶ route ──▶ controller
 * {{end}}
 */
import {
  type BeanDecorator,
  type Beans,
  type Context,
  EXPOSITION_CONTENT_TYPE,
  Framework,
  HealthMiddleware,
  InMemoryMetricsCollector,
  MetricsMiddleware,
  OverloadMiddleware,
  RequestIdMiddleware,
  RequestLoggingMiddleware,
  SecurityHeadersMiddleware,
} from "framework";
import { BearerAuthMiddleware, sameSecret } from "framework/auth";
// {{if redis}}
import { messagesOf } from "framework/broadcast";
// {{end}}
// {{if tools}}
import { McpMiddleware } from "framework/mcp";
// {{end}}
import { OpenApiMiddleware } from "framework/openapi";
// {{if redis}}
import { RateLimitMiddleware } from "framework/rate-limit";
import { SessionMiddleware, sessionOf } from "framework/session";
// {{end}}
// {{if work}}
import { JobMetrics } from "framework/work";
import { type Jobs, openJobs } from "./jobs.ts";
// {{end}}
import { addRoutes, bindBeans } from "./module.ts";
import { documentOptions } from "./openapi.ts";
// {{if work}}
import type { Role } from "./settings.ts";
// {{end}}
// {{if redis}}
import { share, type Shared } from "./shared.ts";
// {{end}}
// {{if work}}
import { TaskChanged } from "./tasks/task-jobs.ts";
import { TaskNotices } from "./tasks/task-notices.ts";
// {{end}}
import { TaskRepository } from "./tasks/task-repository.ts";

export interface AppOptions {
  // {{if pg}}
  /** Keeps tasks and jobs in that PostgreSQL. Without it, in memory. */
  readonly databaseUrl?: string | undefined;
  // {{end}}
  // {{if work}}
  /** Serves requests, does jobs, or both. Default: both. */
  readonly role?: Role | undefined;
  /** The engine of jobs, for tests. Default: by the other options. */
  readonly jobs?: Jobs | undefined;
  // {{end}}
  // {{if redis}}
  /** Keeps the state that all processes share in that Redis. Without it, in memory. */
  readonly redisUrl?: string | undefined;
  /** Without `redisUrl`: keeps the tasks in that file. Without it, in memory. */
  // {{else}}
  /** Keeps the tasks in that file. Without it, in memory. */
  // {{end}}
  readonly dataFile?: string | undefined;
  // {{if redis}}
  /** The number of proxies in front of it. With 0 it trusts no header with a client address. */
  readonly proxies?: number | undefined;
  // {{end}}
  /** The address where it listens. Every interface by default. */
  readonly host?: string | undefined;
  /** Writes the access log as JSON instead of text. */
  readonly jsonLog?: boolean | undefined;
  /** The bearer token for `/openapi.json`. Without it, it is public. */
  readonly opsToken?: string | undefined;
  /** Receives every bean when it is made, and may return a wrapper. */
  readonly decorator?: BeanDecorator | undefined;
  /** Receives the access log's lines. Standard output by default. */
  readonly log?: ((line: string) => void) | undefined;
}

export interface App {
  readonly app: Framework;
  readonly beans: Beans;
  /** Serves `/metrics` on a port of its own, which clients do not reach. */
  readonly operations: Framework;
}

/** Builds the application. The caller stops the app, then closes the beans. */
export async function createApp(options: AppOptions = {}): Promise<App> {
  // {{if redis}}
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
  // {{else}}
  const { dataFile, host, jsonLog, opsToken, decorator, log } = options;
  // {{end}}
  // {{if work}}
  const jobMetrics = new JobMetrics();
  // {{if pg}}
  const jobs = options.jobs ?? (await openJobs(options.databaseUrl, jobMetrics));
  // {{else}}
  const jobs = options.jobs ?? (await openJobs(options.redisUrl, jobMetrics));
  // {{end}}
  // {{if redis}}
  const builder = bindBeans(dataFile, shared.tasks, jobs, shared.broadcast);
  // {{else}}
  const builder = bindBeans(dataFile, jobs);
  // {{end}}
  // {{else}}
  // {{if redis}}
  const builder = bindBeans(dataFile, shared.tasks);
  // {{else}}
  const builder = bindBeans(dataFile);
  // {{end}}
  // {{end}}
  // {{if work}}
  const started = (decorator === undefined ? builder : builder.instrument(decorator)).startAsync();
  const beans = await started.catch(async (error: unknown) => {
    await jobs.close(); // An open connection would keep the program running.
    throw error;
  });
  // {{else}}
  const beans = await (decorator === undefined ? builder : builder.instrument(decorator)).startAsync();
  // {{end}}
  // {{if redis}}
  const trustProxy = proxies > 0 && ({ header: "x-forwarded", hops: proxies } as const);
  const app = Framework.create({ host, trustProxy, timeouts: { handlerMs: 30_000 } }).beans(beans);
  app.onStop(() => shared.close());
  // {{else}}
  const app = Framework.create({ host, timeouts: { handlerMs: 30_000 } }).beans(beans);
  // {{end}}
  // {{if work}}
  app.work(jobs.engine).onStop(() => jobs.close());
  if (options.role !== "web") app.job(TaskChanged, [TaskNotices, "send"]);
  // {{end}}
  const metrics = new InMemoryMetricsCollector();
  app.use(new RequestIdMiddleware());
  app.use(accessLog(jsonLog === true, log));
  app.use(new MetricsMiddleware(metrics, { runtime: true }));
  app.use(new SecurityHeadersMiddleware());
  // {{if work}}
  app.use(health(beans, options.role === "worker" ? jobs : undefined));
  // {{else}}
  app.use(health(beans));
  // {{end}}
  app.use(new OverloadMiddleware({ inFlight: 1_000 }));
  // {{if redis}}
  app.use(new RateLimitMiddleware({ limit: 600, windowMs: 60_000, store: shared.limits }));
  app.use(new SessionMiddleware({ store: shared.sessions }));
  // {{end}}
  if (opsToken !== undefined) protect(app, opsToken);
  app.use(new OpenApiMiddleware(documentOptions));
  // {{if tools}}
  app.use(new McpMiddleware({ path: "/mcp", info: { name: "{{name}}", version: "0.1.0" } }));
  // {{end}}
  // {{if work}}
  const operations = operationsOf(() => metrics.prometheus() + jobMetrics.prometheus(), host);
  if (options.role === "worker") return { app, beans, operations };
  // {{else}}
  const operations = operationsOf(() => metrics.prometheus(), host);
  // {{end}}
  // {{if redis}}
  addVisits(app);
  addEvents(app, shared);
  // {{end}}
  addRoutes(app);
  return { app, beans, operations };
}

// {{if redis}}
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
  // {{if !work}}
  app.onResponse(async (ctx, { status }) => {
    if (ctx.route?.startsWith("/tasks") === true && ctx.method !== "GET" && ctx.method !== "HEAD" && status < 300)
      await broadcast.publish("tasks", `${ctx.method} ${ctx.path}`);
  });
  // {{end}}
}

// {{end}}
/** Operational data, on its own port. */
function operationsOf(metrics: () => string, host: string | undefined): Framework {
  return Framework.create({ host }).get("/metrics", (ctx) =>
    ctx.setHeader("Content-Type", EXPOSITION_CONTENT_TYPE).text(metrics()),
  );
}

/** The document is only for those who write clients. */
function protect(app: Framework, opsToken: string): void {
  const verify = async (token: string) => ((await sameSecret(token, opsToken)) ? { id: "operations" } : undefined);
  app.use("/openapi.json", new BearerAuthMiddleware({ verify }));
}

/** One line per request, without health probes. */
function accessLog(json: boolean, write: AppOptions["log"]): RequestLoggingMiddleware {
  const options = { write, skip: (ctx: Context) => ctx.path.startsWith("/health") };
  return json ? RequestLoggingMiddleware.json(options) : new RequestLoggingMiddleware(options);
}

/** `/health` and `/health/ready` run every check, `/health/live` only shows that the process responds. */
// {{if work}}
function health(beans: Beans, worker: Jobs | undefined): HealthMiddleware {
  const tasks = async () => void (await beans.get(TaskRepository).list());
  return new HealthMiddleware({
    checks: worker === undefined ? { tasks } : { jobs: worker.engine.check({ maxAgeMs: 300_000 }) },
    liveness: "/health/live",
    readiness: "/health/ready",
  });
}
// {{else}}
function health(beans: Beans): HealthMiddleware {
  return new HealthMiddleware({
    checks: { tasks: async () => void (await beans.get(TaskRepository).list()) },
    liveness: "/health/live",
    readiness: "/health/ready",
  });
}
// {{end}}
