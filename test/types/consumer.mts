/**
 * An application by somebody who has only the published packages: uses most of what they export, so that each
 * compiler that scripts/check-packages.mjs runs resolves and checks it. Compiled, never run.
 */
import { metrics as otelMetrics, trace } from "@opentelemetry/api";
import { Devtools, type Trace } from "@framework/devtools";
import {
  BadRequestError,
  BeanError,
  type BeanDecorator,
  type BeanGraph,
  Beans,
  type Completion,
  type Context,
  CorsMiddleware,
  Framework,
  type FrameworkOptions,
  type Group,
  HealthMiddleware,
  HttpError,
  InMemoryMetricsCollector,
  Interface,
  type MetricsCollector,
  MetricsMiddleware,
  type MetricsSnapshot,
  type Middleware,
  type Next,
  NodeHttpEngine,
  NotFoundError,
  type Observation,
  type Problem,
  RequestIdMiddleware,
  RequestLoggingMiddleware,
  type RouteInfo,
  type SseEvent,
} from "framework";
import { JwtAuthMiddleware, principalOf, requireRole } from "framework/auth";
import { CacheMiddleware, cacheTags } from "framework/cache";
import { connectRequest, fromConnect } from "framework/connect";
import { proxy } from "framework/proxy";
import type { ServerEngine } from "framework/engine";
import { IdempotencyMiddleware, idempotencyOf } from "framework/idempotency";
import { WebhookMiddleware, webhookJob, webhookOf } from "framework/webhooks";
import { multipart, multipartForm } from "framework/multipart";
import { OpenTelemetryMetricsCollector, traceHeaders, TracingMiddleware } from "framework/opentelemetry";
import { PromClientMetricsCollector } from "framework/prometheus";
import { RedisSessionStore, SessionMiddleware, sessionOf } from "framework/session";
import { StaticMiddleware, type StaticOptions } from "framework/static";
import { RateLimitMiddleware, type RateLimitStore } from "framework/rate-limit";
import { job, type JobEngine, JobInputError, memoryWork, Work } from "framework/work";
import { bullmqWork } from "framework/work/bullmq";
import { pgBossWork } from "framework/work/pg-boss";
import { Registry } from "prom-client";

declare module "framework" {
  interface ContextAttributes {
    user: { readonly name: string };
  }
}

declare module "framework/session" {
  interface SessionData {
    cart: readonly string[];
  }
}

declare module "framework/auth" {
  interface Principal {
    readonly email?: string | undefined;
  }
}

interface Order {
  readonly id: string;
  readonly total: number;
}
interface OrderRepository {
  find(id: string): Promise<Order | undefined>;
}
const OrderRepository = Interface<OrderRepository>("OrderRepository");
interface OrderController {
  show(ctx: Context<"id">): Promise<Order>;
  list(ctx: Context): readonly Order[];
}
export const OrderController: Interface<OrderController> = Interface<OrderController>("OrderController", {
  stereotype: "controller",
});
class Database {
  readonly url: string;
  constructor(url: string) {
    this.url = url;
  }
  async close(): Promise<void> {}
}
/** An abstract class, which is an interface that exists at run time. */
abstract class Shelf {
  abstract take(id: string): number;
  abstract show(ctx: Context<"id">): number;
}
class WoodenShelf extends Shelf {
  readonly #left = 3;
  take(): number {
    return this.#left;
  }
  show(ctx: Context<"id">): number {
    return this.take() + ctx.pathParam("id").length;
  }
}

const engine: ServerEngine = new NodeHttpEngine();
const options: FrameworkOptions = { port: 0, engine, logger: { warn: () => undefined }, limits: { urlBytes: 4_096 } };
const app = Framework.create(options);
const pictures: StaticOptions = { root: "pictures", immutable: /-[0-9a-f]{8}\./, precompressed: ["br"] };
app.use(new StaticMiddleware(pictures));
const devtools = Devtools.create({ capacity: 10, snapshot: [[Database, (database) => ({ url: database.url })]] });
const decorator: BeanDecorator = devtools.recorder();
const beans: Beans = Beans.builder()
  .bind(Database, () => new Database("memory:"))
  .bind(OrderRepository, () => ({ find: async (id) => ({ id, total: 1 }) }))
  .bind(OrderController, (b) => ({
    show: async (ctx) => (await b.get(OrderRepository).find(ctx.pathParam("id"))) ?? missing(),
    list: () => [],
  }))
  .bind(Shelf, () => ({ take: () => 1, show: () => 1 }))
  .override(Shelf, () => new WoodenShelf())
  .instrument(decorator)
  .start();
