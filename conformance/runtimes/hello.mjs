/** The app that every runtime serves: text, JSON, a QUERY with its body, events, and data from the platform. */
import { Framework } from "framework";

/** @param {import("framework").FrameworkOptions} [options] */
export function hello(options) {
  return Framework.create(options)
    .get("/hello/{name}", (ctx) => `Hello, ${ctx.pathParam("name")}!`)
    .query("/search", { accept: ["application/json"] }, async (ctx) => ctx.json({ found: await ctx.body() }))
    .post("/echo", (ctx) => ctx.send(ctx.bodyAsStream()))
    .get("/peer", (ctx) => ctx.json({ peer: ctx.peerAddress ?? null }))
    .get("/events", (ctx) => {
      const stream = ctx.sse();
      stream.send({ event: "hello", data: "one" });
      setTimeout(() => stream.close(), 10);
    });
}
