/** h3 v2 on its node adapter. */
import { createServer } from "node:http";
import { H3 } from "h3";
import { toNodeHandler } from "h3/node";
import { found, listening, problem, resources } from "./shared.mjs";

/** The app of a job, which also accepts a web Request. */
export function appOf(work) {
  const app = new H3();
  const { kind } = work;
  if (kind === "hello") app.get("/hello", () => ({ hello: "world" }));
  if (kind === "echo") app.post("/echo", (event) => event.req.json());
  if (kind === "query") app.on("QUERY", "/search", async (event) => found(await event.req.json()));
  if (kind === "params" || kind === "missing")
    for (const name of resources(work))
      app.get(`/${name}/:id/items/:item`, ({ context: { params } }) => ({ id: params.id, item: params.item }));
  app.all("/**", (event) => {
    event.res.status = 404;
    event.res.headers.set("content-type", "application/problem+json");
    return JSON.stringify(problem(event.url.pathname));
  });
  return app;
}

export const serve = (work) => listening(createServer(toNodeHandler(appOf(work))));
