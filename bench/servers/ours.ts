/**
 * The framework under test: the same middleware, handlers and defaults as an application. Parts that few jobs need are imported
 * only for them, since startup is measured too.
 */
import {
  CorsMiddleware,
  Framework,
  HealthMiddleware,
  InMemoryMetricsCollector,
  MetricsMiddleware,
  RequestIdMiddleware,
  RequestLoggingMiddleware,
  UnauthorizedError,
  type CompileSerializer,
  type FrameworkOptions,
  type MiddlewareLike,
  type StandardSchema,
} from "framework";
import { found, listed, unshaped, user } from "../values.ts";
import type { Feature, Work } from "../work.ts";
import { schemas } from "./schemas.ts";

/** Starts the job and resolves to its port. */
export async function serve(work: Work): Promise<number> {
  const app = await ours(work);
  await app.start();
  if (work.streams > 0) (await import("./pages.ts")).openPages(app.port, work.streams);
  return app.port;
}

/** The app of a job, not yet started. */
export async function ours(work: Work): Promise<Framework> {
  const app = Framework.create({
    port: 0,
    host: "127.0.0.1",
    logger: { info: () => undefined, warn: () => undefined },
    engine: await engineOf(work),
    ...(await serializing(work)),
  });
  const { use, series, wasteUs } = work;
  const features: Readonly<Record<Feature, () => MiddlewareLike | Promise<MiddlewareLike>>> = {
    id: () => new RequestIdMiddleware(),
    cors: () => CorsMiddleware.permissive(),
    log: () => RequestLoggingMiddleware.json(),
    metrics: () => metrics(series),
    tracing: () => tracing(work.sampled),
    limit,
  };
  if (wasteUs > 0) app.use(waste(wasteUs));
  for (const feature of use) app.use(await features[feature]());
  if (work.kind === "health") app.use(health());
  for (const middleware of await sending(work)) app.use(middleware);
  if (work.kind === "upload") await addUpload(app);
  else if (work.kind === "beans") await (await import("./beans.ts")).addBeans(app, work);
  else if (work.kind === "shaped-1k" || work.kind === "shaped-20k") await addShaped(app, work.kind, work);
  else if (work.kind === "contracts") await addContracts(app, work);
  else if (work.validate !== undefined) await addValidated(app, work);
  else if (work.kind === "socket") await addSocket(app);
  else if (work.kind === "session") await addSession(app);
  else addRoutes(app, work);
  return app;
}

async function engineOf(work: Work): Promise<FrameworkOptions["engine"]> {
  if (work.engine === "node-http") return undefined;
  const { NodeHttp2Engine } = await import("framework");
  if (work.engine === "node-http2") return new NodeHttp2Engine();
  return new NodeHttp2Engine((await import("../../test/certificate.ts")).certificate);
}

/** Middleware that changes how a response is sent. An earlier base commit may not have it. */
async function sending({ kind, files }: Work): Promise<readonly MiddlewareLike[]> {
  if (kind === "compressed" || kind === "compressed-3k")
    return [new (await import("framework")).CompressionMiddleware()];
  if (kind === "known") return [new (await import("framework")).EtagMiddleware()];
  if (kind !== "file" && kind !== "large-file") return [];
  const { StaticMiddleware } = await import("framework/static");
  return [new StaticMiddleware({ root: files, prefix: "/files" })];
}

function metrics(series: number): MiddlewareLike {
  const collector = new InMemoryMetricsCollector();
  for (let n = 0; n < series - 1; n += 1)
    collector.record({ method: "GET", route: `/series${n}/{id}`, status: 200, durationSeconds: 0.01, aborted: false });
  return new MetricsMiddleware(collector);
}

async function tracing(isSampled: boolean): Promise<MiddlewareLike> {
  const [{ TracingMiddleware }, { sdkTracer }] = await Promise.all([
    import("framework/opentelemetry"),
    import("./otel.ts"),
  ]);
  return new TracingMiddleware(sdkTracer(isSampled));
}

