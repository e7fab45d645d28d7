/** Elysia on Bun, by its own `listen`. */
import { Elysia } from "elysia";
import { found, problem, resources } from "./shared.mjs";

/** Starts the job and resolves to its port. */
export function elysia(work) {
  const app = new Elysia();
  const { kind } = work;
  if (kind === "hello") app.get("/hello", () => ({ hello: "world" }));
  if (kind === "echo") app.post("/echo", ({ body }) => body);
  if (kind === "query") app.route("QUERY", "/search", ({ body }) => found(body), { parse: "json" });
  if (kind === "params" || kind === "missing")
    for (const name of resources(work))
      app.get(`/${name}/:id/items/:item`, ({ params }) => ({ id: params.id, item: params.item }));
  app.onError(({ code, path, set }) => {
    if (code !== "NOT_FOUND") return undefined;
    set.status = 404;
    set.headers["content-type"] = "application/problem+json";
    return JSON.stringify(problem(path));
  });
  return new Promise((resolve) => app.listen({ port: 0, hostname: "127.0.0.1" }, ({ port }) => resolve(port)));
}
