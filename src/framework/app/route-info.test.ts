/** Registered routes as tools get them: app.routes(), and onRoutes of middleware (DEV, ROUTE). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { apiVersions, Beans, Framework, type DeclaredRoute, type Middleware } from "../index.ts";

class Orders {
  list(): string {
    return "";
  }
}
class Stock {
  readonly left: number = 1;
}
class Unbound {
  readonly left: number = 0;
}
const beans = (): Beans =>
  Beans.builder()
    .bind(Orders, () => new Orders())
    .bind(Stock, () => new Stock())
    .start();

describe("app.routes", () => {
  test("DEV-002: has one entry for each route, sorted by path, then method", () => {
    const app = Framework.create({ contextPath: "/shop" });
    const registered = [
      "PUT /b",
      "GET /b",
      "POST /a/{x}/{y}",
      "DELETE /a/{x}/{y}",
      "GET /",
      "GET /a/*rest",
      "POST /b",
      "DELETE /c",
    ];
    for (const one of registered) app.route(one.split(" ")[0] ?? "", one.split(" ")[1] ?? "", () => "");
    assert.deepEqual(
      app.routes().map(({ method, path }) => `${method} ${path}`),
      [
        "GET /shop",
        "GET /shop/a/*rest",
        "DELETE /shop/a/{x}/{y}",
        "POST /shop/a/{x}/{y}",
        "GET /shop/b",
        "POST /shop/b",
        "PUT /shop/b",
        "DELETE /shop/c",
      ],
    );
    assert.deepEqual(
      app.routes().map(({ pathParams }) => pathParams),
      [[], ["rest"], ["x", "y"], ["x", "y"], [], [], [], []],
    );
  });

  test("DEV-016 DEV-017: names the bean of the method, and the declared ones, each once, if bound", () => {
    const options = { beans: [Stock, Orders, Unbound] };
    const app = Framework.create()
      .get("/a", [Orders, "list"])
      .get("/b", options, [Orders, "list"])
      .get("/c", options, () => "")
      .get("/d", () => "");
    const named = (): unknown => app.routes().map((route) => route.beans);
    assert.deepEqual(named(), [[], [], [], []]);
    app.beans(beans());
    assert.deepEqual(named(), [["Orders"], ["Orders", "Stock"], ["Stock", "Orders"], []]);
  });

  test("DEV-074 DEV-085: has the route's accepted types, example and contract, and omits undeclared ones", () => {
    const accept = ["text/plain", "text/csv"];
    const app = Framework.create()
      .query("/a", { accept, example: { body: "x" }, summary: "s" }, () => "")
      .query("/b", () => "");
    assert.deepEqual(app.routes(), [
      {
        method: "QUERY",
        path: "/a",
        pathParams: [],
        beans: [],
        accept,
        example: { path: {}, query: {}, headers: {}, body: "x" },
        contract: { summary: "s" },
      },
      { method: "QUERY", path: "/b", pathParams: [], beans: [] },
    ]);
  });

  test("DEV-095: has each version of a route, with an example whose header names it", () => {
    const version = apiVersions({ header: "API-Version" });
    const app = Framework.create()
      .get("/a", { version: version("1") }, () => "")
      .get("/a", { version: version("2"), example: { query: { n: 1 }, headers: { "x-tenant": "t" } } }, () => "");
    const shared = { method: "GET", path: "/a", pathParams: [], beans: [] };
    assert.deepEqual(app.routes(), [
      { ...shared, version: "1", example: { path: {}, query: {}, headers: { "API-Version": "1" } } },
      {
        ...shared,
        version: "2",
        example: { path: {}, query: { n: ["1"] }, headers: { "x-tenant": "t", "API-Version": "2" } },
      },
    ]);
  });
});

describe("onRoutes", () => {
  test("passes the declared routes to middleware once, in the order of registration", async () => {
    const told: (readonly DeclaredRoute[])[] = [];
    const listening: Middleware = {
      installed: (app) => app.onRoutes((routes) => told.push(routes)),
      handle: (_, next) => next(),
    };
    const body = { "~standard": { version: 1, vendor: "x", validate: (value: unknown) => ({ value }) } } as never;
    const app = Framework.create({ contextPath: "/shop" }).use(listening);
    app.ws("/w", () => undefined);
    app.group("/g/{id}", { tags: ["g"] }, (group) =>
      group.query("/q/{n}", { body, example: { path: { n: 1 }, body: [1] } }, () => ""),
    );
    app.get("/a", { example: { path: {} } }, () => "");
    app.post("/b", { body }, () => "");
    app.query("/c", { accept: ["application/*"], body }, () => "");
    await app.ready();
    await app.fetch(new Request("http://x/shop/a"));
    assert.deepEqual(told, [
      [
        {
          method: "GET",
          path: "/shop/w",
          pathParams: [],
          contracts: [{}],
          upgrades: true,
          accept: undefined,
          example: undefined,
        },
        {
          method: "QUERY",
          path: "/shop/g/{id}/q/{n}",
          pathParams: ["id", "n"],
          contracts: [{ tags: ["g"] }, { body, example: { path: { n: 1 }, body: [1] } }],
          accept: ["application/json"],
          example: [1],
        },
        {
          method: "GET",
          path: "/shop/a",
          pathParams: [],
          contracts: [{ example: { path: {} } }],
          accept: undefined,
          example: undefined,
        },
        {
          method: "POST",
          path: "/shop/b",
          pathParams: [],
          contracts: [{ body }],
          accept: undefined,
          example: undefined,
        },
        {
          method: "QUERY",
          path: "/shop/c",
          pathParams: [],
          contracts: [{ accept: ["application/*"], body }],
          accept: ["application/*"],
          example: undefined,
        },
      ],
    ]);
  });
});
