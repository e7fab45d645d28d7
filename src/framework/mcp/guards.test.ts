/** A tool call is judged as the request that it stands for: every guard, with every kind of credentials. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { z } from "zod";
import { BasicAuthMiddleware, BearerAuthMiddleware, requireRole, requireScope } from "../auth/index.ts";
import { type Context, CorsMiddleware, ForbiddenError, Framework, HookMiddleware } from "../index.ts";
import { RateLimitMiddleware } from "../rate-limit/index.ts";
import { MemorySessionStore, SessionMiddleware, sessionOf } from "../session/index.ts";
import { called } from "./agent.testkit.ts";
import { McpMiddleware } from "./index.ts";

/** What a request is let through by, if at all. */
const credentials: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  none: {},
  "a wrong token": { authorization: "Bearer wrong" },
  "a reader's token": { authorization: "Bearer reader" },
  "an admin's token": { authorization: "Bearer admin" },
  "a password": { authorization: `Basic ${btoa("a:b")}` },
  "an API key": { "x-api-key": "key" },
  "a foreign origin": { origin: "https://evil.example", "x-api-key": "key" },
  "a forged address": { "x-forwarded-for": "10.0.0.9", forwarded: "for=10.0.0.9" },
  "a cookie": { cookie: "user=ada" },
};

const onlyWith = (allowed: (ctx: Context) => boolean): HookMiddleware =>
  new (class extends HookMiddleware {
    override before(ctx: Context): void {
      if (!allowed(ctx)) throw new ForbiddenError("no");
    }
  })();

const principals = new Map([
  ["reader", { id: "r", scopes: ["read"] }],
  ["admin", { id: "a", roles: ["admin"], scopes: ["read", "write"] }],
]);
const bearer = (): BearerAuthMiddleware => new BearerAuthMiddleware({ verify: (token) => principals.get(token) });

/** The guards' table: each is in front of a route of every method. */
const guards: Readonly<
  Record<string, () => HookMiddleware[] | { handle: (ctx: Context, next: () => unknown) => unknown }[]>
> = {
  bearer: () => [bearer()],
  role: () => [bearer(), requireRole("admin")],
  scope: () => [bearer(), requireScope("write")],
  basic: () => [
    new BasicAuthMiddleware({
      verify: (user, password) => (user === "a" && password === "b" ? { id: "a" } : undefined),
    }),
  ],
  key: () => [onlyWith((ctx) => ctx.header("x-api-key") === "key")],
  origin: () => [onlyWith((ctx) => ctx.header("origin") === undefined)],
  address: () => [onlyWith((ctx) => ctx.remoteAddress === "10.0.0.9")],
  peer: () => [onlyWith((ctx) => ctx.peerAddress === "192.0.2.1")],
  cookie: () => [onlyWith((ctx) => ctx.cookie("user") === "ada")],
  host: () => [onlyWith((ctx) => ctx.host === "shop.example")],
  method: () => [onlyWith((ctx) => ctx.method === "GET")],
  path: () => [onlyWith((ctx) => !ctx.path.endsWith("/admin"))],
  limit: () => [
    new RateLimitMiddleware({ limit: 1, windowMs: 60_000, key: (ctx: Context) => ctx.header("x-api-key") ?? "nobody" }),
  ],
};
const methods = ["GET", "QUERY", "POST", "PUT", "DELETE", "PATCH"] as const;

/** An app with a guarded route of every method, by the guard's name. `ran` collects the handlers that ran. */
function guardedApp(name: string, place: "route" | "group" | "prefix", ran: string[]): Framework {
  const app = Framework.create({ logger: { warn: () => undefined, error: () => undefined } });
  const use = guards[name]?.() ?? [];
  app.use(new CorsMiddleware({ allowOrigins: ["https://shop.example"] }));
  app.use(new McpMiddleware({ info: { name: "guards", version: "1" }, origins: ["https://evil.example"] }));
  if (place === "prefix") for (const one of use) app.use("/guarded", one);
  app.group("/guarded", { tool: true }, (group) => {
    if (place === "group") for (const one of use) group.use(one);
    for (const method of methods)
      group.route(method, "/{id}", { operationId: method, ...(place === "route" ? { use } : {}) }, (ctx) => {
        ran.push(`${method} ${ctx.params["id"]}`);
        return "ran";
      });
  });
  return app;
}

interface Judged {
  readonly isLet: boolean;
  readonly status: number | undefined;
}

