/**
 * The application: beans, middleware and routes, ready to start. Importing this file does nothing.
 *
 *   request ──▶ request id ──▶ log ──▶ metrics ──▶ health ──▶ route ──▶ controller
 */
import {
  type BeanDecorator,
  type Beans,
  Framework,
  HealthMiddleware,
  InMemoryMetricsCollector,
  MetricsMiddleware,
  RequestIdMiddleware,
  RequestLoggingMiddleware,
} from "framework";
import { addRoutes, bindBeans } from "./module.ts";
import { TaskRepository } from "./tasks/task-repository.ts";

export interface AppOptions {
  /** Keeps the tasks in that file; without it, in memory. */
  readonly dataFile?: string | undefined;
  /** Is handed every bean when it is made, and may return a wrapper. */
  readonly decorator?: BeanDecorator | undefined;
  /** Takes the access log's lines; standard output without it. */
  readonly log?: ((line: string) => void) | undefined;
}

export interface App {
  readonly app: Framework;
  readonly beans: Beans;
}

/** Builds the application. The caller stops the app, then closes the beans. */
export function createApp({ dataFile, decorator, log }: AppOptions = {}): App {
  const builder = bindBeans(dataFile);
  const beans = (decorator === undefined ? builder : builder.instrument(decorator)).start();
  const app = Framework.create().beans(beans);
  const metrics = new InMemoryMetricsCollector();
  app.use(new RequestIdMiddleware());
  app.use(RequestLoggingMiddleware.json({ write: log, skip: (ctx) => ctx.path.startsWith("/health") }));
  app.use(new MetricsMiddleware(metrics));
  app.use(health(beans));
  app.get("/metrics", (ctx) =>
    ctx.header("Content-Type", "text/plain; version=0.0.4; charset=utf-8").text(metrics.prometheus()),
  );
  addRoutes(app);
  return { app, beans };
}

/** `/health` asks every check, `/health/ready` too, and `/health/live` only whether the process responds. */
function health(beans: Beans): HealthMiddleware {
  return new HealthMiddleware({
    checks: { tasks: async () => void (await beans.get(TaskRepository).list()) },
    liveness: "/health/live",
    readiness: "/health/ready",
  });
}
