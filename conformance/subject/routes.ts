/**
 * The routes of the subject.
 *
 * Spec: spec/subject.md
 */
import { setTimeout } from "node:timers/promises";
import { step } from "@framework/devtools";
import {
  BadRequestError,
  type Beans,
  bytes,
  CompressionMiddleware,
  type Context,
  contract,
  CrossOriginProtectionMiddleware,
  EtagMiddleware,
  events as declaredEvents,
  form,
  type Framework,
  type Group,
  HttpError,
  type InMemoryMetricsCollector,
  type Middleware,
  type Next,
  NotFoundError,
  OverloadMiddleware,
  type Routes,
  type SseEvent,
  stream,
  text,
} from "framework";
import { RateLimitMiddleware } from "framework/rate-limit";
import { z } from "zod";
import { addPrivate } from "./private.ts";
import { addSessions } from "./sessions.ts";
import { addHooks } from "./hooks.ts";
import { addOnce } from "./once.ts";
import { addStored } from "./stored.ts";
import { addUploads } from "./uploads.ts";
import { addVersions } from "./versions.ts";
import { OrderController, OrderRepository, ParallelController } from "./beans.ts";
import { addSecured } from "./secured.ts";

/** The upper limits of path parameters. */
const most = {
  cached: 1_048_576,
  ms: 30_000,
  crowdedMs: 1_000,
  bytes: 64 * 1_048_576,
  events: 1_000_000,
  more: 100,
} as const;

/** Adds every route except the health paths, which the middleware serves. `cors` is the middleware of the group `/partner`. */
export function addRoutes(app: Framework, beans: Beans, metrics: InMemoryMetricsCollector, cors: Middleware): void {
  app
    .get("/users/{id}", (ctx) => ({ id: ctx.pathParam("id") }))
    .get("/users/{id}/posts/{postId}", (ctx) => ({ id: ctx.pathParam("id"), postId: ctx.pathParam("postId") }))
    .get("/reset/{token}", () => ({ method: "GET" }))
    .get("/files/*path", (ctx) => ({ path: ctx.pathParam("path") }))
    .post("/echo", async (ctx) => void ctx.json(await ctx.body()));
  for (const pattern of ["/match/*rest", "/match/{name}/y", "/match/c/y", "/match/a/x"] as const)
    app.get(pattern, () => ({ matched: pattern }));
  addOrders(app, beans);
  addQueries(app);
  addContracts(app);
  app.get("/cookies", (ctx) =>
    ctx
      .setCookie("color", "sea green; äöü")
      .setCookie("size", "9")
      .json({ ...ctx.cookies }),
  );
  addTroubles(app);
  addReturns(app);
  app.group("/partner", (partner) => partner.use(cors).get("/{id}", (ctx) => ({ id: ctx.pathParam("id") })));
  app.group("/cached", addCached).group("/versions", addVersions);
  addSecured(app);
  app.group("/protected", addProtected).group("/crowded", addCrowded);
  addOnce(app);
  addHooks(app);
  addStored(app);
  app.get("/limited/{client}", { use: [limited()] }, (ctx) => ({ id: ctx.pathParam("client") }));
  addUploads(app);
  addSessions(app);
  addPrivate(app);
  app.get("/annotated/{mark}", { use: [annotate] }, (ctx) => ({ id: ctx.pathParam("mark") }));
  app.get("/metrics", () => metrics.snapshot());
}

/** Responses with an entity tag, compressed if they are large. */
function addCached(cached: Group): void {
  cached
    .use(new CompressionMiddleware())
    .use(new EtagMiddleware())
    .get("/{bytes}", (ctx) => "x".repeat(upTo(ctx.pathParamAsInt("bytes"), most.cached)))
    .query("/", (ctx) => ctx.bodyAsString());
}

/** Routes that pages of other origins cannot use, except of one. */
function addProtected(routes: Group): void {
  const exempt = "/{name}/callback";
  const found = (ctx: Context<"name">): object => ({ id: ctx.pathParam("name") });
  routes
    .use(
      new CrossOriginProtectionMiddleware({ trustedOrigins: ["https://app.example"], exempt: [`/protected${exempt}`] }),
    )
    .get("/{name}", found)
    .post("/{name}", found)
    .query("/{name}", found)
    .post(exempt, found);
}

/** Routes of which one is served at a time, and one that always is. */
function addCrowded(routes: Group): void {
  const exempt = "/{name}/urgent";
  const found = async (ctx: Context<"name">): Promise<object> => {
    await setTimeout(upTo(Number(ctx.queryParam("ms") ?? 0), most.crowdedMs));
    return { id: ctx.pathParam("name") };
  };
  routes
    .use(new OverloadMiddleware({ inFlight: 1, eventLoopDelayMs: false, exempt: [`/crowded${exempt}`] }))
    .get("/{name}", found)
    .get(exempt, found);
}

