/**
 * Tests which differences of two documents break clients, and which do not.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compareDocuments } from "./compare.ts";

const text = { type: "string" };
const json = (schema: unknown): object => ({ "application/json": { schema } });

/** A document with one operation that takes and returns a value. */
function withSchemas(input: unknown, output: unknown, components: object = {}): Record<string, unknown> {
  const operation = {
    operationId: "change",
    requestBody: { content: json(input) },
    responses: { 200: { content: json(output) } },
  };
  return { openapi: "3.2.0", info: {}, paths: { "/a": { query: operation } }, components };
}

const withOperation = (operation: object, more: object = {}): Record<string, unknown> => ({
  openapi: "3.2.0",
  paths: { "/a/{id}": { get: { operationId: "read", responses: {}, ...operation } } },
  ...more,
});

/** What breaks if a schema changes from one to the other, as input and as output, and the number of other differences. */
function change(before: unknown, now: unknown): { input: readonly string[]; output: readonly string[] } {
  const of = (one: readonly string[]): readonly string[] =>
    one.map((line) => line.replace(/^QUERY \/a: (?:body|response 200) ?/, ""));
  return {
    input: of(compareDocuments(withSchemas(before, {}), withSchemas(now, {})).breaking),
    output: of(compareDocuments(withSchemas({}, before), withSchemas({}, now)).breaking),
  };
}

const object = (properties: object, required: readonly string[] = [], more: object = {}): object => ({
  type: "object",
  properties,
  required,
  ...more,
});

