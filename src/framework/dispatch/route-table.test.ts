/** Routing of requests: bodies, flaws, spellings of a path, and unmatched requests (ROUTE, MW, QUERY). */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, test } from "node:test";
import {
  Framework,
  NotFoundError,
  RequestIdMiddleware,
  type Context,
  type MiddlewareFunction,
  type RouteOptions,
} from "../index.ts";
import { ask, exchange, serving } from "../testing/harness.testkit.ts";

const passing: MiddlewareFunction = (_, next) => next();
const marking =
  (name: string): MiddlewareFunction =>
  (ctx, next) => (ctx.appendHeader("X-Ran", name), next());
/** A request over a separate socket: its first line and the rest, each line separately. */
const sent = (...lines: readonly string[]): string => [...lines, "Connection: close", "", ""].join("\r\n");
const detailOf = (body: string): unknown => (JSON.parse(body) as Record<string, unknown>)["detail"];

describe("a request with a body", () => {
  const limited = (app: Framework): Framework =>
    app.any("/app", () => "handled").any("/own", { maxBodyBytes: 3 }, () => "handled");
  const statusOf = async (port: number, method: string, path: string, bytes: number): Promise<number | undefined> => {
    const head = [`${method} ${path} HTTP/1.1`, "Host: x", "Content-Type: text/plain", `Content-Length: ${bytes}`];
    return (await exchange(port, sent(...head) + "x".repeat(bytes)))[0]?.status;
  };
  for (const method of ["POST", "PUT", "PATCH", "QUERY"])
    test(`ERR-011: ${method} is 413 past the limit of its app or its route, before the handler runs`, () =>
      serving(
        limited,
        async ({ port }) => {
          const statuses = await Promise.all(
            [5, 6]
              .map((bytes) => statusOf(port, method, "/app", bytes))
              .concat([3, 4].map((bytes) => statusOf(port, method, "/own", bytes))),
          );
          assert.deepEqual(statuses, [200, 413, 200, 413]);
        },
        { maxBodyBytes: 5 },
      ));

  for (const method of ["GET", "DELETE", "OPTIONS"])
    test(`${method} is handled with any length`, () =>
      serving(limited, async ({ port }) => assert.equal(await statusOf(port, method, "/own", 9), 200)));

  test("is 400 with two types that differ, before the handler runs", () =>
    serving(limited, async ({ port }) => {
      const types = ["Content-Type: text/plain", "Content-Type: application/json"];
      const [first] = await exchange(port, sent("POST /app HTTP/1.1", "Host: x", ...types, "Content-Length: 0"));
      assert.deepEqual(
        [first?.status, detailOf(first?.body ?? "{}")],
        [400, "the Content-Type lines differ: a request has one Content-Type"],
      );
    }));
});

describe("a request that HTTP rejects", () => {
  const hosts = "one Host is needed, a host with or without a port, and no fragment in the target";
  const flaws: Readonly<Record<string, readonly [lines: readonly string[], status: number, detail: string]>> = {
    "ROUTE-014: without a Host": [["GET / HTTP/1.1"], 400, hosts],
    "with a fragment": [["GET /#a HTTP/1.1", "Host: x"], 400, hosts],
    "ROUTE-022: with an expectation": [
      ["GET / HTTP/1.1", "Host: x", "Expect: x"],
      417,
      "100-continue is the only expectation that is met here",
    ],
    "of another version": [["GET / HTTP/2.0", "Host: x"], 505, "this is HTTP/1.1"],
  };
  for (const [what, [lines, status, detail]] of Object.entries(flaws))
    test(`${what}, is ${status} after the global middleware, and the connection closes`, () =>
      serving(
        (app) => app.use(marking("app")).get("/", () => "handled"),
        async ({ port }) => {
          const [response] = await exchange(port, [...lines, "", ""].join("\r\n"));
          const { "x-ran": ran, connection } = response?.headers ?? {};
          assert.deepEqual(
            [response?.status, detailOf(response?.body ?? "{}"), ran, connection],
            [status, detail, "app", "close"],
          );
        },
      ));
});

