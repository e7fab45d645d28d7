/** The values that a context reads and reports, and every verb that creates one (CTX, ROUTE). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Context, Framework } from "../index.ts";
import { created } from "../testing/harness.testkit.ts";

/** The result of `handler` for one request. */
async function reading(
  handler: (ctx: Context) => unknown,
  init: RequestInit = {},
  target = "/7/a%2Fb?x=1&x=2&y",
): Promise<unknown> {
  const { app } = created({ trustProxy: true });
  const response = await app
    .any("/{id}/{rest}", handler)
    .fetch(new Request(`http://h${target}`, init), { peerAddress: "10.0.0.9" });
  return response.status === 200 ? response.json() : response.status;
}

describe("Context", () => {
  test("reads path parameters", async () => {
    assert.deepEqual(
      await reading((ctx) => [
        ctx.pathParamAsInt("id"),
        ctx.pathParam("rest"),
        { ...ctx.params },
        ctx.params === ctx.params,
      ]),
      [7, "a/b", { id: "7", rest: "a/b" }, true],
    );
    assert.equal(await reading((ctx) => ctx.pathParamAsInt("rest")), 400);
    assert.equal(await reading((ctx) => ctx.pathParamAsInt("id"), {}, "/99999999999999999999/x"), 400);
    assert.equal(await reading((ctx) => ctx.pathParam("nope")), 500);
  });

  test("accepts only decimal digits as an integer", async () => {
    const whole = ["42", "-7", "007", "9007199254740991"];
    const others = ["1e3", "%205", "5%20", "+5", "5.0", "0x10", "--5", "", "9007199254740992"];
    const read = (text: string): Promise<unknown> =>
      reading((ctx) => ctx.pathParamAsInt("rest"), {}, `/1/${text}`) as Promise<unknown>;
    assert.deepEqual(await Promise.all(whole.map(read)), [42, -7, 7, 9_007_199_254_740_991]);
    assert.deepEqual(
      await Promise.all(others.map(read)),
      others.map((text) => (text === "" ? 404 : 400)),
    );
  });

  test("lists the route's parameters in the error, and names one that is not a number", async () => {
    const thrown = (read: (ctx: Context) => unknown): Promise<unknown> =>
      reading((ctx) => {
        try {
          return read(ctx);
        } catch (error) {
          return [(error as { code?: unknown }).code ?? null, (error as Error).message];
        }
      });
    const unknown = ["PARAM_UNKNOWN", "this route has no path parameter {x}: it has {id}, {rest}"];
    assert.deepEqual(await thrown((ctx) => ctx.pathParam("x")), unknown);
    assert.deepEqual(await thrown((ctx) => ctx.pathParamAsInt("x")), unknown);
    assert.deepEqual(await thrown((ctx) => ctx.pathParamAsInt("rest")), [null, "{rest} is a whole number"]);
    const { app, errors } = created();
    app.get("/plain", (ctx) => ctx.pathParam("x" as never));
    assert.equal((await app.request("/plain")).status, 500);
    assert.match(String(errors[0]?.error), /this route has no path parameter \{x\}: it has none$/);
  });

  test("reads the query", async () => {
    assert.deepEqual(
      await reading((ctx) => [
        ctx.queryParam("x"),
        ctx.queryParams("x"),
        ctx.queryParam("y"),
        ctx.queryParam("toString") ?? null,
        ctx.queryParams("z"),
      ]),
      ["1", ["1", "2"], "", null, []],
    );
    assert.equal(await reading((ctx) => ctx.query, {}, "/1/2?x=%zz"), 400);
  });

  test("reads headers, also those of the proxy", async () => {
    const headers = { "X-Forwarded-For": "6.6.6.6, 1.2.3.4", "X-Forwarded-Proto": "https", Cookie: "a=1" };
    assert.deepEqual(
      await reading(
        (ctx) => [
          ctx.remoteAddress,
          ctx.peerAddress,
          ctx.scheme,
          ctx.headerValues("COOKIE"),
          [...ctx.requestHeaders()].length,
          ctx.cookie("b") ?? null,
        ],
        { headers },
      ),
      ["1.2.3.4", "10.0.0.9", "https", ["a=1"], 4, null],
    );
  });

  test("gives the requested host, from the request or from the proxy", async () => {
    const hosts = async (headers: Record<string, string>, target?: string): Promise<unknown> =>
      reading((ctx) => [ctx.scheme, ctx.host ?? null], { headers }, target);
    assert.deepEqual(
      [
        await hosts({}),
        await hosts({ Host: "Shop.Example:8080" }),
        await hosts({ Host: "shop~1" }),
        await hosts({ Host: "app:8080", "X-Forwarded-Host": "shop.example", "X-Forwarded-Port": "8443" }),
        await hosts({ Host: "shop.example", "X-Forwarded-Port": "443", "X-Forwarded-Proto": "https" }),
        await hosts({ Host: "shop.example:8443", "X-Forwarded-Port": "443" }),
        await hosts({ Host: "app:8080", "X-Forwarded-Host": "evil.example, <b>" }),
        await hosts({ Host: "app:8080", Forwarded: "host=evil.example" }),
      ],
      [
        ["http", "h"],
        ["http", "Shop.Example:8080"],
        ["http", null],
        ["http", "shop.example:8443"],
        ["https", "shop.example"],
        ["http", "shop.example:8443"],
        ["http", "app:8080"],
        ["http", "app:8080"],
      ],
    );
  });

  test("gives the query as it was sent", async () => {
    const searches = ["/1/2", "/1/2?", "/1/2?x=1&y=%20+&&z", "/1/2?a?b", "/1/2?x=%zz"];
    const found = searches.map((target) => reading((ctx) => [ctx.url, ctx.search], {}, target));
    assert.deepEqual(await Promise.all(found), [
      ["/1/2", ""],
      ["/1/2", "?"],
      ["/1/2", "?x=1&y=%20+&&z"],
      ["/1/2", "?a?b"],
      ["/1/2", "?x=%zz"],
    ]);
  });

  test("reads the body once and gives what was read", async () => {
    const init = { method: "POST", body: '{"a":1}', headers: { "Content-Type": "application/json" } };
    const seen = async (ctx: Context): Promise<unknown> => {
      const before = ctx.bodyIfRead() ?? null;
      const bytes = (await ctx.bodyAsBytes()).length;
      const text = [await ctx.bodyAsString(), ctx.bodyIfRead()];
      return [before, bytes, text, await ctx.body(), await ctx.bodyAsString(), ctx.bodyIfRead()];
    };
    assert.deepEqual(await reading(seen, init), [null, 7, ['{"a":1}', '{"a":1}'], { a: 1 }, '{"a":1}', { a: 1 }]);
    assert.equal(await reading(async (ctx) => (await ctx.bodyAsBytes(), ctx.bodyAsStream()), init), 500);
    assert.equal(await reading((ctx) => (ctx.bodyAsStream(), ctx.bodyAsString()), init), 500);
  });

  test("keeps attributes and response headers", async () => {
    assert.deepEqual(
      await reading((ctx) => {
        for (const [name, value] of ["a1", "b1", "c1", "b2"].map((text) => [text.slice(0, 1), text] as const))
          ctx.attribute(name, value);
        ctx.attribute("requestId", "r").setHeader("X-A", 1).appendHeader("X-A", 2);
        ctx.setRoute("/own");
        return [
          ctx.attribute("requestId"),
          ctx.attribute("other") ?? null,
          ["a", "b", "c"].map((name) => ctx.attribute(name)),
          ctx.responseHeader("x-a"),
          ctx.route,
          ctx.statusCode,
          ctx.responded,
        ];
      }),
      ["r", null, ["a1", "b2", "c1"], "1, 2", "/own", 200, false],
    );
  });

  const rejected: Readonly<Record<string, (ctx: Context) => unknown>> = {
    "a status that is none": (ctx) => ctx.status(99),
    "a redirect that is none": (ctx) => ctx.redirect("/", 200),
    "a header that would split the response": (ctx) => ctx.setHeader("X", "a\r\nb"),
    "a bean without beans": (ctx) => ctx.get(Map),
    "a value without JSON": (ctx) => ctx.json(() => 1),
  };
  for (const [what, handler] of Object.entries(rejected))
    test(`rejects ${what}`, async () => assert.equal(await reading(handler), 500));
});