const [database, repository, shelf] = beans.all([Database, OrderRepository, Shelf]);
export const typed: [string, Promise<Order | undefined>] = [database.url, repository.find("1")];
export const taken: number = shelf.take("1");
export const graph: BeanGraph = beans.graph();
devtools.install(app.beans(beans), beans);

class Stopwatch implements Middleware {
  handle(ctx: Context, next: Next): void | Promise<void> {
    ctx.onComplete(({ durationMs, status }: Completion) => void [durationMs, status]);
    ctx.attribute("user", { name: "Ada" });
    return next();
  }
}

const memory = new InMemoryMetricsCollector({ maxSeries: 100 });
export const snapshot: MetricsSnapshot = memory.snapshot();
const collector: MetricsCollector = {
  record: ({ method, route, status }: Observation) => void [method, route, status],
};
app
  .use(new RequestIdMiddleware())
  .use(RequestLoggingMiddleware.json({ write: () => undefined, skip: (ctx) => ctx.path === "/health" }))
  .use(new MetricsMiddleware(memory))
  .use(new MetricsMiddleware(collector))
  .use(new MetricsMiddleware(new OpenTelemetryMetricsCollector(otelMetrics.getMeter("consumer"))))
  .use(new MetricsMiddleware(new PromClientMetricsCollector(new Registry())))
  .use(new TracingMiddleware(trace.getTracer("consumer")))
  .use(CorsMiddleware.builder().allowMethods("GET", "QUERY").maxAge(60).build())
  .use(
    HealthMiddleware.builder()
      .path("/health")
      .check("database", () => true, { timeoutMs: 100 })
      .build(),
  )
  .use("/admin", new Stopwatch())
  .use(async (ctx, next) => {
    await next();
    ctx.setHeader("X-Done", 1);
  });

app.get("/orders/{id}", { beans: [OrderRepository] }, [OrderController, "show"]);
app.get("/shelves/{id}", [Shelf, "show"]);
app.query("/orders/search", { accept: ["application/json"] }, async (ctx) => ctx.json(await ctx.body(searchOf)));
app.get("/files/{folder}/*rest", (ctx) => [ctx.pathParam("folder"), ctx.pathParam("rest")]);
app.get("/events", (ctx) => ctx.sse(events()));
app.get("/me", (ctx) => ctx.attribute("user")?.name ?? ctx.cookie("name") ?? ctx.queryParam("name"));
const store = new RedisSessionStore({ call: async () => null }, { timeoutMs: 500 });
const tokens = new JwtAuthMiddleware({ jwks: "https://x/jwks", issuer: "i", audience: "a", algorithms: ["ES256"] });
app.use(new SessionMiddleware({ store, cookie: { sameSite: "strict" } })).use("/admin", tokens);
app.get("/cart", { use: [requireRole("clerk")] }, (ctx) => ({
  cart: sessionOf(ctx).get("cart") ?? [],
  email: principalOf(ctx)?.email,
}));
app.get("/outside", async (ctx) => fetch("http://localhost/", { headers: traceHeaders(ctx), signal: ctx.signal }));
app.group("/tenants/{tenant}", (api: Group<"tenant">) => {
  api.post("/orders", (ctx) => ctx.status(201).text(ctx.pathParam("tenant")));
});
const limits: RateLimitStore = { take: () => ({ allowed: true, remaining: 1, resetMs: 0, retryMs: 0 }) };
app.use(new RateLimitMiddleware({ limit: 10, windowMs: 1_000, store: limits, key: (ctx) => ctx.remoteAddress }));
app.use(fromConnect((_req: { url?: string }, _res: object, next: (error?: unknown) => void) => next()));
app.any("/upstream/*rest", (ctx) =>
  proxy(ctx, "http://127.0.0.1:9", { prefix: "/upstream", headers: { cookie: undefined } }),
);
const picture = multipartForm({ files: { picture: { maxBytes: 10 }, more: { maxBytes: 10, max: 2 } } });
app.put("/picture", { body: picture }, (ctx) => {
  const { picture: one, more } = ctx.input.body.files;
  const size: number = one.bytes.length + more.length;
  ctx.log.child({ size }).info("uploaded", { name: one.filename });
  return connectRequest<{ user?: string }>(ctx).user ?? "nobody";
});
app.post("/files", async (ctx) => {
  for await (const part of multipart(ctx, { files: 1 })) if (part.kind === "file") await part.saveTo("files");
});
app.onError(BadRequestError, (error, ctx) => ctx.status(error.status).text(error.message));
app.onStatus(404, (ctx) => ctx.json({ nothing: ctx.path } satisfies object));
app.onStart(() => undefined).onStop(async () => beans.close());
export const routes: readonly RouteInfo[] = app.routes();
export const problem: Pick<Problem, "status"> = { status: new HttpError(418).status };
export const codeOf = (error: unknown): string | undefined => (error instanceof BeanError ? error.code : undefined);
export const calls = (seen: Trace): readonly string[] => seen.calls.map(({ bean, method }) => `${bean}.${method}`);
export const answer = async (): Promise<number> => (await app.fetch(new Request("http://localhost/me"))).status;