describe("a request that no route handles", () => {
  test("ROUTE-012: is an error that function middleware sees, also next to hooks, and none is made without one", async () => {
    const seen: unknown[] = [];
    const catching: MiddlewareFunction = async (_, next) => {
      try {
        await next();
      } catch (error) {
        seen.push((error as Error).name);
        throw error;
      }
    };
    const app = Framework.create()
      .use(new RequestIdMiddleware())
      .use(catching)
      .get("/a", () => "");
    const statuses = [await app.request("/b"), await app.request("/a", { method: "PUT" }), await app.request("/a/%zz")];
    assert.deepEqual(
      [statuses.map(({ status }) => status), seen],
      [
        [404, 405, 400],
        ["NotFoundError", "MethodNotAllowedError", "BadRequestError"],
      ],
    );
    assert.equal(statuses[1]?.headers.get("allow"), "GET, HEAD, OPTIONS");
    assert.equal(
      detailOf((await statuses[2]?.text()) ?? "{}"),
      "the path holds a malformed percent-escape or a dot segment",
    );
  });

  test("is over without an error, also when a function saw one, but a handler's error of that class is one", async () => {
    const ended: unknown[] = [];
    const app = Framework.create()
      .use((ctx, next) => {
        ctx.onComplete(({ status, error }) => ended.push([status, error]));
        return next();
      })
      .get("/a", () => "")
      .get("/own", () => {
        throw own;
      });
    const own = new NotFoundError("none of that name");
    for (const path of ["/b", "/a/%zz", "/own"]) await app.request(path);
    await app.request("/a", { method: "PUT" });
    assert.deepEqual(ended, [
      [404, undefined],
      [400, undefined],
      [404, own],
      [405, undefined],
    ]);
  });

  test("ROUTE-007: has its path, and outside the context path the path as sent", async () => {
    const app = Framework.create({ contextPath: "/shop" }).get("/a", () => "");
    const details = [];
    for (const target of ["/shop/b?c", "/%73hopping?c=1", "/"])
      details.push(detailOf(await (await app.fetch(new Request(`http://x${target}`))).text()));
    assert.deepEqual(details, [
      "nothing is registered at /b",
      "nothing is registered at /%73hopping",
      "nothing is registered at /",
    ]);
  });

  test("ROUTE-007: goes to its host under a group whose middleware runs too, and so does OPTIONS * of the server", async () => {
    const app = Framework.create().get("/a", () => "");
    app.group("/api", (api) => void api.use({ unmatched: true, handle: marking("api") }));
    const server = createServer((req, res) => app.listener()(req, res, () => res.end("of the host"))).listen(0);
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const bodies = [await ask(port, "GET", "/api/x"), await ask(port, "OPTIONS", "*"), await ask(port, "PUT", "/a")];
    server.close();
    assert.deepEqual(
      bodies.map(({ status, body }) => (status === 200 ? body : status)),
      ["of the host", "of the host", 405],
    );
    assert.equal((await app.request("/api/x")).headers.get("x-ran"), "api");
  });

  const covering = (name: string) => ({ unmatched: true, handle: marking(name) });

  test("runs the unmatched middleware of the first group with its prefix, for any parameters", async () => {
    const app = Framework.create();
    app.group("/w/*name", (group) => void group.use(covering("wild")));
    app.group("/w/*other", (group) => void group.use(covering("wild, second")));
    app.group("/t/{a}", (group) => void group.use(covering("first")));
    app.group("/t/{b}/", (group) => void group.use(covering("second")));
    app.group("/plain", (group) => void group.use(passing));
    app.group("/{any}", (group) => void group.use(covering("any")));
    app.group("", (group) => void group.use(covering("all")));
    const ran: (string | null)[] = [];
    for (const path of ["/w/x/y", "/w", "/t/1", "/t/1/2/3", "/plain/x", "/else", "/"])
      ran.push((await app.request(path)).headers.get("x-ran"));
    assert.deepEqual(ran, ["wild", "any", "first", "first", "any", "any", "all"]);
  });

  test("a preflight runs the middleware of the requested method when the routes differ", async () => {
    const app = Framework.create()
      .post("/a", { use: [covering("post")] }, () => "")
      .get("/a", { use: [covering("get")] }, () => "");
    const ran = async (asked: string, method = "OPTIONS"): Promise<string | null> => {
      const headers = { "Access-Control-Request-Method": asked };
      return (await app.request("/a", { method, headers })).headers.get("x-ran");
    };
    const asked = [await ran("GET"), await ran("HEAD"), await ran("POST"), await ran("PUT")];
    assert.deepEqual(asked, ["get", "get", "post", "post"]);
    assert.equal(await ran("GET", "PUT"), "post");
  });

  test("ROUTE-010 ROUTE-027: Allow has each method once, in order, and names the most specific pattern", async () => {
    const routes: (string | undefined)[] = [];
    const app = Framework.create().use((ctx, next) => {
      ctx.onComplete(() => void routes.push(ctx.route));
      return next();
    });
    app
      .put("/{a}/{b}", () => "")
      .get("/{a}/b", () => "")
      .head("/a/*rest", () => "")
      .post("/*rest", () => "");
    const allow = async (path: string): Promise<string | null> =>
      (await app.request(path, { method: "OPTIONS" })).headers.get("allow");
    assert.deepEqual(
      [await allow("/a/b"), await allow("/x/y"), await allow("/z")],
      ["GET, HEAD, OPTIONS, POST, PUT", "OPTIONS, POST, PUT", "OPTIONS, POST"],
    );
    assert.equal((await app.request("/a/b", { method: "DELETE" })).status, 405);
    assert.deepEqual(routes, ["/{a}/b", "/*rest", "/*rest", undefined]);
  });
});