const limited = (): Middleware =>
  new RateLimitMiddleware({ policyName: "subject", limit: 3, windowMs: 6e4, key: (ctx) => ctx.pathParam("client") });

/** Adds the annotations of subject.md to the run. */
function annotate(ctx: Context<"mark">, next: Next): void | Promise<void> {
  const mark = ctx.pathParam("mark");
  const told = { mark, password: `hunter2-${mark}`, list: ["first"] };
  ctx.annotations?.add("told", told);
  told.list.push("second");
  ctx.annotations?.add("told", told.password);
  const more = upTo(Number(ctx.queryParam("more") ?? 0), most.more);
  for (let count = 1; count <= more; count += 1) ctx.annotations?.add(`more-${count}`, count);
  return next();
}

const Line = z.object({ sku: z.string(), quantity: z.int().min(1) });
const Nested = z.object({ "a/b": z.array(z.object({ "m~n": z.number() })) });
const submitted = contract({
  params: z.object({ order: z.coerce.number<string>().pipe(z.int().min(1)) }),
  query: z.object({ notify: z.enum(["true", "false"]).default("false"), tag: z.array(z.string()).default([]) }),
  headers: z.object({ "x-tenant": z.string().min(2) }),
  cookies: z.object({ session: z.string().min(2).optional() }),
  body: Line,
});

/** Routes with requests that are validated by schemas before their handlers run. */
function addContracts(app: Framework): void {
  app
    .post("/lines/{order}", submitted, (ctx) => {
      const { params, query, headers, cookies, body } = ctx.input;
      return ctx.reply(201, {
        order: params.order,
        notify: query.notify === "true",
        tags: query.tag,
        tenant: headers["x-tenant"],
        session: cookies.session ?? null,
        line: body,
      });
    })
    .query("/lines", { body: z.object({ sku: z.string() }) }, (ctx) => ctx.input.body)
    .post("/forms", { body: form(z.object({ name: z.string(), tag: z.array(z.string()) })) }, (ctx) => {
      const { name, tag: tags } = ctx.input.body;
      return { name, tags };
    })
    .post("/nested", { body: Nested, responses: { 204: null } }, (ctx) => ctx.reply(204))
    .get("/replies/{kind}", { responses: { 200: z.object({ id: z.string() }) } }, (ctx) => {
      const broken = { id: 1, secret: "s3cr3t" };
      return ctx.json(ctx.pathParam("kind") === "broken" ? broken : { id: "1" });
    })
    .group("/typed", addTyped)
    .group("/tenant", { headers: z.object({ "x-tenant": z.string().min(2) }) }, (api) => {
      api.get("/stock", { query: z.object({ shelf: z.string() }) }, (ctx) => ({
        tenant: ctx.input.headers["x-tenant"],
        shelf: ctx.input.query.shelf,
      }));
      api.get("/name", (ctx) => ({ tenant: ctx.input.headers["x-tenant"] }));
    });
}

/** Declared bodies, and a deprecation. */
function addTyped(api: Group): void {
  const Row = z.object({ id: z.number() });
  api
    .get("/csv", { responses: { 200: text("text/csv") } }, () => "a,b\n")
    .get("/picture", { responses: { 200: bytes("image/png") } }, () => new TextEncoder().encode("png"))
    .get("/lines", { responses: { 200: stream("application/x-ndjson", Row) } }, () => [{ id: 1 }, { id: 2 }])
    .get(
      "/events",
      { responses: { 200: declaredEvents({ tick: z.object({ n: z.number() }), done: z.null() }) } },
      async function* () {
        yield { event: "tick", data: { n: 1 }, id: "7" };
        yield { event: "done", data: null };
      },
    )
    .get("/member", { responses: { 200: z.object({ id: z.string() }) } }, () => ({ id: "1", secret: "s3cr3t" }))
    .get("/old", { deprecated: { since: "2026-01-01", sunset: "2027-01-01" } }, (ctx) => ctx.status(204));
}

/** One route enters the graph by a bean's method, the other by a closure. */
function addOrders(app: Framework, beans: Beans): void {
  const orders = beans.get(OrderRepository);
  app
    .post("/orders", [OrderController, "create"])
    .get("/orders/{id}", async (ctx) => {
      const order = await orders.find(ctx.pathParam("id"));
      if (order === undefined) throw new NotFoundError("no such order");
      return order;
    })
    .get("/parallel", [ParallelController, "run"])
    .get("/leaves/{mark}", (ctx) => leave(ctx, ctx.pathParam("mark")));
}

