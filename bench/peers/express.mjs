/** Express 5 with pino-http, cors, express-prom-bundle and the OpenTelemetry instrumentations (layer spans off). */
import { randomUUID } from "node:crypto";
import { createRequire } from "node:module";
import { found, listening, logger, problem, resources } from "./shared.mjs";

const require = createRequire(import.meta.url);
const validId = /^[A-Za-z0-9._-]{1,128}$/;

export async function serve(work) {
  const uses = (feature) => work.use.includes(feature);
  if (uses("tracing")) await instrument();
  const http = require("node:http");
  const express = require("express");
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  if (uses("id"))
    app.use((req, res, next) => {
      const given = req.headers["x-request-id"];
      req.id = given !== undefined && validId.test(given) ? given : randomUUID();
      res.setHeader("X-Request-Id", req.id);
      next();
    });
  if (uses("cors")) app.use(require("cors")());
  if (uses("log")) app.use(require("pino-http")({ logger: logger(), genReqId: (req) => req.id ?? "" }));
  if (uses("metrics"))
    app.use(require("express-prom-bundle")({ includeMethod: true, includePath: true, autoregister: false }));
  routes(app, express, work);
  app.use(
    (req, res) =>
      void res
        .status(404)
        .type("application/problem+json")
        .send(JSON.stringify(problem(req.path))),
  );
  return listening(http.createServer(app));
}

function routes(app, express, work) {
  const { kind } = work;
  if (kind === "hello") app.get("/hello", (_req, res) => void res.json({ hello: "world" }));
  if (kind === "echo") app.post("/echo", express.json(), (req, res) => void res.json(req.body));
  if (kind === "query") app.query("/search", express.json(), (req, res) => void res.json(found(req.body)));
  if (kind === "params" || kind === "missing")
    for (const name of resources(work))
      app.get(`/${name}/:id/items/:item`, (req, res) => void res.json({ id: req.params.id, item: req.params.item }));
}

async function instrument() {
  const { registerInstrumentations } = require("@opentelemetry/instrumentation");
  const { HttpInstrumentation } = require("@opentelemetry/instrumentation-http");
  const { ExpressInstrumentation, ExpressLayerType } = require("@opentelemetry/instrumentation-express");
  const { sdkProvider } = await import("./otel.mjs");
  const { MIDDLEWARE, ROUTER, REQUEST_HANDLER } = ExpressLayerType;
  registerInstrumentations({
    tracerProvider: sdkProvider(),
    instrumentations: [
      new HttpInstrumentation(),
      new ExpressInstrumentation({ ignoreLayersType: [MIDDLEWARE, ROUTER, REQUEST_HANDLER] }),
    ],
  });
}
