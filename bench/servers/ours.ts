/**
 * The framework at work: the same middleware, handlers and defaults that an application would have. What few jobs need
 * is imported for them alone, since start-up is measured too.
 */
import {
  CorsMiddleware,
  Framework,
  HealthMiddleware,
  InMemoryMetricsCollector,
  MetricsMiddleware,
  RequestIdMiddleware,
  RequestLoggingMiddleware,
  type MiddlewareLike,
} from "framework";
import { found, type Feature, type Work } from "../work.ts";

/** Starts the job and resolves to its port. */
export async function serve(work: Work): Promise<number> {
  const engine = work.engine === "node-http2" ? new (await import("framework")).NodeHttp2Engine() : undefined;
  const app = Framework.create({ port: 0, host: "127.0.0.1", logger: { warn: () => undefined }, engine });
  const { use, series, wasteUs } = work;
  const features: Readonly<Record<Feature, () => MiddlewareLike | Promise<MiddlewareLike>>> = {
    id: () => new RequestIdMiddleware(),
    cors: () => CorsMiddleware.permissive(),
    log: () => RequestLoggingMiddleware.json(),
    metrics: () => metrics(series),
    tracing,
  };
  if (wasteUs > 0) app.use(waste(wasteUs));
  for (const feature of use) app.use(await features[feature]());
  if (work.kind === "health") app.use(health());
  if (work.kind === "beans") await (await import("./beans.ts")).addBeans(app, work);
  else if (work.kind === "socket") await addSocket(app);
  else addRoutes(app, work);
  await app.start();
  if (work.streams > 0) (await import("./pages.ts")).openPages(app.port, work.streams);
  return app.port;
}

function metrics(series: number): MiddlewareLike {
  const collector = new InMemoryMetricsCollector();
  for (let n = 0; n < series - 1; n += 1)
    collector.record({ method: "GET", route: `/series${n}/{id}`, status: 200, durationSeconds: 0.01, aborted: false });
  return new MetricsMiddleware(collector);
}

async function tracing(): Promise<MiddlewareLike> {
  const [{ TracingMiddleware }, { sdkTracer }] = await Promise.all([
    import("framework/opentelemetry"),
    import("./otel.ts"),
  ]);
  return new TracingMiddleware(sdkTracer());
}

const health = (): MiddlewareLike =>
  HealthMiddleware.builder()
    .check("database", () => true)
    .cache(1_000)
    .build();

const waste =
  (us: number): MiddlewareLike =>
  (_ctx, next) => {
    for (const until = performance.now() + us / 1_000; performance.now() < until;);
    return next();
  };

async function addSocket(app: Framework): Promise<void> {
  const { webSocket } = await import("framework/websocket");
  app.ws("/socket", webSocket({ message: (socket, message) => void socket.send(message) }));
}

function addRoutes(app: Framework, { kind, resources }: Work): void {
  if (kind === "hello") app.get("/hello", () => ({ hello: "world" }));
  if (kind === "echo") app.post("/echo", (ctx) => ctx.body());
  // Without `accept`: no other server advertises what it takes, and that is a header more.
  if (kind === "query") app.query("/search", async (ctx) => found(await ctx.body()));
  if (kind !== "params" && kind !== "missing") return;
  for (let n = 0; n < resources; n += 1)
    app.get(`/resource${n}/{id}/items/{item}`, (ctx) => ({ id: ctx.pathParam("id"), item: ctx.pathParam("item") }));
}