// What must not compile: each line fails the check when it does.
// @ts-expect-error -- the pattern has no such parameter
app.get("/wrong/{id}", (ctx) => ctx.pathParam("name"));
// @ts-expect-error -- the method needs {id}, which this pattern lacks
app.get("/wrong", [OrderController, "show"]);
// @ts-expect-error -- the factory makes something else
Beans.builder().bind(OrderRepository, () => new Database("x"));
// @ts-expect-error -- the factory makes something else than the abstract class says
Beans.builder().bind(Shelf, () => ({ take: () => "one" }));
// @ts-expect-error -- an override makes the same, too
Beans.builder().override(OrderRepository, () => new Database("x"));
// @ts-expect-error -- the method of an abstract class needs {id} as any other does
app.get("/wrong", [Shelf, "show"]);
// @ts-expect-error -- a number is expected
Framework.create({ port: "8080" });
app.use(new CacheMiddleware({ query: (ctx) => ctx.body() })).use((ctx) => cacheTags(ctx, "all"));
app.use(new IdempotencyMiddleware({ caller: (ctx) => ctx.header("authorization") }));
app.onResponse((ctx) => void (idempotencyOf(ctx)?.isReplay === true));
app.post("/hooks", { use: [new WebhookMiddleware({ secrets: ["whsec_"] })] }, (ctx) =>
  webhookOf(ctx)?.timestamp.getTime(),
);
const placed = webhookJob("placed", { endpoint: async (name) => ({ url: name, secrets: "whsec_" }), attempts: 3 });
app.job(placed.job, placed.handler);
// @ts-expect-error -- a webhook goes to an endpoint
export const unsent = (work: Work): unknown => work.send(placed.job, { payload: {} });
// @ts-expect-error -- who the caller is must be said
app.use(new IdempotencyMiddleware({}));
// @ts-expect-error -- a value of a session that was declared with another type
app.use((ctx) => sessionOf(ctx).set("cart", "lamp"));
// @ts-expect-error -- an attribute that was declared with another type
app.use((ctx) => ctx.attribute("user", "Ada"));

async function* events(): AsyncIterable<SseEvent> {
  yield { event: "tick", data: "1" };
}

function searchOf(value: unknown): { readonly text: string } {
  if (typeof value !== "object" || value === null || !("text" in value)) throw new BadRequestError("no text");
  return { text: String(value.text) };
}

function missing(): never {
  throw new NotFoundError("there is no such order");
}

const Invoice = job("invoice", { input: (value: unknown): { readonly order: string } => Object(value), attempts: 5 });
const engines: readonly JobEngine[] = [
  memoryWork({ manual: true }),
  pgBossWork({ db: "postgres://localhost/shop", jobs: [Invoice] }),
  bullmqWork({ connection: {}, lockMs: 15_000 }),
];
export const jobs: Framework = Framework.create()
  .work(engines[0] ?? memoryWork())
  .job(Invoice, async ({ order }, run) => {
    run.log.info("an invoice", { order, attempt: run.attempt, trace: run.traceparent });
  })
  .schedule("nightly", "0 3 * * *", { timeZone: "Europe/Berlin" }, Invoice, { order: "all" });
export const sent = (ctx: Context): Promise<string> =>
  ctx
    .get(Work)
    .send(Invoice, { order: "7" }, { key: "invoice-7", delayMs: 1_000, tx: {} })
    .catch((error: unknown) =>
      error instanceof JobInputError ? error.issues.length.toString() : error === null ? "" : "?",
    );
