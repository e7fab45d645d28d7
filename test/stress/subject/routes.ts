/**
 * The subject's routes: `/r/{kind}/{nonce}` for the soak, odd ones for the fuzzer, large ones for the slow attacks.
 */
import { posix } from "node:path";
import { HttpError, Interface, type Framework, type SseStream } from "framework";
import { essentials } from "./essentials.ts";
import type { Seen } from "./seen.ts";

/** The service of the routes: a bean with calls that devtools record. */
export interface Echo {
  say(nonce: string): Promise<string>;
  blob(bytes: number): { data: string };
}
/** Its token. */
export const Echo = Interface<Echo>("EchoService");

/** The response of `/big`: larger than the buffers of a connection. */
const big = new Uint8Array(16 * 1_048_576);

/** Paths that only guarded handlers may receive. */
const isGuarded = (path: string): boolean =>
  /^\/(files|any)\/private(\/|$)|^\/files\/vault\/[^/]+\/?$/.test(posix.normalize(path.replaceAll("\\", "/")));

/** Routes with guards that reject every client, and wider ones next to them. */
function guarded(app: Framework, { reached }: Seen): void {
  const reject = (): never => {
    throw new HttpError(403);
  };
  const read = (path: string): string => {
    if (isGuarded(path)) reached.push(path);
    return path;
  };
  app
    .use("/files/private", reject)
    .use("/any/private", reject)
    .get("/files/*rest", (ctx) => read(`/files/${ctx.pathParam("rest")}`))
    .get("/files/private/{a}", (ctx) => read(`/files/private/${ctx.pathParam("a")}`))
    .group("/files/vault", (vault) => {
      vault.use(reject).get("/{a}", (ctx) => read(`/files/vault/${ctx.pathParam("a")}`));
    })
    .any("/any/{a}/{b}", (ctx) => {
      read(`/any/${ctx.pathParam("a")}/${ctx.pathParam("b")}`);
      return { params: ctx.params, cookie: ctx.cookie("c") ?? null, query: ctx.query };
    });
}

/** Routes that write their input where a line feed would start a header, an event or a line. */
function injectable(app: Framework): void {
  app
    .get("/inject/header/{value}", (ctx) => ctx.setHeader("X-Echo", ctx.pathParam("value")).text("echo"))
    .get("/inject/redirect/{value}", (ctx) => ctx.redirect(ctx.pathParam("value")))
    .get("/inject/problem/{value}", (ctx) => {
      throw new HttpError(409, ctx.pathParam("value"));
    })
    .get("/inject/event/{value}", (ctx) => {
      const value = ctx.pathParam("value");
      return ctx.sse(
        (async function* () {
          yield { data: value, event: value, id: value };
        })(),
      );
    });
}

/** Registers the routes. Returns the clients of `/events`. */
export function routes(app: Framework, seen: Seen): ReadonlySet<SseStream> {
  guarded(app, seen);
  injectable(app);
  essentials(app);
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
    .get("/r/reject/{nonce}", async (ctx) => {
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
    .post("/bomb/{nonce}", { maxBodyBytes: 16 * 1_048_576 }, async (ctx) => {
      const { length } = await ctx.bodyAsBytes();
      return ctx.get(Echo).blob(length);
    })
    .post("/echo", async (ctx) => ({ body: await ctx.body(), query: ctx.query }))
    .query("/echo", { accept: ["application/json", "text/plain"] }, async (ctx) => ({
      text: await ctx.bodyAsString(),
      query: ctx.query,
    }))
    .put("/upload", (ctx) => ctx.bodyAsStream())
    .get("/events", (ctx) => {
      const stream = ctx.sse();
      streams.add(stream);
      ctx.onComplete(() => void streams.delete(stream));
    });
  return streams;
}
