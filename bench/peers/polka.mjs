/** Polka: a router and middleware. Body reader and responses are hand-written, as its users do. */
import { createServer } from "node:http";
import polka from "polka";
import { found, listening, problem, readJson, resources, sendJson } from "./shared.mjs";

export function serve(work) {
  const server = createServer();
  const app = polka({
    server,
    onNoMatch: (req, res) => sendJson(res, problem(req.path), 404, "application/problem+json"),
  });
  const { kind } = work;
  if (kind === "hello") app.get("/hello", (_req, res) => sendJson(res, { hello: "world" }));
  if (kind === "echo") app.post("/echo", async (req, res) => sendJson(res, await readJson(req)));
  if (kind === "query") app.add("QUERY", "/search", async (req, res) => sendJson(res, found(await readJson(req))));
  if (kind === "params" || kind === "missing")
    for (const name of resources(work))
      app.get(`/${name}/:id/items/:item`, (req, res) => sendJson(res, { id: req.params.id, item: req.params.item }));
  server.on("request", app.handler);
  return listening(server);
}
