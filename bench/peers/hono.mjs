/** Hono on @hono/node-server with hono/request-id, hono/cors, pino, @hono/prometheus and @hono/otel. */
import { serve as listen } from "@hono/node-server";
import { Hono } from "hono";
import { cors } from "hono/cors";
import { requestId } from "hono/request-id";
import { found, logger, problem, resources } from "./shared.mjs";

/** The app of a job, which also accepts a web Request. */
export async function appOf(work) {
  const app = new Hono();
  const { kind } = work;
  for (const feature of work.use) app.use(await features[feature]());
  if (kind === "hello") app.get("/hello", (c) => c.json({ hello: "world" }));
  if (work.validate !== undefined) await addValidated(app, work);
  else if (kind === "echo") app.post("/echo", async (c) => c.json(await c.req.json()));
  else if (kind === "query") app.on("QUERY", "/search", async (c) => c.json(found(await c.req.json())));
  if (kind === "params" || kind === "missing")
    for (const name of resources(work))
      app.get(`/${name}/:id/items/:item`, (c) => c.json({ id: c.req.param("id"), item: c.req.param("item") }));
  app.notFound((c) => c.body(JSON.stringify(problem(c.req.path)), 404, { "Content-Type": "application/problem+json" }));
  return app;
}

/** With its Zod validator, or its validator for Standard Schemas. */
async function addValidated(app, { validate, kind }) {
  const { standardOf, validatorOf } = await import("./schemas.mjs");
  const validator = validatorOf(validate, kind);
  const check =
    validate === "zod"
      ? (await import("@hono/zod-validator")).zValidator("json", validator)
      : (await import("@hono/standard-validator")).sValidator("json", standardOf(validator));
  if (kind === "echo") app.post("/echo", check, (c) => c.json(c.req.valid("json")));
  else app.on("QUERY", "/search", check, (c) => c.json(found(c.req.valid("json"))));
}

export async function serve(work) {
  const { fetch } = await appOf(work);
  return new Promise((resolve) => listen({ fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => resolve(port)));
}

const features = {
  id: () => requestId(),
  cors: () => cors(),
  log: () => {
    const log = logger();
    return async (c, next) => {
      const startedAt = performance.now();
      await next();
      const durationUs = Math.round((performance.now() - startedAt) * 1000);
      log.info({
        method: c.req.method,
        path: c.req.path,
        route: c.req.routePath,
        status: c.res.status,
        durationUs,
        requestId: c.get("requestId"),
      });
    };
  },
  metrics: async () => (await import("@hono/prometheus")).prometheus().registerMetrics,
  tracing: async () => {
    const { httpInstrumentationMiddleware } = await import("@hono/otel");
    const { sdkProvider } = await import("./otel.mjs");
    return httpInstrumentationMiddleware({ tracerProvider: sdkProvider() });
  },
};
