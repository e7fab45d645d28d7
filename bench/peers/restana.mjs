/** restana: a router and middleware. Body reader and responses are hand-written. It does not support QUERY. */
import { createServer } from "node:http";
import restana from "restana";
import { listening, problem, readJson, resources, sendJson } from "./shared.mjs";

export function serve(work) {
  const server = createServer();
  const app = restana({
    server,
    defaultRoute: (req, res) => sendJson(res, problem(req.url), 404, "application/problem+json"),
  });
  const { kind } = work;
  if (kind === "hello") app.get("/hello", (_req, res) => sendJson(res, { hello: "world" }));
  if (kind === "echo") app.post("/echo", async (req, res) => sendJson(res, await readJson(req)));
  if (kind === "params" || kind === "missing")
    for (const name of resources(work))
      app.get(`/${name}/:id/items/:item`, (req, res) => sendJson(res, { id: req.params.id, item: req.params.item }));
  return listening(server);
}