describe("verbs", () => {
  test("lead to their routes", async () => {
    const { app } = created();
    const own = (ctx: Context): unknown => ctx.status(200).setHeader("X-Verb", ctx.method).text("");
    app
      .get("/v", own)
      .post("/v", own)
      .put("/v", own)
      .patch("/v", own)
      .delete("/v", own)
      .head("/v", own)
      .options("/v", own)
      .query("/v", own)
      .any("/any", own);
    const ask = async (path: string, method: string): Promise<string | null> =>
      (
        await app.fetch(new Request(`http://h${path}`, { method, headers: { "Content-Type": "text/plain" } }))
      ).headers.get("x-verb");
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "QUERY"])
      assert.deepEqual([await ask("/v", method), await ask("/any", method)], [method, method]);
  });

  const rejected: Readonly<Record<string, (app: Framework) => unknown>> = {
    "a lower-case method": (app) => app.route("get", "/", () => ""),
    CONNECT: (app) => app.route("CONNECT", "/", () => ""),
    "a route without a handler": (app) => app.get("/", undefined as never),
    "a route that is taken": (app) => app.get("/a", () => "").get("/a/", () => ""),
  };
  for (const [what, register] of Object.entries(rejected))
    test(`rejects ${what}`, () => assert.throws(() => register(created().app), { name: "TypeError" }));
});
