/**
 * Tests the handlers of Mock Service Worker with the library itself, and with the client of the same document.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setupServer } from "msw/node";
import { sources } from "../harness.testkit.ts";
import { compiled, documentOf, imported, withoutResponse } from "./harness.testkit.ts";
import { valueOf } from "./example.ts";
import { writeMsw } from "./msw.ts";
import { readRuntime } from "./runtime.ts";
import { writeClient } from "./write.ts";

const text = { type: "string" };
const json = (schema: object, more: object = {}): object => ({ content: { "application/json": { schema, ...more } } });
const id = [{ name: "id", in: "path", schema: text }];
const tick = { properties: { event: { const: "tick" }, data: { ...text, contentSchema: { type: "integer" } } } };
const document = documentOf(
  {
    "/a(b)/{id}": {
      get: { operationId: "read", parameters: id, responses: { 200: json({ $ref: "#/components/schemas/Item" }) } },
      delete: { operationId: "remove", parameters: id, responses: { 204: { description: "" } } },
    },
    "/a(b)/first": { get: { operationId: "first", responses: { 200: json({}, { example: { id: "first" } }) } } },
    "/find": {
      query: { operationId: "find", responses: { 200: json({}, { examples: { one: { value: [1] } } }) } },
      get: { operationId: "page", responses: { 200: { content: { "text/plain": { schema: text } } } } },
    },
    "/made": { post: { operationId: "make", responses: { 201: json({ type: "array", items: text }) } } },
    "/image": { get: { operationId: "image", responses: { 200: { content: { "image/png": {} } } } } },
    "/ticks": {
      get: { operationId: "ticks", responses: { 200: { content: { "text/event-stream": { itemSchema: tick } } } } },
    },
    "/lines": {
      get: { operationId: "lines", responses: { 200: { content: { "application/jsonl": { itemSchema: text } } } } },
    },
    "/chat": { get: { operationId: "chat", "x-websocket": { outgoing: text }, responses: {} } },
  },
  {
    components: {
      schemas: {
        Item: {
          type: "object",
          required: ["id"],
          properties: {
            id: { ...text, format: "uuid" },
            next: { $ref: "#/components/schemas/Item" },
            secret: { writeOnly: true },
          },
        },
      },
    },
  },
);
const { text: client, calls } = writeClient(document, readRuntime(join(sources, "create-framework")));
const files = { "client.ts": client, "handlers.ts": writeMsw(document, calls) };

type Calls = Record<string, (input?: object) => Promise<Record<string, unknown>> & AsyncIterable<unknown>>;

describe("the handlers of Mock Service Worker", () => {
  it("respond to each operation with an example", async () => {
    const entry = 'export * from "./client.ts";\nexport * from "./handlers.ts";\n';
    const module = await imported<{
      createClient(options: object): Calls;
      createHandlers(baseUrl: string): Parameters<typeof setupServer>;
    }>({ ...files, "entry.ts": entry }, "entry.ts");
    const server = setupServer(...module.createHandlers("http://api.example.com/v1/"));
    server.listen({ onUnhandledRequest: "error" });
    try {
      const calls = module.createClient({ baseUrl: "http://api.example.com/v1" });
      const result = async (name: string, input?: object): Promise<unknown> =>
        withoutResponse(await calls[name]?.(input));
      const { body: item } = (await result("read", { params: { id: "ü/1" } })) as { body: Record<string, unknown> };
      assert.deepEqual(
        [item["id"], "secret" in item, "next" in item],
        ["00000000-0000-4000-8000-000000000000", false, true],
      );
      assert.deepEqual(await result("remove", { params: { id: "1" } }), { ok: true, status: 204, body: undefined });
      assert.deepEqual(await result("first"), { ok: true, status: 200, body: { id: "first" } });
      assert.deepEqual(await result("find"), { ok: true, status: 200, body: [1] });
      assert.deepEqual(await result("page"), { ok: true, status: 200, body: "text" });
      assert.deepEqual(await result("make"), { ok: true, status: 201, body: ["text"] });
      assert.equal(((await result("image")) as { body: Blob }).body.type, "image/png");
      const items: unknown[] = [];
      for (const name of ["ticks", "lines"]) for await (const one of calls[name]?.() ?? []) items.push(one);
      assert.deepEqual(items, [{ event: "tick", data: 1, id: "1" }, "text"]);
    } finally {
      server.close();
    }
  });

  it("compile, also for a document without operations", async () => {
    assert.deepEqual((await compiled(files)).errors, []);
    assert.deepEqual((await compiled({ "handlers.ts": writeMsw(documentOf({}), []) })).errors, []);
  });
});

describe("valueOf", () => {
  it("makes values that a schema allows", () => {
    const values: readonly (readonly [schema: unknown, value: unknown])[] = [
      [{ default: 3, type: "integer" }, 3],
      [{ examples: ["e"], type: "string" }, "e"],
      [{ enum: ["x", "y"] }, "x"],
      [{ type: ["null", "boolean"] }, true],
      [{ type: "integer", exclusiveMinimum: 4, multipleOf: 3 }, 6],
      [{ type: "string", minLength: 6, format: "date" }, "2026-01-01"],
      [{ type: "string", minLength: 6 }, "textxx"],
      [{ type: "string", maxLength: 2 }, "te"],
      [{ prefixItems: [{ const: 1 }, { type: "string" }] }, [1, "text"]],
      [{ type: "array", minItems: 2, items: { const: 1 } }, [1, 1]],
      [{ allOf: [{ properties: { a: { const: 1 } } }, { properties: { b: { const: 2 } } }] }, { a: 1, b: 2 }],
      [{ oneOf: [{ const: "one" }, { const: "two" }] }, "one"],
      [{}, null],
      [true, null],
    ];
    assert.deepEqual(
      values.map(([schema]) => valueOf({}, schema)),
      values.map(([, value]) => value),
    );
    const circle = { A: { type: "object", required: ["a"], properties: { a: { $ref: "#/A" } } } };
    assert.equal(typeof valueOf(circle, circle.A), "object");
  });

  it("ends for schemas that demand themselves several times, or that are wide at each level", () => {
    const names = Array.from({ length: 30 }, (_, at) => `p${at}`);
    const properties = Object.fromEntries(names.map((name) => [name, { $ref: "#/A" }]));
    for (const required of [names, []]) {
      const document = { A: { type: "object", required, properties } };
      const { length } = JSON.stringify(valueOf(document, document.A));
      assert.ok(length > 100 && length < 100_000, `${length}`);
    }
  });
});