describe("Accept-Query", () => {
  test("QUERY-006: is on every response of the path, and on no other", async () => {
    const app = Framework.create()
      .query("/a", { accept: ["application/json", "text/*"] }, () => "")
      .query("/any", () => "")
      .query("/typed", { body: (value: unknown) => value }, () => "")
      .query("/both", { accept: ["application/*"], body: (value: unknown) => value }, () => "")
      .get("/a", () => "")
      .get("/b", { accept: ["text/plain"] }, () => "")
      .post("/c", { body: (value: unknown) => value }, () => "");
    const field = async (path: string, method = "GET"): Promise<string | null> =>
      (await app.request(path, { method })).headers.get("accept-query");
    assert.deepEqual(
      [await field("/a"), await field("/a", "QUERY"), await field("/a", "PUT"), await field("/a", "OPTIONS")],
      Array.from({ length: 4 }, () => "application/json, text/*"),
    );
    assert.deepEqual([await field("/typed"), await field("/both")], ["application/json", "application/*"]);
    const none = [await field("/b"), await field("/c", "POST"), await field("/any", "QUERY"), await field("/none")];
    assert.deepEqual(none, [null, null, null, null]);
  });
});

describe("a path with an encoded slash", () => {
  const guarded: readonly (readonly [what: string, place: Place, status: number])[] = [
    ["a group without middleware", { group: [] }, 200],
    ["a group with middleware", { group: [passing] }, 404],
    ["its own middleware", { use: [passing] }, 404],
    ["an inner group with middleware", { group: [], inner: [passing] }, 404],
  ];
  interface Place {
    readonly group?: readonly MiddlewareFunction[];
    readonly inner?: readonly MiddlewareFunction[];
    readonly use?: readonly MiddlewareFunction[];
  }
  for (const [what, { group = [], inner = [], use = [] }, status] of guarded)
    test(`is ${status} when the plain one is after ${what}`, async () => {
      const app = Framework.create().get("/files/{name}", (ctx) => ctx.pathParam("name"));
      app.group("/files", (outer) => {
        for (const one of group) outer.use(one);
        outer.group("", (own) => {
          for (const one of inner) own.use(one);
          own.get("/a/b", { use }, () => "plain");
        });
      });
      const responses = [await app.request("/files/a/b"), await app.request("/files/a%2Fb")];
      assert.deepEqual([responses.map((one) => one.status), await responses[0]?.text()], [[200, status], "plain"]);
    });

  test("is handled when its own route is after the same middleware", async () => {
    const app = Framework.create();
    app.group("/files", (group) => {
      group.use(passing);
      group.get("/a/b", { use: [] }, () => "plain").get("/{name}", (ctx) => ctx.pathParam("name"));
    });
    assert.equal(await (await app.request("/files/a%2Fb")).text(), "a/b");
  });

  test("ROUTE-017: matches *name only when the plain one does, and HEAD as GET", async () => {
    const app = Framework.create()
      .get("/x/{y}", () => "plain")
      .get("/*rest", (ctx) => ctx.pathParam("rest"));
    const asked = async (path: string, method = "GET"): Promise<number> => (await app.request(path, { method })).status;
    assert.deepEqual([await asked("/x%2Fy"), await asked("/x%2Fy/z"), await asked("/x%2Fy", "HEAD")], [404, 200, 404]);
    assert.deepEqual(
      [await asked("/x//y"), await asked("//x/y"), await asked("//x/z/y"), await asked("/x//z/y")],
      [404, 404, 404, 200],
    );
    assert.equal(await (await app.request("/x%2Fy//z")).text(), "x/y//z");
  });
});