/** One leaf of each kind that needs no server. */
async function leave(ctx: Context, mark: string): Promise<object> {
  ctx.log.info(`leaving ${mark}`, { mark, password: `hunter2-${mark}` });
  step("cache", "GET", (note) => note({ system: "redis", command: "GET", key: `marks:${mark}`, hit: false }));
  const body = { mark, note: `hunter2-${mark}` };
  step("message", "send", (note) => note({ system: "kafka", operation: "send", destination: "marks", body }));
  await step("sql", "INSERT", async (note) => {
    const statement = "insert into marks values ($1)";
    note({ system: "postgresql", statement, parameters: [mark], rows: 1 });
    const ms = Number(ctx.queryParam("ms") ?? 0);
    if (ms > 0) await setTimeout(upTo(ms, most.ms));
    if (ctx.queryParam("fail") === "yes") throw new Error("failed as asked");
  });
  return { id: mark };
}

function addQueries(app: Framework): void {
  const addSearch = (to: Routes): unknown =>
    to
      .query("/search", { accept: ["application/json"] }, async (ctx) => ({
        ...(await received(ctx)),
        query: ctx.query,
      }))
      .get("/search", () => ({ method: "GET" }));
  addSearch(app);
  app.group("/api", addSearch);
  app.query("/lookup", async (ctx) => ({
    method: ctx.method,
    contentType: ctx.header("content-type"),
    text: await ctx.bodyAsString(),
  }));
}

async function received(ctx: Context): Promise<object> {
  return { method: ctx.method, contentType: ctx.header("content-type"), body: await ctx.body() };
}

/** Responses that are wrong, late, large or long. */
function addTroubles(app: Framework): void {
  app
    .get("/boom", () => {
      throw new Error("a secret of the server");
    })
    .get("/fail/{status}", (ctx) => {
      const status = upTo(ctx.pathParamAsInt("status"), 599, 400);
      throw new HttpError(status, `failed with ${status} as asked`, { headers: { "X-Failed": String(status) } });
    })
    .get("/slow/{ms}", async (ctx) => {
      const ms = upTo(ctx.pathParamAsInt("ms"), most.ms);
      await setTimeout(ms, undefined, { signal: ctx.signal }).catch(() => "the client has left");
      return { ms };
    })
    .get("/big/{bytes}", (ctx) => "x".repeat(upTo(ctx.pathParamAsInt("bytes"), most.bytes)))
    .get("/events/{n}", (ctx) => ctx.sse(events(upTo(ctx.pathParamAsInt("n"), most.events))));
}

/** The return values with which a handler can respond. */
function addReturns(app: Framework): void {
  const forms: Readonly<Record<string, (ctx: Context) => unknown>> = {
    text: () => "text",
    json: () => ({ kind: "json" }),
    bytes: () => new TextEncoder().encode("bytes"),
    stream: () => pieces("stream"),
    response: () => new Response("a,b", { status: 202, headers: { "Content-Type": "text/csv" } }),
    events: (ctx) => ctx.sse(events(1)),
    error: () => new HttpError(409, "returned as asked"),
    nothing: () => undefined,
  };
  app
    .get("/returns/{kind}", { use: [setsHeaderAfter] }, (ctx) => {
      const form = forms[ctx.pathParam("kind")];
      if (form === undefined) throw new NotFoundError(`one of ${Object.keys(forms).join(", ")} is returned here`);
      return form(ctx);
    })
    .get("/vary/{kind}", (ctx) => varied(ctx, ctx.pathParam("kind")))
    .get("/cut", () => pieces("begun", new Error("cut short as asked")));
}

/** The forms of a response that sets its own `Vary`. */
function varied(ctx: Context, kind: string): unknown {
  if (kind === "response") return new Response(kind, { headers: { Vary: "Accept" } });
  if (!["text", "stream", "events"].includes(kind))
    throw new NotFoundError("one of text, stream, response, events is returned here");
  ctx.setHeader("Vary", "Accept");
  if (kind !== "events") return kind === "text" ? kind : pieces(kind);
  const stream = ctx.sse();
  stream.send({ data: kind });
  stream.close();
  return undefined;
}

async function setsHeaderAfter(ctx: Context, next: Next): Promise<void> {
  await next();
  ctx.setHeader("X-After", ctx.pathParam("kind"));
}

// eslint-disable-next-line typescript/require-await
async function* pieces(text: string, failure?: Error): AsyncGenerator<string> {
  yield text;
  if (failure !== undefined) throw failure;
}

// An async generator although nothing is awaited, since `sse` takes one.
// eslint-disable-next-line typescript/require-await
async function* events(count: number): AsyncGenerator<SseEvent> {
  for (let n = 1; n <= count; n += 1) yield { event: "tick", id: String(n), data: JSON.stringify({ n }) };
}

function upTo(value: number, max: number, min = 0): number {
  if (value >= min && value <= max) return value;
  throw new BadRequestError(`${value} is not allowed here: ${min} to ${max} is`);
}
