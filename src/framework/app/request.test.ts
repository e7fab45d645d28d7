/** app.request: a request made from less than a Request (LIFE), and registrations of a middleware at its installation (MW). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { created } from "../testing/harness.testkit.ts";
import type { Context, Lifecycle } from "../index.ts";

const shown = (ctx: Context): unknown => [ctx.method, ctx.url + ctx.search, ctx.host, ctx.scheme];

describe("app.request", () => {
  test("accepts a path inside the context path, a URL, or a Request, each with an init", async () => {
    const { app } = created({ contextPath: "/shop" });
    app.get("/a", shown).post("/a", shown);
    const requests: readonly (readonly [string | URL | Request, RequestInit?])[] = [
      ["/a?x=1"],
      ["/a", { method: "POST" }],
      ["https://h:1/shop/a"],
      [new URL("http://h/shop/a?y")],
      [new Request("http://h/shop/a")],
      [new Request("http://h/shop/a"), { method: "POST" }],
    ];
    const seen: unknown[] = [];
    for (const [input, init] of requests) seen.push(await (await app.request(input, init)).json());
    assert.deepEqual(seen, [
      ["GET", "/shop/a?x=1", "localhost", "http"],
      ["POST", "/shop/a", "localhost", "http"],
      ["GET", "/shop/a", "h:1", "https"],
      ["GET", "/shop/a?y", "h", "http"],
      ["GET", "/shop/a", "h", "http"],
      ["POST", "/shop/a", "h", "http"],
    ]);
    assert.equal((await app.request("http://h/a")).status, 404);
  });

  test("keeps a path as it is, also with two leading slashes", async () => {
    const { app } = created();
    app.onStatus(404, shown);
    assert.deepEqual(await (await app.request("//h/a")).json(), ["GET", "//h/a", "localhost", "http"]);
  });
});

describe("Lifecycle", () => {
  test("runs a middleware's registrations like those of the app, in their order", async () => {
    const order: string[] = [];
    const noting = (what: string) => (): void => void order.push(what);
    const middleware = (name: string) => ({
      installed(app: Lifecycle): void {
        app.onStart(noting(`${name} starts`));
        app.onResponse(noting(`${name} sees a response`));
      },
      handle: (_ctx: Context, next: () => unknown): unknown => next(),
    });
    const { app } = created();
    const shared = middleware("shared");
    app.use(shared).use(shared);
    app.onResponse(noting("the app sees a response"));
    app.get("/", { use: [middleware("route")] }, () => "x").get("/other", () => "y");
    await app.request("/");
    assert.deepEqual(order.splice(0), [
      "shared starts",
      "route starts",
      "shared sees a response",
      "the app sees a response",
      "route sees a response",
    ]);
    await app.request("/none");
    assert.deepEqual(order.slice(0, 2), ["shared sees a response", "the app sees a response"]);
  });

  test("fails the start with the error of a middleware's onStart", async () => {
    const { app } = created();
    app.use({
      installed: (life) => life.onStart(() => Promise.reject(new Error("no keys"))),
      handle: (_ctx, next) => next(),
    });
    await assert.rejects(app.start(0), { message: "no keys" });
  });
});