describe("a tool call", () => {
  for (const name of Object.keys(guards))
    for (const place of ["route", "group", "prefix"] as const)
      test(`passes the guard ${name} of a ${place} exactly when its request does`, async () => {
        const ran: string[] = [];
        const shared = guardedApp(name, place, ran);
        for (const [what, headers] of Object.entries(credentials))
          for (const method of methods)
            for (const id of name === "path" ? ["7", "admin"] : ["7"]) {
              // The limit of each is unused.
              const app = (): Framework => (name === "limit" ? guardedApp(name, place, ran) : shared);
              const asRequest = { ...(await judgedRequest(app(), method, id, headers)), ran: ran.splice(0) };
              const asCall = { ...(await judgedCall(app(), method, id, headers)), ran: ran.splice(0) };
              assert.deepEqual(asCall, asRequest, `${method} ${id} with ${what}`);
              assert.equal(asRequest.ran.length, asRequest.isLet ? 1 : 0);
            }
      });

  test("uses up the limit of its route as a request does", async () => {
    const ran: string[] = [];
    const app = guardedApp("limit", "route", ran);
    assert.equal((await called(app, "GET", { id: "1" })).isError, false);
    assert.match((await called(app, "GET", { id: "1" })).text, /"status":429/);
    assert.deepEqual(ran, ["GET 1"]);
  });

  test("has the session of its caller", async () => {
    const app = Framework.create();
    app.use(new SessionMiddleware({ store: new MemorySessionStore() }));
    app.use(new McpMiddleware({ info: { name: "a", version: "1" } }));
    app.post("/login", (ctx) => {
      sessionOf(ctx).set("user", "ada");
      return "in";
    });
    app.get("/me", { operationId: "me", tool: true }, (ctx) => String(sessionOf(ctx).get("user")));
    const [cookie = ""] = (await app.request("/login", { method: "POST" })).headers.getSetCookie();
    const [pair = ""] = cookie.split(";");
    assert.equal((await called(app, "me", {}, { cookie: pair })).text, "ada");
    assert.equal((await called(app, "me")).text, "undefined");
  });

  test("reaches no route but its own, whatever its arguments are", async () => {
    const ran: string[] = [];
    const app = Framework.create({ logger: { warn: () => undefined, error: () => undefined } });
    app.use(new McpMiddleware({ info: { name: "a", version: "1" } }));
    app.get("/orders/export", () => void ran.push("export"));
    app.delete("/orders", () => void ran.push("all"));
    app.get("/files/secret/{name}", () => void ran.push("secret"));
    app.get("/orders/{id}", { operationId: "order", tool: true }, () => "order");
    app.delete("/orders/{id}", { operationId: "delete", tool: true }, () => "deleted");
    app.get("/files/*path", { operationId: "file", tool: true }, ({ params }) => params.path);
    app.post("/{page}", { operationId: "page", tool: true, body: z.looseObject({}) }, () => "page");
    const calls: [string, object][] = [
      ["order", { id: "export" }],
      ["order", { id: "../orders/export" }],
      ["order", { id: "" }],
      ["order", { id: "." }],
      ["order", { id: ".." }],
      ["delete", { id: "" }],
      ["delete", { id: "/" }],
      ["delete", {}],
      ["delete", { id: null }],
      ["file", { path: "secret/a" }],
      ["file", { path: "secret//a" }],
      ["file", { path: "x/../secret/a" }],
      ["file", { path: "" }],
    ];
    for (const [name, given] of calls) {
      const { text } = await called(app, name, { ...given });
      assert.doesNotMatch(text, /^$|undefined/, `${name} ${JSON.stringify(given)}`);
    }
    assert.deepEqual(ran, []);
    const again = await called(app, "page", { page: "mcp", jsonrpc: "2.0", id: 1, method: "tools/list" });
    assert.equal(again.text, "page");
  });
});

type Fields = Readonly<Record<string, string>>;
const peer = { peerAddress: "192.0.2.1" };

async function judgedRequest(app: Framework, method: string, id: string, headers: Fields): Promise<Judged> {
  const response = await app.fetch(new Request(`http://shop.example/guarded/${id}`, { method, headers }), peer);
  await response.text();
  return { isLet: response.ok, status: response.ok ? undefined : response.status };
}

async function judgedCall(app: Framework, method: string, id: string, headers: Fields): Promise<Judged> {
  const { text, isError } = await called(app, method, { id }, { host: "shop.example", ...headers }, peer);
  return { isLet: !isError, status: isError ? Number(/"status":(\d+)/.exec(text)?.[1]) : undefined };
}
