/**
 * The subject's routes: `/r/{kind}/{nonce}` for the soak, odd ones for the fuzzer, large ones for the slow.
 */
import { HttpError, Interface, type Framework, type SseStream } from "framework";

/** What stands behind the routes: a bean whose calls devtools record. */
export interface Echo {
  say(nonce: string): Promise<string>;
  blob(bytes: number): { data: string };
}
/** Its token. */
export const Echo = Interface<Echo>("EchoService");

/** Bytes of `/big`: more than the buffers of both ends of a connection hold (10 MiB on Linux). */
export const bigBytes = 16 * 1_048_576;
const big = new Uint8Array(bigBytes);

/** Registers the routes. Returns the clients of `/events`. */
export function routes(app: Framework): ReadonlySet<SseStream> {
  const streams = new Set<SseStream>();
  app
    .get("/canary", () => "ok")
    .get("/r/text/{nonce}", (ctx) => ctx.get(Echo).say(ctx.pathParam("nonce")))
    .get("/r/json/{nonce}", async (ctx) => ({ nonce: await ctx.get(Echo).say(ctx.pathParam("nonce")) }))
    .post("/r/body/{nonce}", async (ctx) => ({
      nonce: await ctx.get(Echo).say(ctx.pathParam("nonce")),
      body: await ctx.body(),
    }))
    .query("/r/query/{nonce}", async (ctx) => ({
      nonce: await ctx.get(Echo).say(ctx.pathParam("nonce")),
      body: await ctx.body(),
    }))
    .get("/r/refuse/{nonce}", async (ctx) => {
      throw new HttpError(409, await ctx.get(Echo).say(ctx.pathParam("nonce")));
    })
    .get("/r/fail/{nonce}", async (ctx) => {
      throw new RangeError(await ctx.get(Echo).say(ctx.pathParam("nonce")));
    })
    .get("/r/slow/{nonce}", async (ctx) => {
      await new Promise((resolve) => setTimeout(resolve, 40));
      return await ctx.get(Echo).say(ctx.pathParam("nonce"));
    })
    .get("/r/stream/{nonce}", async function* (ctx) {
      for (let part = 0; part < 4; part += 1) yield `${await ctx.get(Echo).say(ctx.pathParam("nonce"))}\n`;
    })
    .get("/big", () => big)
    .post(
      "/bomb/{nonce}",
      async (ctx) => {
        const { length } = await ctx.bodyAsBytes();
        return ctx.get(Echo).blob(length);
      },
      { maxBodyBytes: 16 * 1_048_576 },
    )
    .post("/echo", async (ctx) => ({ body: await ctx.body(), query: ctx.query }))
    .query("/echo", async (ctx) => ({ text: await ctx.bodyAsString(), query: ctx.query }), {
      accept: ["application/json", "text/plain"],
    })
    .any("/any/{a}/{b}", (ctx) => ({ params: ctx.pathParams, cookie: ctx.cookie("c") ?? null, query: ctx.query }))
    .get("/files/*rest", (ctx) => ({ rest: ctx.pathParam("rest") }))
    .put("/upload", (ctx) => ctx.bodyAsStream())
    .get("/events", (ctx) => {
      const stream = ctx.sse();
      streams.add(stream);
      ctx.onComplete(() => void streams.delete(stream));
    });
  return streams;
}
