/** What a route is as a tool: its name, its schemas, its hints, and the list of all. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Type } from "typebox";
import { z } from "zod";
import { form, Framework } from "../index.ts";
import { multipartForm } from "../multipart/index.ts";
import { agentOf, called, messageRequest } from "./agent.testkit.ts";
import { McpMiddleware } from "./index.ts";
import { Listing } from "./listing.ts";
import { type Tool, toolsOf } from "./tools.ts";

const handler = (): string => "";
const info = { name: "a", version: "1" };

const toolsIn = (define: (app: Framework) => unknown): Map<string, Tool> => {
  const app = Framework.create({ compileSchema: () => () => true });
  define(app);
  return toolsOf(app.about.declaredRoutes());
};
const only = (define: (app: Framework) => unknown): Tool => {
  const [tool, ...others] = toolsIn(define).values();
  assert.equal(others.length, 0);
  return tool ?? assert.fail("no tool");
};

describe("toolsOf", () => {
  test("takes the routes that say so, or whose group does", () => {
    const tools = toolsIn((app) => {
      app.get("/no", { operationId: "no" }, handler);
      app.get("/yes", { operationId: "yes", tool: true }, handler);
      app.group("/g", { tool: true }, (group) => {
        group.get("/a", { operationId: "a" }, handler);
        group.get("/b", { operationId: "b", tool: false }, handler);
        group.post("/c", { operationId: "c", body: multipartForm({ files: {} }) }, handler);
        group.group("/h", { tool: false }, (inner) => inner.get("/d", { operationId: "d" }, handler));
      });
    });
    assert.deepEqual([...tools.keys()], ["yes", "a"]);
  });

  test("names a tool by its option, its operationId, or its method and path", () => {
    const nameOf = (options: object): string =>
      only((app) => app.get("/a/{id}", { tool: true, ...options }, handler)).definition.name;
    assert.equal(nameOf({ operationId: "getA", tool: { name: "a.b-c_d" } }), "a.b-c_d");
    assert.equal(nameOf({ operationId: "get A/ä!" }), "get-A-");
    assert.equal(nameOf({}), "getAById");
  });

  test("has the hints of its method", () => {
    const hintsOf = (method: string): object =>
      only((app) => app.route(method, "/a", { tool: true }, handler)).definition.annotations;
    assert.deepEqual(["GET", "HEAD", "QUERY", "POST", "PUT", "PATCH", "DELETE"].map(hintsOf), [
      { readOnlyHint: true },
      { readOnlyHint: true },
      { readOnlyHint: true },
      {},
      { idempotentHint: true },
      {},
      { destructiveHint: true, idempotentHint: true },
    ]);
  });

  test("shows no character of a description that is not seen, and cuts a long one", () => {
    const textOf = (description: string): string | undefined =>
      only((app) => app.get("/a", { tool: { description } }, handler)).definition.description;
    assert.equal(textOf("a\u001b[31m\u202eb\u{e0041}\u200b\u0000\nc"), "a [31m b \nc");
    assert.equal(textOf("x".repeat(3_000))?.length, 2_000);
  });

  test("has the output of its successes, if all of them are JSON", () => {
    const outputOf = (responses: object): unknown =>
      only((app) => app.get("/a", { tool: true, responses: responses as never }, handler as never)).definition
        .outputSchema;
    const one = z.object({ a: z.string() });
    const schema = {
      type: "object",
      properties: { a: { type: "string" } },
      required: ["a"],
      additionalProperties: false,
    };
    assert.deepEqual(outputOf({ 200: one, 404: z.string() }), schema);
    assert.deepEqual(outputOf({ 200: one, 201: z.array(one) }), { anyOf: [schema, { type: "array", items: schema }] });
    assert.equal(outputOf({ 200: one, 204: null }), undefined);
    assert.equal(outputOf({ 200: z.string() }), undefined);
    assert.equal(outputOf({}), undefined);
  });

  test("has every named schema of its arguments in itself", () => {
    const Line = Type.Object({ sku: Type.String() }, { $id: "Line" });
    const { definition } = only((app) => app.post("/a", { tool: true, body: Type.Array(Line) }, handler));
    assert.deepEqual(definition.inputSchema["required"], ["body"]);
    const text = JSON.stringify(definition);
    for (const [, name = ""] of text.matchAll(/"#\/\$defs\/([^"]+)"/g))
      assert.ok(name in (definition.inputSchema["$defs"] as object), name);
    assert.doesNotMatch(text, /#\/components/);
    interface Tree {
      readonly children: readonly Tree[];
    }
    const Tree: z.ZodType<Tree> = z.lazy(() => z.object({ children: z.array(Tree) }));
    const tree = only((app) => app.post("/a", { tool: true, body: z.object({ root: Tree }) }, handler)).definition;
    assert.match(JSON.stringify(tree.inputSchema), /"\$ref":"#\/\$defs\//);
  });

  test("rejects two tools of one name, a wrong name, and a route that has no message of its own", () => {
    const wrong: readonly (readonly [(app: Framework) => unknown, RegExp])[] = [
      [
        (app) => app.get("/a", { tool: { name: "x" } }, handler).get("/b", { tool: { name: "x" } }, handler),
        /GET \/a and GET \/b are tools of one name/,
      ],
      [(app) => app.get("/a", { tool: { name: "a b" } }, handler), /up to 128 letters/],
      [(app) => app.post("/a", { tool: true, body: multipartForm({ files: {} }) }, handler), /takes files/],
      [
        (app) => app.post("/a", { tool: true, body: (value: unknown): value is string => value === "" }, handler),
        /no JSON Schema/,
      ],
    ];
    for (const [define, message] of wrong) assert.throws(() => toolsIn(define), { code: "CONTRACT_INVALID", message });
  });

  test("rejects an option that is none at registration", () => {
    for (const tool of [{ nmae: "a" }, { name: 1 }, "a", null])
      assert.throws(() => Framework.create().get("/a", { tool: tool as never }, handler), { code: "ROUTE_OPTIONS" });
  });
});

describe("the arguments of a tool", () => {
  const requestOf = (define: (app: Framework) => unknown, given: object): unknown => {
    const request = only(define).requestOf({ ...given });
    return typeof request === "string" ? request : { ...request, headers: Object.fromEntries(request.headers) };
  };
  const none = { headers: {}, body: undefined, contentType: undefined };

  test("are the parts of a request, each by its name", () => {
    const define = (app: Framework): unknown =>
      app.put(
        "/a/{id}/*rest",
        {
          tool: true,
          query: z.object({ q: z.string(), all: z.array(z.string()), id: z.string() }),
          headers: z.object({ "x-tenant": z.string(), authorization: z.string(), "x-api-key": z.string() }),
          body: z.object({ n: z.number() }),
        },
        handler,
      );
    const { properties } = only(define).definition.inputSchema;
    assert.deepEqual(Object.keys(properties as object), ["path_id", "rest", "q", "all", "query_id", "x-tenant", "n"]);
    const given = {
      path_id: "a/b?",
      rest: "c/d e",
      q: "ä&",
      all: ["1", "2"],
      query_id: "2",
      "x-tenant": "t",
      n: 1,
      more: [null],
    };
    assert.deepEqual(requestOf(define, given), {
      target: "/a/a%2Fb%3F/c/d%20e?q=%C3%A4%26&all=1&all=2&id=2",
      headers: { "x-tenant": "t" },
      body: '{"n":1,"more":[null]}',
      contentType: "application/json",
    });
    const named = { path_id: "1", rest: "2" };
    assert.equal(
      requestOf(define, { ...named, "x-tenant": "a\r\nX-B: 1" }),
      "the argument x-tenant has characters that no header can hold",
    );
    assert.match(String(requestOf(define, { path_id: "1" })), /the argument rest is missing/);
  });

  test("have a body that is no object as `body`, and a form's fields", () => {
    const list = (app: Framework): unknown => app.post("/a", { tool: true, body: z.array(z.string()) }, handler);
    assert.deepEqual(requestOf(list, { body: ["a"] }), {
      ...none,
      target: "/a",
      body: '["a"]',
      contentType: "application/json",
    });
    assert.equal(requestOf(list, { body: [], x: 1 }), 'there is no argument "x"');
    const fields = (app: Framework): unknown =>
      app.post("/a", { tool: true, body: form(z.object({ a: z.string(), b: z.array(z.string()) })) }, handler);
    const sent = { ...none, target: "/a", body: "a=1&b=2&b=3", contentType: "application/x-www-form-urlencoded" };
    assert.deepEqual(requestOf(fields, { a: "1", b: ["2", "3"] }), sent);
    const optional = (app: Framework): unknown =>
      app.post("/a", { tool: true, body: z.object({ a: z.string() }).optional() }, handler);
    assert.deepEqual(requestOf(optional, {}), { ...none, target: "/a" });
  });

  test("keep the rules of a body about several members, where the route has no parameters", () => {
    const body = { type: "object", properties: { a: {}, b: {} }, anyOf: [{ required: ["a"] }, { required: ["b"] }] };
    const alone = (app: Framework): unknown => app.post("/a", { tool: true, body }, handler);
    assert.deepEqual(only(alone).definition.inputSchema, body);
    assert.deepEqual(requestOf(alone, { a: 1 }), {
      ...none,
      target: "/a",
      body: '{"a":1}',
      contentType: "application/json",
    });
    const beside = only((app) => app.post("/a/{id}", { tool: true, body }, handler)).definition.inputSchema;
    assert.deepEqual(beside["required"], ["id", "body"]);
  });

  test("cannot reach the prototype of anything, and hold no lone surrogate in a path", () => {
    const define = (app: Framework): unknown => app.post("/a/{id}", { tool: true, body: z.looseObject({}) }, handler);
    const given = JSON.parse('{"id":"\\ud800","__proto__":{"admin":true}}') as object;
    const request = only(define).requestOf(given as never);
    assert.ok(typeof request !== "string");
    assert.deepEqual([request.target, request.body], ["/a/%EF%BF%BD", '{"__proto__":{"admin":true}}']);
  });
});

/** An app with that number of tools, each with a contract and a long description. */
function manyTools(count: number): Framework {
  const app = Framework.create();
  app.use(new McpMiddleware({ info }));
  const body = z.object({ text: z.string(), page: z.number().optional() });
  for (let n = 0; n < count; n += 1)
    app.query(
      `/things/${n}/search`,
      { operationId: `search-things-${n}`, tool: { description: "Searches the things. ".repeat(30) }, body },
      handler,
    );
  return app;
}