describe("compareDocuments", () => {
  it("input must not become narrower, and output not wider", () => {
    const cases: Readonly<
      Record<string, readonly [before: unknown, now: unknown, input: readonly string[], output: readonly string[]]>
    > = {
      "the same": [object({ a: text }), object({ a: text }), [], []],
      "a new optional property": [object({}), object({ a: text }), [], []],
      "a new required property": [object({}), object({ a: text }, ["a"]), ["a is required now"], []],
      "a property that is no longer required": [
        object({ a: text }, ["a"]),
        object({ a: text }),
        [],
        ["a is no longer certain to be there"],
      ],
      "a property that is gone": [object({ a: text }), object({}), [], ["a is gone"]],
      "a required property that is gone": [object({ a: text }, ["a"]), object({}), [], ["a is gone"]],
      "a property that is gone from a closed object": [
        object({ a: text }, [], { additionalProperties: false }),
        object({}, [], { additionalProperties: false }),
        ["a is no longer taken"],
        ["a is gone"],
      ],
      "an object that is closed": [
        object({}),
        object({}, [], { additionalProperties: false }),
        ["no longer takes properties that are not named"],
        [],
      ],
      "one value more": [{ enum: ["a"] }, { enum: ["a", "b"] }, [], ['can be "b" now']],
      "one value less": [{ enum: ["a", "b"] }, { enum: ["a"] }, ['no longer takes "b"'], []],
      "values instead of any text": [
        text,
        { type: "string", enum: ["a"] },
        ['no longer takes other values than "a"'],
        [],
      ],
      "another type": [text, { type: "number" }, ["no longer takes a string"], ["can be a number now"]],
      "an integer instead of a number": [{ type: "number" }, { type: "integer" }, ["no longer takes a number"], []],
      "null by a list of types": [text, { type: ["string", "null"] }, [], ["can be null now"]],
      "null by alternatives": [text, { anyOf: [text, { type: "null" }] }, [], ["can be null now"]],
      "null as in 3.0": [{ type: "string", nullable: true }, text, ["no longer takes null"], []],
      "null said another way": [{ type: "string", nullable: true }, { anyOf: [{ type: "null" }, text] }, [], []],
      "literals said another way": [{ enum: ["a", "b"] }, { anyOf: [{ const: "b" }, { const: "a" }] }, [], []],
      "tighter bounds": [
        { type: "integer", minimum: 1 },
        { type: "integer", minimum: 2, maximum: 9 },
        ["minimum was 1, and is 2", "maximum was not limited, and is 9"],
        [],
      ],
      "looser bounds": [
        { type: "string", minLength: 1, maxLength: 5 },
        text,
        [],
        ["minLength was 1, and is not limited", "maxLength was 5, and is not limited"],
      ],
      "a bound that bounds nothing": [text, { type: "string", minLength: 0 }, [], []],
      "another pattern": [text, { type: "string", pattern: "a" }, ['pattern was not limited, and is "a"'], []],
      "a list's item": [
        { type: "array", items: text },
        { type: "array", items: { enum: ["a"] } },
        ['[] no longer takes other values than "a"'],
        [],
      ],
      "a record's value": [
        { type: "object", additionalProperties: { type: "integer" } },
        { type: "object", additionalProperties: { type: "number" } },
        [],
        ["* can be a number now"],
      ],
      "a record of anything": [
        { type: "object", additionalProperties: text },
        { type: "object" },
        [],
        ["* can be anything now"],
      ],
      "other properties said another way": [
        object({ a: text }),
        object({ a: text }, [], { additionalProperties: {} }),
        [],
        [],
      ],
      "null and booleans said another way": [{ type: ["null", "boolean"] }, { enum: [false, true, null] }, [], []],
      "what allOf adds": [
        { allOf: [object({ a: text })] },
        { allOf: [object({ a: text }), { required: ["a"] }] },
        ["a is required now"],
        [],
      ],
      "an alternative more": [
        { oneOf: [object({ a: { const: 1 } }, ["a"])] },
        { oneOf: [object({ a: { const: 1 } }, ["a"]), { type: "array" }] },
        [],
        ["can be a list now"],
      ],
      "a new required property that is read-only": [
        object({}),
        object({ a: { type: "string", readOnly: true } }, ["a"]),
        [],
        [],
      ],
      "a property that is read-only and another type": [
        object({ a: { type: "string", readOnly: true } }, ["a"]),
        object({ a: { type: "number", readOnly: true } }, ["a"]),
        [],
        ["a can be a number now"],
      ],
      "a property that is write-only and gone": [
        object({ a: { type: "string", writeOnly: true } }, ["a"]),
        object({}),
        [],
        [],
      ],
      "anything instead of something": [text, {}, [], ["can be anything now"]],
    };
    assert.deepEqual(
      Object.fromEntries(Object.entries(cases).map(([what, [before, now]]) => [what, change(before, now)])),
      Object.fromEntries(Object.entries(cases).map(([what, [, , input, output]]) => [what, { input, output }])),
    );
  });

  it("finds breaks through references, and stops at cycles", () => {
    const tree = (value: object): object => ({
      schemas: { Tree: object({ value, children: { type: "array", items: { $ref: "#/components/schemas/Tree" } } }) },
    });
    const ref = { $ref: "#/components/schemas/Tree" };
    const { breaking } = compareDocuments(
      withSchemas(ref, ref, tree(text)),
      withSchemas(ref, ref, tree({ enum: ["a"] })),
    );
    assert.deepEqual(breaking, ['QUERY /a: body value no longer takes other values than "a"']);
    const circle = { schemas: { A: { allOf: [{ $ref: "#/components/schemas/A" }] } } };
    const a = { $ref: "#/components/schemas/A" };
    assert.deepEqual(compareDocuments(withSchemas(a, a, circle), withSchemas(a, a, circle)), {
      breaking: [],
      compatible: 0,
    });
    const forked = {
      schemas: { A: { anyOf: [{ $ref: "#/components/schemas/A" }, { $ref: "#/components/schemas/A" }] } },
    };
    assert.deepEqual(compareDocuments(withSchemas(a, a, forked), withSchemas(a, a, forked)).breaking, []);
    const both = {
      allOf: [
        object({ child: { $ref: "#/components/schemas/A" } }),
        object({ child: { $ref: "#/components/schemas/A" } }),
      ],
    };
    const twice = { schemas: { A: both } };
    assert.deepEqual(compareDocuments(withSchemas(a, a, twice), withSchemas(a, a, twice)).breaking, []);
  });

  it("gives up on schemas with endlessly multiplying alternatives", () => {
    const wide = { anyOf: Array.from({ length: 30 }, (_, at) => object({ [`a${at}`]: text })) };
    const many = { allOf: [wide, wide, wide] };
    assert.throws(() => compareDocuments(withSchemas(many, {}), withSchemas(many, {})), {
      name: "DocumentError",
      message: "the documents cannot be compared: their schemas have too many alternatives",
    });
  });

  it("gives up on references that double or follow one another without end", () => {
    const refer = (at: number): object => ({ $ref: `#/components/schemas/S${at % 600}` });
    const doubling = (at: number): object => ({ anyOf: [refer(at + 1), refer(at + 2)] });
    const following = (at: number): object => ({ allOf: [refer(at + 1)] });
    for (const next of [doubling, following]) {
      const schemas = Object.fromEntries(Array.from({ length: 600 }, (_, at) => [`S${at}`, next(at)]));
      const document = (): Record<string, unknown> => withSchemas(refer(0), {}, { schemas });
      assert.throws(() => compareDocuments(document(), document()), /their schemas have too many alternatives$/);
    }
  });

  it("finds removed and renamed parts, and stricter requirements", () => {
    const parameter = (name: string, more: object = {}): object => ({ name, in: "query", schema: text, ...more });
    const before = withOperation({
      parameters: [parameter("a"), parameter("b"), { name: "X-A", in: "header", schema: text }],
      responses: { 200: { headers: { ETag: {} }, content: { ...json(text), "text/csv": {} } }, 404: {} },
    });
    const now = withOperation(
      {
        operationId: "show",
        parameters: [
          parameter("a", { required: true, explode: false }),
          parameter("c", { required: true }),
          { name: "x-a", in: "header", schema: { type: "integer" } },
        ],
        requestBody: { required: true, content: json({}) },
        responses: { 200: { content: json(text) } },
      },
      { security: [{ token: [] }] },
    );
    assert.deepEqual(compareDocuments(before, now).breaking, [
      "GET /a/{id}: operationId was read, and is show",
      "GET /a/{id}: security needs token now",
      "GET /a/{id}: query c is new, and required",
      "GET /a/{id}: query a is required now",
      "GET /a/{id}: query a was written as form, exploded, and is as form",
      "GET /a/{id}: query b is gone",
      "GET /a/{id}: header X-A no longer takes a string",
      "GET /a/{id}: body is new, and required",
      "GET /a/{id}: response 200 header ETag is gone",
      "GET /a/{id}: response 200 text/csv is gone",
      "GET /a/{id}: response 404 is gone",
    ]);
    const none = { openapi: "3.2.0", paths: { "/a/{id}": { put: { responses: {} } } } };
    assert.deepEqual(compareDocuments(before, none).breaking, ["GET /a/{id} is gone"]);
    const renamed = { openapi: "3.2.0", paths: { "/a/{key}": { get: { operationId: "read", responses: {} } } } };
    assert.deepEqual(compareDocuments(withOperation({}), renamed), { breaking: [], compatible: 0 });
  });

  it("requires that every client with access still has it", () => {
    const secured = (...security: readonly object[]): Record<string, unknown> => withOperation({ security });
    const breaks = (before: Record<string, unknown>, now: Record<string, unknown>): number =>
      compareDocuments(before, now).breaking.length;
    assert.equal(breaks(secured({ a: ["read"] }), secured({ a: ["read"] }, { b: [] })), 0);
    assert.equal(breaks(secured({ a: ["read"] }), secured({})), 0);
    assert.equal(breaks(secured({ a: ["read"] }, { b: [] }), secured({ a: ["read"] })), 1);
    assert.equal(breaks(secured({ a: ["read"] }), secured({ a: ["read", "write"] })), 1);
    assert.equal(breaks(secured(), secured({ a: [] })), 1);
  });

  it("passes and counts compatible changes", () => {
    const before = withSchemas(object({ a: text }, ["a"]), object({ a: text }, ["a"]));
    const now = withSchemas(object({ a: text, b: text }), object({ a: text, b: text }, ["a"]));
    const more = { ...now, paths: { ...(now["paths"] as object), "/b": { get: { responses: {} } } } };
    // `a` may be left out, the response has `b`, and there is GET /b.
    assert.deepEqual(compareDocuments(before, more), { breaking: [], compatible: 3 });
    assert.deepEqual(compareDocuments(before, structuredClone(before)), { breaking: [], compatible: 0 });
  });

  it("compares header names case-insensitively", () => {
    const withHeader = (name: string): Record<string, unknown> =>
      withOperation({ parameters: [{ name: "id", in: "path" }], responses: { 200: { headers: { [name]: {} } } } });
    assert.deepEqual(compareDocuments(withHeader("X-Total"), withHeader("x-total")).breaking, []);
    assert.deepEqual(compareDocuments(withHeader("X-Total"), withHeader("X-Other")).breaking, [
      "GET /a/{id}: response 200 header X-Total is gone",
    ]);
  });

  it("accepts a response that is now covered by its range or default", () => {
    const withResponses = (responses: object): Record<string, unknown> =>
      withOperation({ parameters: [{ name: "id", in: "path" }], responses });
    const breaks = (before: object, now: object): readonly string[] =>
      compareDocuments(withResponses(before), withResponses(now)).breaking.map((one) =>
        one.replace("GET /a/{id}: ", ""),
      );
    const [of, gone] = [(schema: object): object => ({ content: json(schema) }), ["response 404 is gone"]];
    assert.deepEqual(breaks({ 404: of(text) }, { "4XX": of(text) }), []);
    assert.deepEqual(breaks({ 404: of(text) }, { default: of(text) }), []);
    assert.deepEqual(breaks({ "4XX": of(text) }, { default: of(text) }), []);
    assert.deepEqual(breaks({ 200: of(text) }, { "2XX": of(text), default: of({}) }), []);
    assert.deepEqual(breaks({ 200: of(text) }, { default: of(text) }), []);
    assert.deepEqual(breaks({ 404: of(text) }, { "4XX": of({ type: "number" }) }), [
      "response 404 can be a number now",
    ]);
    assert.deepEqual(breaks({ 404: of(text) }, { "4XX": {} }), ["response 404 application/json is gone"]);
    assert.deepEqual(breaks({ 404: {} }, { 400: {}, "5XX": {} }), gone);
    assert.deepEqual(breaks({ 200: {} }, { 201: {}, default: {} }), ["response 200 is gone"]);
    assert.deepEqual(breaks({ "4XX": {} }, { 404: {} }), ["response 4XX is gone"]);
  });

  it("compares media types independently of their spelling", () => {
    const withType = (type: string): Record<string, unknown> => {
      const content = { [type]: { schema: text } };
      return withOperation({
        parameters: [{ name: "id", in: "path", content }],
        requestBody: { content },
        responses: { 200: { content } },
      });
    };
    const breaks = (before: string, now: string): number =>
      compareDocuments(withType(before), withType(now)).breaking.length;
    assert.equal(breaks("application/json", "Application/JSON; charset=utf-8"), 0);
    assert.equal(breaks('text/csv; Header="present";charset=UTF-8', "text/csv;charset=utf-8 ;header=present"), 0);
    assert.equal(breaks("text/csv", "text/csv;charset=latin1"), 3);
    assert.equal(breaks("a/b+json;v=1", "a/b+json;v=2"), 3);
  });
});
