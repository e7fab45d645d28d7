/** Koa with @koa/router and @koa/bodyparser. */
import { createServer } from "node:http";
import { bodyParser } from "@koa/bodyparser";
import Router from "@koa/router";
import Koa from "koa";
import { found, listening, problem, resources } from "./shared.mjs";

export function serve(work) {
  const app = new Koa();
  const router = new Router({ methods: ["HEAD", "OPTIONS", "GET", "PUT", "PATCH", "POST", "DELETE", "QUERY"] });
  const { kind } = work;
  if (kind === "echo" || kind === "query") app.use(bodyParser({ parsedMethods: ["POST", "QUERY"] }));
  const json = (ctx, value) => void (ctx.body = value);
  if (kind === "hello") router.get("/hello", (ctx) => json(ctx, { hello: "world" }));
  if (kind === "echo") router.post("/echo", (ctx) => json(ctx, ctx.request.body));
  if (kind === "query") router.register("/search", ["QUERY"], (ctx) => json(ctx, found(ctx.request.body)));
  if (kind === "params" || kind === "missing")
    for (const name of resources(work))
      router.get(`/${name}/:id/items/:item`, (ctx) => json(ctx, { id: ctx.params.id, item: ctx.params.item }));
  app.use(router.routes());
  app.use((ctx) => {
    ctx.status = 404;
    ctx.type = "application/problem+json";
    ctx.body = JSON.stringify(problem(ctx.path));
  });
  return listening(createServer(app.callback()));
}
