/** Hono on @hono/node-server with hono/request-id, hono/cors, pino, @hono/prometheus and @hono/otel. */
import { serve as listen } from "@hono/node-server";
import { Hono } from "hono";
import { cors } from "hono/cors";
import { requestId } from "hono/request-id";
import { certificate, found, listed, logger, problem, resources } from "./shared.mjs";

/** The app of a job, which also accepts a web Request. */
export async function appOf(work) {
  const app = new Hono();
  const { kind } = work;
  for (const feature of work.use) app.use(await features[feature]());
  if (kind === "hello") app.get("/hello", (c) => c.json({ hello: "world" }));
  if (kind.startsWith("compressed")) app.use((await import("hono/compress")).compress());
  if (kind in listed) app.get("/catalogue", (c) => c.json(listed[kind]));
  if (kind === "contracts") await addContracts(app, work);
  else if (work.validate !== undefined) await addValidated(app, work);
  else if (kind === "echo") app.post("/echo", async (c) => c.json(await c.req.json()));
  else if (kind === "query") app.on("QUERY", "/search", async (c) => c.json(found(await c.req.json())));
  if (kind === "params" || kind === "missing")
    for (const name of resources(work))
      app.get(`/${name}/:id/items/:item`, (c) => c.json({ id: c.req.param("id"), item: c.req.param("item") }));
  app.notFound((c) => c.body(JSON.stringify(problem(c.req.path)), 404, { "Content-Type": "application/problem+json" }));
  return app;
}

/** Its Zod validator, or its validator for Standard Schemas. */
async function checkerOf(validate) {
  if (validate === "zod") return (await import("@hono/zod-validator")).zValidator;
  const { sValidator } = await import("@hono/standard-validator");
  const { standardOf } = await import("./schemas.mjs");
  return (part, validator) => sValidator(part, standardOf(validator));
}

/** Two routes of each resource, with new schemas. It has none for responses. */
async function addContracts(app, work) {
  const { contracts, compiled } = await import("./schemas.mjs");
  const checker = await checkerOf(work.validate);
  for (const name of resources(work)) {
    const { params, line } = contracts[work.validate]();
    const checkParams = checker("param", compiled(work.validate, params));
    const path = `/${name}/:id/items/:item`;
    app.get(path, checkParams, (c) => c.json(c.req.valid("param")));
    app.put(path, checkParams, checker("json", compiled(work.validate, line)), (c) => c.json(c.req.valid("param")));
  }
}

async function addValidated(app, { validate, kind }) {
  const { validatorOf } = await import("./schemas.mjs");
  const check = (await checkerOf(validate))("json", validatorOf(validate, kind));
  if (kind === "echo") app.post("/echo", check, (c) => c.json(c.req.valid("json")));
  else app.on("QUERY", "/search", check, (c) => c.json(found(c.req.valid("json"))));
}

export async function serve(work) {
  const { fetch } = await appOf(work);
  const options = { fetch, port: 0, hostname: "127.0.0.1" };
  if (work.engine === "node-https") {
    const { createServer } = await import("node:https");
    Object.assign(options, { createServer, serverOptions: await certificate() });
  }
  return new Promise((resolve) => listen(options, ({ port }) => resolve(port)));
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
