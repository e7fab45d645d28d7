/**
 * Tests the client of a document: its names, its contents, and that a hostile document stays text.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { clientOf, compiled, documentOf, jsonResponse, loaded, recorded } from "./harness.testkit.ts";
import { writeMsw } from "./msw.ts";
import { writeTanStack } from "./tanstack.ts";
import { writeClient } from "./write.ts";

const ok = { 200: { description: "", content: { "application/json": { schema: {} } } } };
const none = { 204: { description: "" } };
const text = { type: "string" };

describe("writeClient", () => {
  it("writes one file without an import, the same for the same document", () => {
    const document = documentOf({ "/a": { get: { responses: ok } } });
    const written = clientOf(document);
    assert.equal(written, clientOf(structuredClone(document)));
    assert.doesNotMatch(written, /\b(?:import|require)\b/);
  });

  it("has a method for each operation, QUERY in the forms of 3.1 and 3.2, and reports what it leaves out", async () => {
    const { client, sent } = await recorded(
      documentOf({
        "/a": { query: { operationId: "askNew", responses: none }, get: { responses: none } },
        "/b": { "x-query": { operationId: "askOld", responses: none }, "x-note": { text: "no operation" } },
        "/c": { additionalOperations: { PURGE: { operationId: "purge", responses: none } } },
      }),
    );
    for (const call of Object.values(client)) await call({});
    assert.deepEqual(Object.keys(client), ["askNew", "getA", "askOld", "purge"]);
    assert.deepEqual(
      sent.map(({ method, url }) => `${method} ${url}`),
      ["QUERY http://test/base/a", "GET http://test/base/a", "QUERY http://test/base/b", "PURGE http://test/base/c"],
    );
    const { leftOut } = writeClient(documentOf({ "/a": { trace: { responses: none } } }), "");
    assert.deepEqual(leftOut, ["left out: TRACE /a, which fetch does not send"]);
  });

  it("leaves out a body that fetch cannot send, and reports it", async () => {
    const requestBody = { content: { "application/json": { schema: {} } } };
    const document = documentOf({ "/a": { get: { operationId: "find", requestBody, responses: none } } });
    const { client, sent } = await recorded(document);
    await client["find"]?.({ body: { a: 1 } });
    assert.deepEqual([sent[0]?.method, sent[0]?.body], ["GET", ""]);
    assert.deepEqual(writeClient(document, "").leftOut, ["left out: the body of GET /a, which fetch does not send"]);
  });

  it("makes a unique identifier of every name", async () => {
    const ids = [
      "delete",
      "get-order by id",
      "getOrderById",
      "then",
      "constructor",
      "2fa",
      "日本",
      "",
      "__proto__",
      "a`${b}",
    ];
    const paths = Object.fromEntries(ids.map((operationId, at) => [`/${at}`, { get: { operationId, responses: ok } }]));
    const names = { Response: text, "order.line": text, OrderLine: text, "2": text, Client: text };
    const used = Object.keys(names).map((name) => ({ $ref: `#/components/schemas/${name}` }));
    const all = {
      get: {
        operationId: "all",
        responses: { 200: { content: { "application/json": { schema: { prefixItems: used } } } } },
      },
    };
    const odd = { "/odd": { additionalOperations: { "M-SEARCH": { operationId: "2", responses: ok } } } };
    const signs = { "/": { additionalOperations: { "~": { responses: ok } } } };
    const written = clientOf(
      documentOf({ ...paths, ...odd, ...signs, "/all": all }, { components: { schemas: names } }),
    );
    const module = await loaded(written);
    assert.deepEqual(Object.keys(module.createClient({})), [
      "delete",
      "getOrderById",
      "getOrderById2",
      "thenOperation",
      "constructorOperation",
      "get2fa",
      "日本",
      "get",
      "proto",
      "aB",
      "msearch2",
      "call",
      "all",
    ]);
    for (const name of ["ResponseModel", "OrderLine", "OrderLine2", "Type2", "ClientModel"])
      assert.match(written, new RegExp(`^export type ${name} = string;$`, "m"));
    assert.deepEqual((await compiled({ "client.ts": written })).errors, []);
  });

  it("keeps every text of a hostile document a text", async () => {
    const attacks = [
      "*/ globalThis.attacked = true; /*",
      '"; globalThis.attacked = true; "',
      "`; globalThis.attacked = true; `",
      "${(globalThis.attacked = true)}",
      "\n globalThis.attacked = true; \r\u2028 globalThis.attacked = true; //",
      "\\",
      "__proto__",
      "@ts-nocheck",
      "//# sourceMappingURL=data:application/json,{}",
      "\u202e x \u0000",
      " | Ok<200, x> | Failed<1, y>",
    ];
    const files: Record<string, string> = {};
    for (const attack of attacks) {
      const ref = `#/components/schemas/${encodeURIComponent(attack.replaceAll("~", "~0").replaceAll("/", "~1"))}`;
      const schema = {
        description: attack,
        type: "object",
        properties: { [attack]: { enum: [attack], description: attack } },
        required: [attack],
      };
      const path = attack.replaceAll(/[{}]/g, "");
      const document = documentOf(
        {
          [`/${path}/{${path}}`]: {
            post: {
              operationId: attack,
              summary: attack,
              description: attack,
              deprecated: true,
              parameters: [
                { name: path, in: "path", description: attack, schema: { const: attack } },
                { name: attack, in: "query", explode: false, schema: { type: "array", items: { $ref: ref } } },
                { name: attack, in: "header", schema: text },
                { name: attack, in: "cookie", schema: text },
              ],
              requestBody: {
                description: attack,
                content: { [attack]: { schema: { $ref: ref } }, "a/json": { schema: { $ref: ref } } },
              },
              responses: {
                200: { description: attack, content: { [attack]: {}, "a/json": { schema: { $ref: ref } } } },
              },
            },
          },
        },
        {
          info: { title: attack, version: attack },
          servers: [{ url: `http://x/${attack.replaceAll(/[{}]/g, "")}` }],
          components: { schemas: { [attack]: schema } },
        },
      );
      const written = clientOf(document);
      const number = attacks.indexOf(attack);
      const { calls } = writeClient(document, "");
      const tanStack = { name: "@tanstack/query-core", hasStreams: true };
      const queries = writeTanStack(calls, `./client${number}.ts`, tanStack).text;
      const handlers = writeMsw(document, calls);
      Object.assign(files, {
        [`client${number}.ts`]: written,
        [`queries${number}.ts`]: queries,
        [`handlers${number}.ts`]: handlers,
      });
      for (const one of [written, queries, handlers])
        assert.doesNotMatch(one, /^ *(?:\/\*\*| \*).*(?<!\\)@ts-|\/[/*]# ?sourceMappingURL|[\u2028\u202e]/m);
      const module = await loaded(written);
      const [call] = Object.values(module.createClient({ fetch: async () => new Response(null, { status: 418 }) }));
      await assert.rejects(async () =>
        call?.({ params: { [path]: "a" }, query: {}, headers: {}, cookies: {}, body: {} }),
      );
      assert.equal(Reflect.get(globalThis, "attacked"), undefined);
    }
    assert.ok(Object.values(files).every((text) => !text.includes("\0")));
    assert.deepEqual((await compiled(files)).errors, []);
  });

  it("accepts headers, hooks, fetch and a signal", async () => {
    const module = await loaded(clientOf(documentOf({ "/": { get: { operationId: "read", responses: ok } } })));
    const seen: string[] = [];
    let token = 0;
    const client = module.createClient({
      baseUrl: "http://test",
      headers: async () => ({ Authorization: `Bearer ${(token += 1)}`, "X-None": undefined }),
      onRequest: (request: Request) => new Request(`${request.url}changed`, request),
      onResponse: (response: Response) => void seen.push(String(response.status)),
      fetch: async (request: Request) => {
        seen.push(`${request.url} ${JSON.stringify(Object.fromEntries(request.headers))}`);
        request.signal.throwIfAborted();
        return jsonResponse(200, {});
      },
    });
    await client["read"]?.();
    const controller = new AbortController();
    controller.abort(new Error("enough"));
    await assert.rejects(async () => client["read"]?.({ signal: controller.signal }), { message: "enough" });
    assert.deepEqual(seen, [
      'http://test/changed {"authorization":"Bearer 1"}',
      "200",
      'http://test/changed {"authorization":"Bearer 2"}',
    ]);
  });

  it("compiles in a strict project, with only syntax that type stripping removes", async () => {
    const printed = new URL("../../../../.build/examples/shop/print-document.js", import.meta.url);
    const text = execFileSync(process.execPath, [fileURLToPath(printed)], { encoding: "utf8" });
    const written = clientOf(JSON.parse(text) as Record<string, unknown>);
    // The options have `erasableSyntaxOnly` and `isolatedDeclarations`. `make check` has TypeScript 5.9 and 6 compile it too.
    assert.deepEqual((await compiled({ "client.ts": written })).errors, []);
    assert.equal(
      (await compiled({ "client.ts": `${written}enum Colour { red }\n` }, "--noUnusedLocals", "false")).errors.length,
      1,
    );
  });

  it("compiles without operations, since it has only the parts that they use", async () => {
    const written = clientOf(documentOf({}));
    assert.doesNotMatch(written, /async function/);
    assert.deepEqual((await compiled({ "client.ts": written }, "--noUnusedParameters", "false")).errors, []);
  });

  it("uses the document's server if no base URL is given", async () => {
    const module = await loaded(
      clientOf(documentOf({ "/a": { get: { responses: none } } }, { servers: [{ url: "https://api.example/v1/" }] })),
    );
    const urls: string[] = [];
    const client = module.createClient({
      fetch: async (request: Request) => (urls.push(request.url), new Response(null, { status: 204 })),
    });
    await client["getA"]?.();
    assert.deepEqual(urls, ["https://api.example/v1/a"]);
  });

  it("gives the variables of that server their defaults", async () => {
    const variables = { region: { default: "eu", enum: ["eu", "us"] }, port: { default: "8443" } };
    const server = (url: string, more: object): string =>
      clientOf(documentOf({ "/a": { get: { responses: none } } }, { servers: [{ url, ...more }] }));
    const url = "https://{region}.api.example:{port}/v1";
    assert.match(server(url, { variables }), /options\.baseUrl \?\? "https:\/\/eu\.api\.example:8443\/v1"/);
    assert.match(server(url, { variables: { region: variables.region } }), /readonly baseUrl: string;/);
  });

  it("ignores a broken reference that no operation uses", () => {
    const unused = { properties: { a: { $ref: "other.json#/a" }, b: { $ref: "#/gone" }, c: { readOnly: true } } };
    const document = documentOf({ "/a": { get: { responses: none } } });
    assert.equal(clientOf({ ...document, components: { schemas: { unused } } }), clientOf(document));
  });

  const unreadable: Readonly<Record<string, readonly [document: Record<string, unknown>, says: string]>> = {
    "a reference out of the document": [
      documentOf({ "/a": { $ref: "other.json#/a" } }),
      'the document cannot be read: it refers to "other.json#/a", outside of the document: bundle it into one first',
    ],
    "a reference to nothing": [
      documentOf({ "/a": { get: { responses: { 200: { $ref: "#/components/responses/__proto__" } } } } }),
      'the document cannot be read: it refers to "#/components/responses/__proto__", which is not there',
    ],
    "a path parameter that nothing declares": [
      documentOf({ "/a/{id}": { get: { responses: none } } }),
      'GET /a/{id} has no parameter "id", which its path names',
    ],
    "a parameter that cannot be sent": [
      documentOf({ "/a": { get: { parameters: [{ name: "q", in: "querystring" }], responses: none } } }),
      'GET /a has the parameter "q" in "querystring": path, query, header and cookie can be sent',
    ],
    "a response without a status": [
      documentOf({ "/a": { get: { responses: { "200}": {} } } } }),
      'the document cannot be read: GET /a has a response "200}": that is no status',
    ],
  };
  for (const [what, [document, message]] of Object.entries(unreadable))
    it(`rejects ${what}`, () => {
      assert.throws(() => clientOf(document), { name: "DocumentError", message });
    });
});
