/** Framework over real sockets: methods, groups, prefixes, context path, QUERY (ROUTE, QUERY, MW). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Beans, type Context, type Framework } from "../index.ts";
import { ask, created, exchange, serving } from "../testing/harness.testkit.ts";

const problem = (status: number, title: string, detail?: string): string =>
  JSON.stringify({ type: "about:blank", title, status, ...(detail === undefined ? {} : { detail }) });

describe("Framework routing", () => {
  test("serves HEAD from GET with the same headers and no body", () =>
    serving(
      (app) => app.get("/a", (ctx) => ctx.setHeader("X-A", "1").text("hello")),
      async ({ port }) => {
        const [get, head] = [await ask(port, "GET", "/a"), await ask(port, "HEAD", "/a")];
        assert.deepEqual(head, { ...get, body: "" });
        assert.equal(get.headers["content-length"], "5");
      },
    ));

  test("reads the host of a target in absolute form, and not its Host (RFC 9112 §3.2.2)", () =>
    serving(
      (app) => app.get("/a", (ctx) => ctx.text(ctx.host ?? "")),
      async ({ port }) => {
        const { body } = await ask(port, "GET", "http://shop.example:81/a", { Host: "other.example" });
        assert.equal(body, "shop.example:81");
      },
    ));

  test("responds to OPTIONS with 204 and Allow, and other methods with 405 and Allow", () =>
    serving(
      (app) =>
        app
          .post("/a", () => "")
          .get("/a", () => "")
          .query("/q", () => ""),
      async ({ port }) => {
        const options = await ask(port, "OPTIONS", "/a");
        assert.deepEqual(
          [options.status, options.headers["allow"], options.body],
          [204, "GET, HEAD, OPTIONS, POST", ""],
        );
        const rejected = await ask(port, "DELETE", "/a");
        assert.deepEqual([rejected.status, rejected.headers["allow"]], [405, "GET, HEAD, OPTIONS, POST"]);
        const query = await ask(port, "HEAD", "/q");
        assert.deepEqual([query.status, query.headers["allow"]], [405, "OPTIONS, QUERY"]);
      },
    ));

  for (const contextPath of ["/", "/shop"])
    test(`ROUTE-021: responds to OPTIONS * after the global middleware alone, also under ${contextPath}`, () =>
      serving(
        (app) =>
          app
            .use((ctx, next) => (ctx.setHeader("X-Global", ctx.url), next()))
            .use("/a", (ctx, next) => (ctx.setHeader("X-Below", "1"), next()))
            .get("/*rest", () => "")
            .query("/q", () => "")
            .group("/g", (group) => group.delete("/d", () => "")),
        async ({ port }) => {
          const { status, headers, body } = await ask(port, "OPTIONS", "*");
          const { "x-global": global, "x-below": below, allow } = headers;
          assert.deepEqual(
            [status, global, below, allow, body],
            [204, "*", undefined, "DELETE, GET, HEAD, OPTIONS, QUERY", ""],
          );
          assert.equal((await ask(port, "GET", "*")).status, 404);
        },
        { contextPath },
      ));

  test("responds 404 with a problem, and 400 to paths that cannot be routed", () =>
    serving(
      (app) => app.get("/a/{x}", (ctx) => ctx.pathParam("x")),
      async ({ port }) => {
        const missing = await ask(port, "GET", "/nope?x=1");
        assert.deepEqual([missing.status, missing.headers["content-type"]], [404, "application/problem+json"]);
        assert.equal(missing.body, problem(404, "Not Found", "nothing is registered at /nope"));
        for (const bad of ["/a/%zz", "/a/..", "/a/%2e%2e", "/a/%00"])
          assert.equal((await ask(port, "GET", bad)).status, 400, bad);
        for (const odd of ["//", "//a/b", "/a//b"]) assert.equal((await ask(port, "GET", odd)).status, 404, odd);
        assert.equal((await ask(port, "GET", "/a/%F0%90%80%80%2Fb")).body, "\u{10000}/b");
      },
    ));

  const rejected: Readonly<Record<string, (app: Framework) => unknown>> = {
    "a duplicate route": (app) => app.get("/a/{id}", () => "").get("/a/{id}/", () => ""),
    "a parameter without a name": (app) => app.get("/a/{}", () => ""),
    "a parameter with a colon": (app) => app.get("/a/:name", () => ""),
    "a wildcard that is not last": (app) => app.get("/a/*rest/b", () => ""),
    "two names at one position": (app) => app.get("/a/{id}", () => "").get("/a/{name}/b", () => ""),
  };
  for (const [what, register] of Object.entries(rejected))
    test(`rejects ${what} at registration`, () => assert.throws(() => register(created().app), { name: "TypeError" }));

  const options: Readonly<Record<string, readonly [given: unknown, sentence: string]>> = {
    "an unknown option": [
      { maxBodybytes: 1 },
      'POST /a has the option "maxBodybytes": an object of params, query, headers, cookies, body, responses, incoming, outgoing, operationId, summary, description, tags, deprecated, version, security, meta, tool, accept, maxBodyBytes, timeoutMs, beans, use, example is allowed; did you mean maxBodyBytes?',
    ],
    "one without a near name": [
      { accept: [], schema: {} },
      'POST /a has the option "schema": an object of params, query, headers, cookies, body, responses, incoming, outgoing, operationId, summary, description, tags, deprecated, version, security, meta, tool, accept, maxBodyBytes, timeoutMs, beans, use, example is allowed',
    ],
    "an array": [
      [1],
      "POST /a has [1] for its options: an object of params, query, headers, cookies, body, responses, incoming, outgoing, operationId, summary, description, tags, deprecated, version, security, meta, tool, accept, maxBodyBytes, timeoutMs, beans, use, example is allowed",
    ],
    null: [
      null,
      "POST /a has null for its options: an object of params, query, headers, cookies, body, responses, incoming, outgoing, operationId, summary, description, tags, deprecated, version, security, meta, tool, accept, maxBodyBytes, timeoutMs, beans, use, example is allowed",
    ],
  };
  for (const [what, [given, message]] of Object.entries(options))
    test(`rejects ${what} at registration, in groups too`, () => {
      const error = { name: "TypeError", code: "ROUTE_OPTIONS", message };
      assert.throws(() => created().app.post("/a", given as object, () => ""), error);
      assert.throws(() => created().app.group("/a", (api) => api.post("/", given as object, () => "")), error);
    });

  test("runs group middleware exactly for routes of that group, and prefixes by whole segments", () => {
    const seen: string[] = [];
    const note =
      (name: string) =>
      (ctx: Context, next: () => unknown): unknown => (seen.push(`${name} ${ctx.path}`), next());
    return serving(
      (app) => {
        app.group("/api", (api) => {
          api.get("/in", () => "in");
          api.use(note("api"));
          api.group("/{id}/deep", (deep) => deep.use(note("deep")).get("/x", (ctx) => ctx.pathParam("id")));
        });
        app
          .get("/api/out", () => "out")
          .use("/api/", note("prefix"))
          .use(note("all"));
        app.wrap(note("wrap"));
      },
      async ({ port }) => {
        const paths = ["/api/in", "/api/out", "/apix", "/api/7/deep/x", "/api/nope"];
        const bodies: string[] = [];
        for (const path of paths) bodies.push((await ask(port, "GET", path)).body);
        assert.deepEqual([bodies[0], bodies[1], bodies[3]], ["in", "out", "7"]);
        assert.deepEqual(seen, [
          "wrap /api/in",
          "prefix /api/in",
          "all /api/in",
          "api /api/in",
          "wrap /api/out",
          "prefix /api/out",
          "all /api/out",
          "wrap /apix",
          "all /apix",
          "wrap /api/7/deep/x",
          "prefix /api/7/deep/x",
          "all /api/7/deep/x",
          "api /api/7/deep/x",
          "deep /api/7/deep/x",
          "wrap /api/nope",
          "prefix /api/nope",
          "all /api/nope",
        ]);
      },
    );
  });

  test("is under its context path", () =>
    serving(
      (app) =>
        app
          .get("/", (ctx) => ctx.json([ctx.path, ctx.route, ctx.url]))
          .get("/a/{x}", (ctx) => ctx.json([ctx.path, ctx.route, ctx.url])),
      async ({ port, app }) => {
        assert.equal(app.url, `http://127.0.0.1:${port}/shop`);
        assert.equal((await ask(port, "GET", "/shop")).body, '["/","/shop","/shop"]');
        assert.equal((await ask(port, "GET", "/shop/a/%C3%A9?q")).body, '["/a/é","/shop/a/{x}","/shop/a/%C3%A9"]');
        for (const outside of ["/", "/shopping", "/a/1"]) assert.equal((await ask(port, "GET", outside)).status, 404);
        assert.deepEqual(app.routes(), [
          { method: "GET", path: "/shop", pathParams: [], beans: [] },
          { method: "GET", path: "/shop/a/{x}", pathParams: ["x"], beans: [] },
        ]);
      },
      { contextPath: "/shop/" },
    ));

  test("distinguishes /a and /a/ under strictSlash only", async () => {
    const statuses = (strictSlash: boolean): Promise<number[]> =>
      serving(
        (app) => app.get("/a", () => "a"),
        async ({ port }) => [(await ask(port, "GET", "/a")).status, (await ask(port, "GET", "/a/")).status],
        { strictSlash },
      );
    assert.deepEqual(
      [await statuses(false), await statuses(true)],
      [
        [200, 200],
        [200, 404],
      ],
    );
  });

  test("calls the method of a bean, with that bean as `this`", () => {
    class Orders {
      readonly #prefix: string = "order ";
      show(ctx: Context<"id">): string {
        return this.#prefix + ctx.pathParam("id");
      }
    }
    const beans = Beans.builder()
      .bind(Orders, () => new Orders())
      .start();
    return serving(
      (app) => app.beans(beans).get("/o/{id}", [Orders, "show"]),
      async ({ port, app }) => {
        assert.equal((await ask(port, "GET", "/o/7")).body, "order 7");
        assert.deepEqual(app.routes()[0]?.beans, ["Orders"]);
      },
    );
  });

  test("fails to start with a bean handler and no beans", async () => {
    class Orders {
      show(): string {
        return "";
      }
    }
    const { app } = created();
    await assert.rejects(app.get("/o", [Orders, "show"]).start(0), /no beans are attached/);
  });

  test("responds to pipelined requests in order", () =>
    serving(
      (app) =>
        app
          .get("/slow", async () => {
            await new Promise((resolve) => setTimeout(resolve, 20));
            return "slow";
          })
          .get("/fast", () => "fast"),
      async ({ port }) => {
        const responses = await exchange(
          port,
          "GET /slow HTTP/1.1\r\nHost: x\r\n\r\nGET /fast HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        );
        assert.deepEqual(
          responses.map(({ body }) => body),
          ["slow", "fast"],
        );
      },
    ));
});

describe("QUERY", () => {
  const define = (app: Parameters<Parameters<typeof serving>[0]>[0]): unknown =>
    app
      .query("/s", { accept: ["application/json", "3gpp/x"] }, async (ctx) => ctx.json(await ctx.body()))
      .get("/s", () => "list")
      .get("/{any}", () => "any")
      .query("/any", (ctx) => ctx.bodyAsString())
      .query("/{x}/z", { accept: ["text/plain"] }, () => "z")
      .get("/y/z", () => "yz");
  const field = 'application/json, "3gpp/x"';

  const cases: readonly (readonly [string, Record<string, string>, number])[] = [
    ["/s", {}, 400],
    ["/s", { "Content-Type": "json" }, 400],
    ["/s", { "Content-Type": "text/csv" }, 415],
    ["/s", { "Content-Type": "application/json" }, 200],
    ["/s?x=1", { "Content-Type": "APPLICATION/json; charset=utf-8" }, 200],
    ["/any", {}, 400],
    ["/any", { "Content-Type": "text/csv" }, 200],
  ];
  for (const [target, headers, status] of cases)
    test(`responds ${status} to ${target} with ${JSON.stringify(headers)}`, () =>
      serving(define, async ({ port }) => {
        const response = await ask(port, "QUERY", target, headers, '{"a":1}');
        assert.deepEqual(
          [response.status, response.headers["accept-query"]],
          [status, target.startsWith("/s") ? field : undefined],
        );
        if (status === 200) assert.equal(response.body, '{"a":1}');
      }));

  test("advertises Accept-Query on every response of the path", () =>
    serving(define, async ({ port }) => {
      for (const method of ["GET", "HEAD", "OPTIONS", "DELETE", "QUERY"])
        assert.equal((await ask(port, method, "/s")).headers["accept-query"], field, method);
      assert.equal((await ask(port, "GET", "/y/z")).headers["accept-query"], "text/plain");
      assert.equal((await ask(port, "GET", "/any")).headers["accept-query"], undefined);
    }));
});