describe("a WebSocket's route", () => {
  test("WS-001: responds 426 and names the missing protocol", async () => {
    const { status, headers } = await Framework.create()
      .ws("/a", () => assert.fail())
      .request("/a");
    assert.deepEqual([status, headers.get("upgrade"), headers.get("connection")], [426, "websocket", "Upgrade"]);
  });
});

describe("checked responses", () => {
  test("CONTRACT-019: are those of routes that declare responses, by the sent JSON", async () => {
    const app = Framework.create({ responseChecks: "enforce", logger: { error: () => undefined } })
      .get("/none", () => "text")
      .get("/good", { responses: { 200: (value: unknown) => value === 1 } }, (ctx) => ctx.json(1))
      .get("/text", { responses: { 200: (value: unknown) => value === "1" } }, (ctx) => ctx.text("1"))
      .get("/bad", { responses: { 200: (value: unknown) => value === 1 } }, (ctx) => ctx.json(2));
    const statuses: number[] = [];
    for (const path of ["/none", "/good", "/text", "/bad"]) statuses.push((await app.request(path)).status);
    assert.deepEqual(statuses, [200, 200, 200, 500]);
  });
});

describe("routes that do not fit together", () => {
  test("a repeated operationId is an error at the start that names both routes", async () => {
    const one: RouteOptions = { operationId: "one" };
    const app = Framework.create()
      .get("/a", one, () => "")
      .get("/c", () => "")
      .post("/b", one, () => "");
    await assert.rejects(app.ready(), {
      name: "TypeError",
      code: "CONTRACT_INVALID",
      message: 'GET /a and POST /b have the operationId "one": each route has its own',
    });
  });

  test("a bean without the method is an error at the start that names both, and so is a bean without a container", async () => {
    class Orders {
      list(): string {
        return "";
      }
    }
    const { Beans } = await import("../index.ts");
    const beans = Beans.builder()
      .bind(Orders, () => new Orders())
      .start();
    await assert.rejects(
      Framework.create()
        .beans(beans)
        .get("/a", [Orders, "show"] as never)
        .ready(),
      {
        name: "TypeError",
        code: "ROUTE_HANDLER",
        message: 'GET /a is handled by [Orders, "show"], but Orders has no method of that name',
      },
    );
    await assert.rejects(Framework.create().get("/a", [Orders, "list"]).ready(), {
      message: /^GET \/a is handled by \[Orders, "list"\], but /,
    });
  });
});

describe("ctx.meta", () => {
  test("merges the values of groups and route, the innermost last, and is frozen", async () => {
    const told: object[] = [];
    const tell = (ctx: Context): string => (told.push(ctx.meta), "");
    const app = Framework.create().get("/", tell);
    app.group("/g", { meta: { role: "user", scope: 1 } }, (group) =>
      group.get("/", { meta: { role: "admin", limit: 2 } as never }, tell).get("/plain", tell),
    );
    for (const path of ["/", "/g", "/g/plain"]) await app.request(path);
    assert.deepEqual(told, [{}, { role: "admin", scope: 1, limit: 2 }, { role: "user", scope: 1 }]);
    assert.deepEqual(told.map(Object.isFrozen), [true, true, true]);
  });
});

describe("the contract of a response", () => {
  const checking = (responses: RouteOptions["responses"]): Framework =>
    Framework.create({ responseChecks: "enforce" }).get("/a", { responses }, (ctx: Context) => void ctx.status(204));

  test("names its route when it cannot be checked", () =>
    assert.rejects(checking({ 200: { type: "string" } }).ready(), { message: /^GET \/a: its response 200 is / }));

  test("is checked without a type, too", async () =>
    assert.equal((await checking({ 204: null }).request("/a")).status, 204));
});
