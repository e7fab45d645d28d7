/** find-my-way over node:http: only Fastify's router. Body reader and responses are hand-written. */
import { createServer } from "node:http";
import findMyWay from "find-my-way";
import { found, listening, problem, readJson, resources, sendJson } from "./shared.mjs";

export function serve(work) {
  const router = findMyWay({
    defaultRoute: (req, res) => sendJson(res, problem(req.url), 404, "application/problem+json"),
  });
  const { kind } = work;
  if (kind === "hello") router.on("GET", "/hello", (_req, res) => sendJson(res, { hello: "world" }));
  if (kind === "echo") router.on("POST", "/echo", async (req, res) => sendJson(res, await readJson(req)));
  if (kind === "query") router.on("QUERY", "/search", async (req, res) => sendJson(res, found(await readJson(req))));
  if (kind === "params" || kind === "missing")
    for (const name of resources(work))
      router.on("GET", `/${name}/:id/items/:item`, (_req, res, { id, item }) => sendJson(res, { id, item }));
  return listening(createServer((req, res) => router.lookup(req, res)));
}