describe("the list of tools", () => {
  test("has pages, and may be kept for a time", async () => {
    const app = manyTools(100);
    const asked = async (params: object): Promise<Record<string, unknown>> => {
      const response = await app.fetch(messageRequest("tools/list", params));
      const { result, error } = (await response.json()) as Record<"result" | "error", Record<string, unknown>>;
      return result ?? error;
    };
    const first = await asked({});
    assert.deepEqual(
      [first["ttlMs"], first["cacheScope"], (first["tools"] as []).length, first["nextCursor"]],
      [300_000, "private", 100, undefined],
    );
    for (const cursor of ["", "100.abc", "x", "999999999.1"]) assert.equal((await asked({ cursor }))["code"], -32_602);
  });

  test("has 500 tools in brief, in 60 tokens each, and whole ones on demand", async (t) => {
    const app = manyTools(500);
    await app.start(0);
    t.after(() => app.stop({ graceMs: 0 }));
    const agent = await agentOf(`${app.url}/mcp`);
    const { tools } = await agent.listTools();
    assert.deepEqual(
      [tools.length, tools[0]?.name, new Set(tools.map(({ name }) => name)).size],
      [501, "describe-tools", 501],
    );
    // A token is three characters of JSON or more.
    for (const tool of tools.slice(1)) assert.ok(JSON.stringify(tool).length / 3 <= 60, JSON.stringify(tool));
    const { structuredContent } = await agent.callTool({
      name: "describe-tools",
      arguments: { names: ["search-things-7"] },
    });
    const [whole] = (structuredContent as { tools: { inputSchema: { required: string[] } }[] }).tools;
    assert.deepEqual(whole?.inputSchema.required, ["text"]);
    for (const names of [[], ["nothing"], "search-things-7", Array.from({ length: 21 }, () => "search-things-7")])
      assert.equal((await called(app, "describe-tools", { names })).isError, true);
    await agent.close();
  });

  test("does not take a cursor of another list, or a tool with the name of its own", () => {
    const tools = toolsIn((app) => {
      for (let n = 0; n < 150; n += 1) app.get(`/${n}`, { operationId: `t${n}`, tool: true }, handler);
    });
    const cursor = new Listing(tools, 200).page(undefined)?.nextCursor;
    assert.equal(new Listing(tools, 200).page(cursor)?.tools.length, 50);
    const fewer = new Map([...tools].slice(1));
    assert.equal(new Listing(fewer, 200).page(cursor), undefined);
    const taken = toolsIn((app) => app.get("/a", { tool: { name: "describe-tools" } }, handler));
    assert.throws(() => new Listing(taken, 0), { code: "CONTRACT_INVALID" });
  });
});
