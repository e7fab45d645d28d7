/** McpMiddleware, as the official client of both versions sees it, and as HTTP does. */
import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import { z } from "zod";
import { BearerAuthMiddleware, JwtAuthMiddleware, requireScope } from "../auth/index.ts";
import { bytes, empty, events, type Framework, RequestIdMiddleware, redirect, text } from "../index.ts";
import { created, until } from "../testing/harness.testkit.ts";
import { agentOf, called, messageRequest, type Version, versions } from "./agent.testkit.ts";
import { McpMiddleware, type McpMiddlewareOptions } from "./index.ts";

const info = { name: "shop", version: "1" };
const Product = z.object({ id: z.string(), price: z.number() });

/** A shop with a tool of each kind. */
function shop(options: Partial<McpMiddlewareOptions> = {}): { app: Framework; warnings: string[] } {
  const { app, warnings } = created();
  app.use(new RequestIdMiddleware());
  app.use(new McpMiddleware({ info, ...options }));
  app.group("", { tool: true }, (group) => {
    group.query(
      "/products/search",
      {
        operationId: "search-products",
        summary: "Searches",
        body: z.object({ text: z.string() }),
        responses: { 200: z.array(Product) },
      },
      ({ input }) => [{ id: input.body.text, price: 1 }],
    );
    group.post(
      "/orders/{id}",
      {
        operationId: "order",
        query: z.object({ fast: z.coerce.boolean().optional() }),
        body: z.strictObject({ n: z.number() }),
        responses: { 201: Product },
      },
      ({ input, params }) => ({ id: `${params.id} ${input.query.fast}`, price: input.body.n }),
    );
    group.get(
      "/ticks",
      { operationId: "ticks", responses: { 200: events({ tick: z.object({ n: z.number() }) }) } },
      async function* () {
        for (let n = 0; n < 3; n += 1) yield { event: "tick", data: { n } };
      },
    );
    group.get("/logo", { operationId: "logo", responses: { 200: bytes("image/png") } }, () => Uint8Array.of(1, 2, 3));
    group.get("/report", { operationId: "report", responses: { 200: bytes("application/pdf") } }, () =>
      Uint8Array.of(4, 5),
    );
    group.get("/csv", { operationId: "csv", responses: { 200: text("text/csv") } }, () => "a,b");
    group.get("/gone", { operationId: "gone", responses: { 303: redirect() } }, (ctx) => ctx.redirect("/logo", 303));
    group.put("/empty", { operationId: "empty", responses: { 204: empty() } }, (ctx) => ctx.reply(204));
    group.get("/id", { operationId: "id" }, (ctx) =>
      ctx.text(`${ctx.attribute("requestId")} ${ctx.header("x-request-id")}`),
    );
    group.get("/hidden", { operationId: "hidden", tool: false }, () => "hidden");
  });
  return { app, warnings };
}

async function started(t: TestContext, app: Framework): Promise<string> {
  await app.start(0);
  t.after(() => app.stop({ graceMs: 0 }));
  return `${app.url}/mcp`;
}