async function limit(): Promise<MiddlewareLike> {
  const { RateLimitMiddleware } = await import("framework/rate-limit");
  return new RateLimitMiddleware({ limit: 1_000_000_000, windowMs: 60_000 });
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

/** TypeBox's types have a serializer, as Fastify has for them. Zod's schemas run. */
async function serializing({ kind, validate }: Work): Promise<Partial<FrameworkOptions>> {
  if (validate !== "typebox" || !/^(?:shaped|contracts)/.test(kind)) return {};
  const { default: fastJson } = await import("fast-json-stringify");
  const { Compile } = await import("typebox/compile");
  return { compileSchema: Compile, compileSerializer: fastJson as CompileSerializer };
}

/** A response with a schema that does not name all of its members. */
async function addShaped(app: Framework, kind: "shaped-1k" | "shaped-20k", { validate = "zod" }: Work): Promise<void> {
  const { responses } = await schemas();
  const response = responses[validate]?.[kind] as StandardSchema<object>;
  const value = unshaped[kind];
  app.get("/shaped", { responses: { 200: response } }, () => value);
}

/** Two routes of each resource, with contracts of new schemas. */
async function addContracts(app: Framework, { resources, validate = "zod" }: Work): Promise<void> {
  const { contracts } = await schemas();
  for (let n = 0; n < resources; n += 1) {
    const { params, line, item } = contracts[validate]();
    const path = `/resource${n}/{id}/items/{item}`;
    app.get(path, { params, responses: { 200: item } }, (ctx) => ctx.input.params);
    app.put(path, { params, body: line, responses: { 200: item } }, (ctx) => ctx.input.params);
  }
}

/** The route's contract, or the handler itself, validates the body by a schema. The difference is the framework's. */
async function addValidated(app: Framework, { kind, validate = "zod", validatesIn }: Work): Promise<void> {
  const { validatorOf, holds } = await schemas();
  const body = validatorOf(validate, kind);
  const resultOf = (value: object): object => (kind === "echo" ? value : found(value));
  const [method, path] = kind === "echo" ? ["POST", "/echo"] : ["QUERY", "/search"];
  if (validatesIn === "handler") app.route(method, path, async (ctx) => resultOf(holds(body, await ctx.body())));
  // Without `accept`, as above: the types of a QUERY do not matter here.
  else app.route(method, path, { body, accept: undefined }, (ctx) => resultOf(ctx.input.body));
}

async function addUpload(app: Framework): Promise<void> {
  const { multipart } = await import("framework/multipart");
  app.post("/upload", { maxBodyBytes: 2 ** 25 }, async (ctx) => {
    let bytes = 0;
    for await (const part of multipart(ctx))
      if (part.kind === "file") for await (const chunk of part) bytes += chunk.length;
    return { bytes };
  });
}

async function addSession(app: Framework): Promise<void> {
  const { SessionMiddleware, sessionOf } = await import("framework/session");
  app.use(new SessionMiddleware({ secrets: "a secret of the bench, which nobody keeps" }));
  app.get("/login", (ctx) => void sessionOf(ctx).set("user", user));
  app.get("/session", (ctx) => sessionOf(ctx).get("user") ?? new UnauthorizedError("log in first"));
}

async function addSocket(app: Framework): Promise<void> {
  const { webSocket } = await import("framework/websocket");
  app.ws("/socket", webSocket({ message: (socket, message) => void socket.send(message) }));
}

function addRoutes(app: Framework, { kind, resources }: Work): void {
  if (kind === "hello") app.get("/hello", () => ({ hello: "world" }));
  if (kind === "compressed" || kind === "compressed-3k" || kind === "known") app.get("/catalogue", () => listed[kind]);
  if (kind === "echo") app.post("/echo", (ctx) => ctx.body());
  // Without `accept`: no other server advertises its types, and that is one more header.
  if (kind === "query") app.query("/search", async (ctx) => found(await ctx.body()));
  if (kind !== "params" && kind !== "missing") return;
  for (let n = 0; n < resources; n += 1)
    app.get(`/resource${n}/{id}/items/{item}`, (ctx) => ({ id: ctx.pathParam("id"), item: ctx.pathParam("item") }));
}
