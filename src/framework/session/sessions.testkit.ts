/** Shared by the tests of sessions: an app with one, and a client with a cookie jar. */
import { ConflictError, type Context } from "../index.ts";
import { created } from "../testing/harness.testkit.ts";
import { MemorySessionStore, SessionMiddleware, sessionOf, type SessionOptions } from "./index.ts";

/** A secret. */
export const secret = "0123456789abcdef0123456789abcdef";

/** A way to keep sessions. */
export interface Keeping {
  readonly options: SessionOptions;
  /** The number of stored sessions. */
  kept(): number;
}

/** Sealed in the cookie. */
export const sealedWith = (secrets: string | readonly string[] = secret): Keeping => ({
  options: { secrets },
  kept: () => 0,
});

/** In memory. */
export function storedIn(store: MemorySessionStore = new MemorySessionStore()): Keeping {
  return { options: { store }, kept: () => store.size };
}

/** A client of one app that behaves like a browser. */
export interface Client {
  /** The `Cookie` header to send. */
  jar: string;
  readonly warnings: readonly string[];
  readonly errors: readonly { readonly line: string; readonly error: unknown }[];
  readonly sessions: SessionMiddleware;
  get(path: string): Promise<{ readonly response: Response; readonly cookie: string | undefined }>;
  json(path: string): Promise<Record<string, unknown>>;
}

/** An app with sessions of those options, and its client. */
export function createClient(options: SessionOptions): Client {
  const { app, warnings, errors } = created();
  const sessions = new SessionMiddleware(options);
  app.use(sessions);
  for (const [path, handler] of Object.entries(handlers)) app.get(path as "/", handler);
  const client: Client = {
    jar: "",
    warnings,
    errors,
    sessions,
    async get(path) {
      const headers = client.jar === "" ? undefined : { cookie: client.jar };
      const response = await app.request(path, headers && { headers });
      const cookie = response.headers.getSetCookie().at(-1);
      const [pair = ""] = cookie?.split(";") ?? [];
      if (cookie !== undefined) client.jar = pair.endsWith("=") ? "" : pair;
      return { response, cookie };
    },
    json: async (path) => (await (await client.get(path)).response.json()) as Record<string, unknown>,
  };
  return client;
}

const ask = (ctx: Context, name: string): string => ctx.queryParam(name) ?? "";
const cartOf = (ctx: Context): string[] => sessionOf(ctx).get("cart") ?? [];
const login = (ctx: Context): unknown => sessionOf(ctx).regenerate().set("user", ask(ctx, "user"));
const add = (ctx: Context): unknown => sessionOf(ctx).set("cart", [...cartOf(ctx), ask(ctx, "sku")]);

const cycle: unknown[] = [];
cycle.push(cycle);
const oddities: Readonly<Record<string, unknown>> = {
  nothing: undefined,
  function: () => 1,
  symbol: Symbol("s"),
  promise: Promise.resolve(1),
  cycle,
  bigint: 1n,
  map: new Map(),
  inner: { tags: [new Set()] },
  empty: { toJSON: () => undefined },
};

const handlers: Readonly<Record<string, (ctx: Context) => unknown>> = {
  "/untouched": () => "nothing",
  "/read": (ctx) => {
    const session = sessionOf(ctx);
    return { user: session.get("user") ?? null, cart: session.get("cart") ?? null, isNew: session.isNew };
  },
  "/login": (ctx) => (login(ctx), "in"),
  "/add": (ctx) => (add(ctx), "added"),
  "/push": (ctx) => (cartOf(ctx).push(ask(ctx, "sku")), "pushed"),
  "/same": (ctx) => (sessionOf(ctx).set("cart", [...cartOf(ctx)]), "same"),
  "/fails": (ctx) => {
    sessionOf(ctx).get("user");
    throw new ConflictError();
  },
  "/refuses": (ctx) => {
    add(ctx);
    throw new ConflictError();
  },
  "/clear": (ctx) => (sessionOf(ctx).delete("user").clear(), "cleared"),
  "/destroy": (ctx) => (sessionOf(ctx).destroy(), "out"),
  "/anew": (ctx) => (sessionOf(ctx).destroy(), add(ctx), "anew"),
  "/cached": (ctx) => (login(ctx), ctx.setHeader("Cache-Control", "public, max-age=60").text("x")),
  "/saved": async (ctx) => {
    login(ctx);
    await sessionOf(ctx).save();
    return ctx.setHeader("Cache-Control", "public, max-age=60").text("x");
  },
  "/events": async (ctx) => {
    sessionOf(ctx).set("user", ask(ctx, "user"));
    if (ask(ctx, "save") !== "") await sessionOf(ctx).save();
    const events = ctx.sse();
    events.send("x");
    events.close();
  },
  "/streamed": (ctx) => {
    const cart = cartOf(ctx);
    return ctx.send(
      (async function* () {
        cart.push(ask(ctx, "sku"));
        yield "x";
      })(),
    );
  },
  "/watched": (ctx) => {
    const events = ctx.sse();
    cartOf(ctx);
    events.close();
  },
  "/late": async (ctx) => {
    const events = ctx.sse();
    add(ctx);
    const saved = await sessionOf(ctx)
      .save()
      .then(
        () => "saved",
        (error: { code?: unknown }) => String(error.code),
      );
    events.send(saved);
    events.close();
  },
  "/odd": (ctx) => (sessionOf(ctx).set(`odd`, oddities[ask(ctx, "kind")]), "odd"),
  "/put": (ctx) => (sessionOf(ctx).set(ask(ctx, "key") as "odd", ask(ctx, "value")), "put"),
  "/values": (ctx) => ctx.queryParams("key").map((key) => sessionOf(ctx).get(key as "odd") ?? null),
};