describe("McpMiddleware", () => {
  for (const version of Object.keys(versions) as Version[]) {
    test(`lists the routes with contracts to a client of ${version}`, async (t) => {
      const agent = await agentOf(await started(t, shop().app), version);
      const { tools } = await agent.listTools();
      const names = ["search-products", "order", "ticks", "logo", "report", "csv", "gone", "empty", "id"];
      assert.deepEqual(
        tools.map(({ name }) => name),
        names,
      );
      const [search, order] = tools;
      assert.deepEqual(search?.inputSchema, {
        type: "object",
        properties: { text: { type: "string" } },
        required: ["text"],
      });
      assert.deepEqual(search?.annotations, { readOnlyHint: true });
      assert.deepEqual([search?.title, search?.description], ["Searches", "Searches"]);
      assert.deepEqual(order?.inputSchema.required, ["id", "n"]);
      assert.deepEqual(Object.keys(order?.inputSchema.properties ?? {}), ["id", "fast", "n"]);
      await agent.close();
    });

    test(`calls the routes for a client of ${version}`, async (t) => {
      const agent = await agentOf(await started(t, shop().app), version);
      const list = [{ id: "mug", price: 1 }];
      const found = await agent.callTool({ name: "search-products", arguments: { text: "mug" } });
      assert.deepEqual(found.structuredContent, version === "2025-11-25" ? { result: list } : list);
      const ordered = await agent.callTool({ name: "order", arguments: { id: "a/b", fast: true, n: 2 } });
      assert.deepEqual(ordered.structuredContent, { id: "a/b true", price: 2 });
      const rejected = await agent.callTool({ name: "order", arguments: { id: "7", n: "two" } });
      assert.equal(rejected.isError, true);
      const [problem] = rejected.content;
      assert.match(problem?.type === "text" ? problem.text : "", /"status":422.*"pointer":"\/n"/);
      const progress: unknown[] = [];
      const streamed = await agent.callTool(
        { name: "ticks", arguments: {} },
        { onprogress: ({ message }) => void progress.push(message) },
      );
      assert.deepEqual(progress, ['tick: {"n":0}', 'tick: {"n":1}', 'tick: {"n":2}']);
      const read = [0, 1, 2].map((n) => ({ event: "tick", data: JSON.stringify({ n }) }));
      assert.deepEqual(streamed.structuredContent, { events: read, isComplete: true });
      await assert.rejects(agent.callTool({ name: "hidden", arguments: {} }), { code: -32602 });
      await agent.close();
    });
  }

  test("has files as images and resources, and a redirect as its place", async () => {
    const { app } = shop();
    const contents = async (name: string): Promise<unknown> => {
      const response = await app.fetch(messageRequest("tools/call", { name, arguments: {} }));
      return ((await response.json()) as { result: { content: unknown } }).result.content;
    };
    assert.deepEqual(await contents("logo"), [{ type: "image", data: "AQID", mimeType: "image/png" }]);
    const report = { uri: "http://localhost/report", mimeType: "application/pdf", blob: "BAU=" };
    assert.deepEqual(await contents("report"), [{ type: "resource", resource: report }]);
    const csv = { uri: "http://localhost/csv", mimeType: "text/csv; charset=utf-8", text: "a,b" };
    assert.deepEqual(await contents("csv"), [{ type: "resource", resource: csv }]);
    assert.deepEqual(await contents("gone"), [
      { type: "text", text: "303 See Other" },
      { type: "text", text: "Location: /logo" },
    ]);
    assert.deepEqual(await contents("empty"), [{ type: "text", text: "204 No Content" }]);
  });

  test("carries the id of its request to the route", async () => {
    const { text: id } = await called(shop().app, "id", {}, { "x-request-id": "one" });
    assert.equal(id, "one one");
    const [made, carried] = (await called(shop().app, "id")).text.split(" ");
    assert.equal(made, carried);
  });

  test("names an argument that is missing, unknown, or cannot be sent", async () => {
    const { app } = shop();
    const sentence = async (given: object): Promise<string> => (await called(app, "order", { ...given })).text;
    assert.equal(await sentence({ n: 1 }), "the argument id is missing or empty");
    assert.match(await sentence({ id: "1", m: 1 }), /"status":422/);
    assert.equal((await called(app, "id", { x: 1 })).text, 'there is no argument "x"');
  });

  test("stops reading events at the bounds, and the route sees its client leave", async () => {
    for (const options of [{ maxEvents: 2 }, { maxEventsMs: 20 }, { maxResultBytes: 40 }]) {
      let left = false;
      const { app } = created();
      app.use(new McpMiddleware({ info, ...options }));
      app.get("/live", { operationId: "live", tool: true }, (ctx) => {
        ctx.signal.addEventListener("abort", () => void (left = true));
        return ctx.sse(
          (async function* () {
            for (let n = 0; n < ("maxEventsMs" in options ? 1 : 9); n += 1) yield { data: String(n) };
            await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve));
          })(),
        );
      });
      const { structured } = await called(app, "live");
      assert.equal((structured as { isComplete: boolean }).isComplete, false);
      await until(() => left);
    }
  });

  test("has an error for a result that is too large, in one piece or many", async () => {
    const { app } = created();
    app.use(new McpMiddleware({ info, maxResultBytes: 10 }));
    app.get("/whole", { operationId: "whole", tool: true }, () => "x".repeat(11));
    app.get("/fits", { operationId: "fits", tool: true }, () => "x".repeat(10));
    app.get("/parts", { operationId: "parts", tool: true }, (ctx) =>
      ctx.send(
        (async function* () {
          for (;;) yield "xxx";
        })() as never,
      ),
    );
    const tooLarge = "200 OK: the response has more than 10 bytes. Ask for less, with a filter or a page.";
    assert.deepEqual([(await called(app, "whole")).text, (await called(app, "parts")).text], [tooLarge, tooLarge]);
    assert.equal((await called(app, "fits")).text, "x".repeat(10));
  });

  test("ends a call whose agent leaves", async (t) => {
    let left = false;
    const { app } = created();
    app.use(new McpMiddleware({ info }));
    let isCalled = false;
    app.get("/slow", { operationId: "slow", tool: true }, async ({ signal }) => {
      isCalled = true;
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      left = true;
    });
    const agent = await agentOf(await started(t, app));
    const controller = new AbortController();
    const call = agent.callTool({ name: "slow", arguments: {} }, { signal: controller.signal });
    call.catch(() => undefined);
    await until(() => isCalled);
    controller.abort();
    await assert.rejects(call);
    await until(() => left);
  });

  test("rejects pages of other origins, and allows programs, this machine's and listed ones", async () => {
    const { app } = shop({ origins: ["https://agent.example"] });
    const status = async (headers: Readonly<Record<string, string>>): Promise<number> =>
      (await called(app, "csv", {}, headers)).status;
    assert.equal(await status({}), 200);
    assert.equal(await status({ origin: "https://agent.example" }), 200);
    assert.equal(await status({ origin: "http://localhost:5173", host: "127.0.0.1:8080" }), 200);
    assert.equal(await status({ origin: "http://localhost:5173", host: "shop.example" }), 403);
    assert.equal(await status({ origin: "http://evil.example", host: "evil.example" }), 403);
    assert.equal(await status({ origin: "null" }), 403);
    assert.equal(await status({ origin: "http://localhost.evil.example", host: "localhost" }), 403);
  });

  test("rejects headers that differ from the message", async () => {
    const { app } = shop();
    for (const headers of [
      { "mcp-name": "logo" },
      { "mcp-method": "tools/list" },
      { "mcp-protocol-version": "2025-11-25" },
    ])
      assert.deepEqual(
        (({ status, text: body }) => [status, /-32\d+/.test(body)])(await called(app, "csv", {}, headers)),
        [400, true],
      );
  });

  test("rejects a header of an argument that differs from it", async () => {
    const { app } = created();
    app.use(new McpMiddleware({ info }));
    const query = z.object({ region: z.string().meta({ "x-mcp-header": "Region" }) });
    app.get("/region", { operationId: "region", tool: true, query }, ({ input }) => input.query.region);
    const statusOf = async (headers: Readonly<Record<string, string>>): Promise<number> =>
      (await called(app, "region", { region: "eu" }, headers)).status;
    assert.deepEqual(
      await Promise.all([{ "mcp-param-region": "eu" }, { "mcp-param-region": "us" }, {}].map(statusOf)),
      [200, 400, 400],
    );
  });

  test("accepts POST of JSON alone at its path, and passes others on", async () => {
    const { app } = shop();
    const get = await app.request("/mcp");
    assert.deepEqual([get.status, get.headers.get("allow")], [405, "POST"]);
    const form = await app.request("/mcp", { method: "POST", body: "a=b", headers: { "content-type": "text/plain" } });
    assert.equal(form.status, 415);
    const broken = await app.request("/mcp", {
      method: "POST",
      body: "{",
      headers: { "content-type": "application/json" },
    });
    assert.equal(broken.status, 400);
    assert.equal((await app.request("/mcp/more")).status, 404);
    assert.equal((await app.request("/hidden")).status, 200);
  });

  test("authenticates by its own middleware, and says where a token comes from", async () => {
    const { app } = created();
    const auth = new BearerAuthMiddleware({
      verify: (token) => (token === "t" ? { id: "u", scopes: ["read"] } : undefined),
    });
    const oauth = { authorizationServers: ["https://id.example"], scopes: ["read"] };
    app.use(new McpMiddleware({ info, auth, oauth }));
    app.get("/me", { operationId: "me", tool: true, use: [auth, requireScope("read")] }, () => "me");
    app.get("/all", { operationId: "all", tool: true, use: [auth, requireScope("write")] }, () => "all");
    const place = 'resource_metadata="http://shop.example/.well-known/oauth-protected-resource/mcp"';
    const without = await called(app, "me", {}, { host: "shop.example" });
    assert.deepEqual([without.status, without.headers.get("www-authenticate")], [401, `Bearer realm="api", ${place}`]);
    const given = { host: "shop.example", authorization: "Bearer t" };
    assert.equal((await called(app, "me", {}, given)).text, "me");
    const more = await called(app, "all", {}, given);
    const challenge = `Bearer error="insufficient_scope", scope="write", ${place}`;
    assert.deepEqual([more.status, more.headers.get("www-authenticate")], [403, challenge]);
    const metadata = await app.fetch(new Request("http://shop.example/.well-known/oauth-protected-resource/mcp"));
    assert.deepEqual(await metadata.json(), {
      resource: "http://shop.example/mcp",
      authorization_servers: ["https://id.example"],
      scopes_supported: ["read"],
      bearer_methods_supported: ["header"],
      resource_name: "shop",
    });
  });

  test("has the issuers of a JwtAuthMiddleware", async () => {
    const { app } = created({ contextPath: "/api" });
    const auth = new JwtAuthMiddleware({
      secret: "s".repeat(32),
      issuer: "https://id.example",
      audience: "a",
      algorithms: ["HS256"],
    });
    app.use(new McpMiddleware({ info, auth }));
    const response = await app.fetch(new Request("https://x.example/api/.well-known/oauth-protected-resource/mcp"));
    const { resource, authorization_servers: servers } = (await response.json()) as Record<string, unknown>;
    assert.deepEqual([resource, servers], ["https://x.example/api/mcp", ["https://id.example"]]);
  });

  test("reports a call to tools that watch, with its agent and its conversation, also a rejected one", async () => {
    const reported: unknown[] = [];
    const { app } = created();
    app.use(new BearerAuthMiddleware({ verify: (token) => (token === "t" ? { id: "u" } : undefined), optional: true }));
    app.use("/me", (ctx, next) => (ctx.header("authorization") === undefined ? ctx.status(401).text("no") : next()));
    app.use(new McpMiddleware({ info }));
    app.get("/me", { operationId: "me", tool: true }, () => "me");
    app.observe({ annotation: (ctx, name, value) => void reported.push([ctx.path, name, value]) });
    for (const headers of [{}, { authorization: "Bearer t" }]) await called(app, "me", {}, { ...headers });
    await called(app, "me", {}, { authorization: "Bearer t" });
    const threads = reported.map((one) => ((one as unknown[])[2] as { thread: string }).thread);
    assert.deepEqual(
      reported,
      threads.map((thread) => ["/me", "agent", { agent: "test-agent", tool: "me", thread }]),
    );
    assert.deepEqual([threads.length, threads[1] === threads[2], threads[0] === threads[1]], [3, true, false]);
  });

  test("gives a client of 2025-11-25 a session id that authenticates nobody", async (t) => {
    const { app } = created();
    const seen: unknown[] = [];
    app.use(new McpMiddleware({ info }));
    app.observe({ annotation: (_ctx, _name, value) => void seen.push(value) });
    app.get("/me", { operationId: "me", tool: true }, (ctx) => ctx.header("mcp-session-id") ?? "none");
    const agent = await agentOf(await started(t, app), "2025-11-25");
    for (let n = 0; n < 2; n += 1)
      assert.deepEqual((await agent.callTool({ name: "me", arguments: {} })).content, [{ type: "text", text: "none" }]);
    const [first, second] = seen as { agent: string; thread: string }[];
    assert.deepEqual([first?.agent, first], ["claude-code", second]);
    await agent.close();
  });

  test("warns when no route is a tool", async () => {
    const { app, warnings } = created();
    await app.use(new McpMiddleware({ info })).ready();
    assert.deepEqual(warnings, ["McpMiddleware at /mcp has no tools: give routes or groups the option tool"]);
  });

  test("rejects options that it cannot use", () => {
    const wrong: readonly (readonly [object, RegExp])[] = [
      [{ info, path: "mcp" }, /has the path "mcp"/],
      [{}, /has no info/],
      [{ info, origins: ["https://a.example/"] }, /among its origins/],
      [{ info, auth: {} }, /no middleware/],
      [{ info, oauth: { resource: "x" } }, /has the resource "x"/],
      [{ info, maxEvents: -1 }, /maxEvents -1/],
      [{ info, nmae: 1 }, /has no option nmae/],
    ];
    for (const [options, message] of wrong)
      assert.throws(() => new McpMiddleware(options as never), { code: "MIDDLEWARE_INVALID", message });
  });
});
