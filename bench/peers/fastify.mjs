/** Fastify 5 with pino, @fastify/cors, @fastify/multipart, @fastify/rate-limit, @fastify/secure-session, fastify-metrics and @fastify/otel (hook and handler spans off: its best case). */
import { randomBytes, randomUUID } from "node:crypto";
import Fastify, { LogController } from "fastify";
import { certificate, found, listed, logger, problem, resources, unshaped, user } from "./shared.mjs";

const validId = /^[A-Za-z0-9._-]{1,128}$/;
const string = { type: "string" };
const object = (properties) => ({ type: "object", properties });
const schemas = {
  hello: object({ hello: string }),
  params: object({ id: string, item: string }),
  query: object({ text: string, limit: { type: "integer" }, hits: { type: "array", items: string } }),
};

export async function serve(work) {
  const uses = (feature) => work.use.includes(feature);
  const app = Fastify({
    http2: work.engine === "node-http2",
    ...(work.engine === "node-https" ? { https: await certificate() } : {}),
    ...(uses("log") ? { loggerInstance: logger() } : {}),
    logController: new LogController({ disableRequestLogging: true }),
    requestIdHeader: false,
    genReqId: (req) => {
      const given = uses("id") ? req.headers["x-request-id"] : undefined;
      return given !== undefined && validId.test(given) ? given : uses("id") ? randomUUID() : "";
    },
  });
  await install(app, uses);
  await sending(app, work);
  if (work.kind === "socket") {
    await app.register(import("@fastify/websocket"));
    app.get("/socket", { websocket: true }, (socket) =>
      socket.on("message", (data, isBinary) => socket.send(isBinary ? data : String(data))),
    );
  }
  const { kind } = work;
  const isShaped = kind === "shaped-1k" || kind === "shaped-20k";
  if (isShaped) return listening(await shaped(app, work));
  if (kind === "contracts") return listening(await contracted(app, work));
  const validated = work.validate === undefined ? undefined : await bodySchema(app, work);
  const options = validated ?? (work.schema && schemas[kind] ? { schema: { response: { 200: schemas[kind] } } } : {});
  if (kind === "hello") app.get("/hello", options, async () => ({ hello: "world" }));
  if (kind in listed) app.get("/catalogue", options, async () => listed[kind]);
  if (kind === "echo") app.post("/echo", options, async (req) => req.body);
  if (kind === "query") {
    app.addHttpMethod("QUERY", { hasBody: true, overrideExisting: true });
    app.route({ method: "QUERY", url: "/search", ...options, handler: async (req) => found(req.body) });
  }
  if (kind === "upload") {
    await app.register(import("@fastify/multipart"), { limits: { fileSize: 2 ** 25 } });
    app.post("/upload", async (req) => {
      let bytes = 0;
      for await (const part of req.parts())
        if (part.type === "file") for await (const chunk of part.file) bytes += chunk.length;
      return { bytes };
    });
  }
  if (kind === "session") {
    await app.register(import("@fastify/secure-session"), {
      key: randomBytes(32),
      cookie: { path: "/", secure: true },
    });
    app.get("/login", async (req) => void req.session.set("user", user));
    app.get("/session", async (req, reply) => req.session.get("user") ?? reply.code(401).send({}));
  }
  if (kind === "params" || kind === "missing")
    for (const name of resources(work))
      app.get(`/${name}/:id/items/:item`, options, async (req) => ({ id: req.params.id, item: req.params.item }));
  app.setNotFoundHandler((req, reply) =>
    reply
      .code(404)
      .type("application/problem+json")
      .send(JSON.stringify(problem(req.url))),
  );
  return listening(app);
}

async function listening(app) {
  await app.listen({ port: 0, host: "127.0.0.1" });
  return app.server.address().port;
}

/** A response by its schema: TypeBox's by Fastify's own serializer, Zod's by its provider. */
async function shaped(app, { kind, validate }) {
  const { responses } = await import("./schemas.mjs");
  if (validate === "zod") app.setSerializerCompiler((await import("fastify-type-provider-zod")).serializerCompiler);
  const value = unshaped[kind];
  app.get("/shaped", { schema: { response: { 200: responses[validate][kind] } } }, async () => value);
  return app;
}

/** Two routes of each resource, with new schemas. */
async function contracted(app, work) {
  const { contracts } = await import("./schemas.mjs");
  if (work.validate === "zod") {
    const { serializerCompiler, validatorCompiler } = await import("fastify-type-provider-zod");
    app.setSerializerCompiler(serializerCompiler).setValidatorCompiler(validatorCompiler);
  }
  for (const name of resources(work)) {
    const { params, line, item } = contracts[work.validate]();
    const path = `/${name}/:id/items/:item`;
    app.get(path, { schema: { params, response: { 200: item } } }, async (req) => req.params);
    app.put(path, { schema: { params, body: line, response: { 200: item } } }, async (req) => req.params);
  }
  return app;
}

/** Fastify's JSON Schema comes from TypeBox; Zod's from its provider. */
async function bodySchema(app, { validate, kind }) {
  const { schemas: bodies } = await import("./schemas.mjs");
  if (validate === "zod") app.setValidatorCompiler((await import("fastify-type-provider-zod")).validatorCompiler);
  return { schema: { body: bodies[validate][kind] } };
}

/** Plugins that change how a response is sent. */
async function sending(app, { kind, files }) {
  if (kind.startsWith("compressed")) await app.register(import("@fastify/compress"));
  if (kind === "known") await app.register(import("@fastify/etag"));
  if (kind === "file" || kind === "large-file")
    await app.register(import("@fastify/static"), { root: files, prefix: "/files/" });
}

async function install(app, uses) {
  if (uses("tracing")) {
    const { FastifyOtelInstrumentation } = await import("@fastify/otel");
    const { sdkProvider } = await import("./otel.mjs");
    const otel = new FastifyOtelInstrumentation({ instrumentHooks: false });
    otel.setTracerProvider(sdkProvider());
    await app.register(otel.plugin());
  }
  if (uses("id")) app.addHook("onRequest", (req, reply, done) => void done(void reply.header("X-Request-Id", req.id)));
  if (uses("cors")) await app.register(import("@fastify/cors"), { origin: "*" });
  if (uses("metrics")) {
    const { default: metrics } = await import("fastify-metrics");
    const routeMetrics = { enabled: { histogram: true, summary: false } };
    await app.register(metrics.default ?? metrics, {
      endpoint: null,
      defaultMetrics: { enabled: false },
      routeMetrics,
    });
  }
  if (uses("limit")) await app.register(import("@fastify/rate-limit"), { max: 1_000_000_000, timeWindow: 60_000 });
  if (uses("log"))
    app.addHook("onResponse", (req, reply, done) => {
      const { method, url, ip } = req;
      const durationUs = Math.round(reply.elapsedTime * 1000);
      req.log.info({
        method,
        path: url,
        route: req.routeOptions.url,
        status: reply.statusCode,
        durationUs,
        remoteAddress: ip,
      });
      done();
    });
}
