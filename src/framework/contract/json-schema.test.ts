/** Unit tests of json-schema.ts: the JSON Schema of a schema (CONTRACT). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { toJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import * as v from "valibot";
import { z } from "zod";
import { conversionOf, type Flaw, formType, isForm, isMultipart, jsonSchemaOf, mayBeMissing } from "./json-schema.ts";

const plain = { type: "object", properties: { a: { type: "string" }, b: true } };

describe("jsonSchemaOf", () => {
  test("is that of a Standard Schema, for the requested side and draft", () => {
    const asked: unknown[] = [];
    const convert = (side: string) => (given: { target: string }) => (asked.push(given.target), { side });
    const standard = { "~standard": { jsonSchema: { input: convert("input"), output: convert("output") } } };
    assert.deepEqual(
      [jsonSchemaOf(standard, "input"), jsonSchemaOf(standard, "output"), asked],
      [{ side: "input" }, { side: "output" }, ["draft-2020-12", "draft-2020-12"]],
    );
    assert.equal(jsonSchemaOf(type({ a: "string" }), "input")?.["type"], "object");
  });

  test("is that of a compiled TypeBox validator, and a JSON Schema itself", () => {
    const Typed = Type.Object({ a: Type.String() });
    assert.deepEqual([jsonSchemaOf(Compile(Typed), "input"), jsonSchemaOf(plain, "output")], [Typed, plain]);
  });

  const unknown: Readonly<Record<string, unknown>> = {
    "a Standard Schema without one": { "~standard": {}, type: "object" },
    "a Standard Schema that throws for it": {
      "~standard": {
        jsonSchema: {
          input: () => {
            throw new Error("no JSON form");
          },
        },
      },
      type: "object",
    },
    "a Standard Schema that returns a list": { "~standard": { jsonSchema: { input: () => [] } } },
    "a validator that has no type": { Check: () => true, type: "object" },
    "a validator whose type is no function": { Check: () => true, Type: "Object" },
    "an object with parse": { parse: () => 1, type: "object" },
    "a function": Object.assign(() => 1, { type: "object" }),
    "a function with a Standard Schema that has none": Object.assign(() => 1, { "~standard": {} }),
    "a list": [],
    "a text": "object",
    null: null,
    undefined,
  };
  for (const [what, schema] of Object.entries(unknown))
    test(`does not exist for ${what}`, () => {
      assert.equal(jsonSchemaOf(schema, "input"), undefined);
    });
});

describe("conversionOf", () => {
  const date = { type: "string", format: "date-time" };
  const Dated = z.object({ lines: z.array(z.object({ at: z.date().optional() })), by: z.record(z.string(), z.date()) });

  test("a sent Date is a date-time text, also one that a coercion makes of a text", () => {
    const lines = { type: "array", items: { type: "object", properties: { at: date }, additionalProperties: false } };
    const { schema, flaws } = conversionOf(Dated, "output");
    assert.deepEqual(
      [schema?.["properties"], flaws],
      [{ lines, by: { type: "object", propertyNames: { type: "string" }, additionalProperties: date } }, []],
    );
    assert.deepEqual(jsonSchemaOf(type({ at: "Date" }), "output")?.["properties"], { at: date });
    const coerced = z.object({ at: z.coerce.date(), n: z.coerce.bigint() });
    assert.deepEqual(conversionOf(coerced, "input").flaws, []);
    assert.deepEqual(conversionOf(coerced, "input").schema?.["properties"], {
      at: date,
      n: { type: "string", pattern: "^-?\\d+$" },
    });
  });

  const flawed: Readonly<Record<string, readonly [unknown, "input" | "output", readonly Flaw[]]>> = {
    "a Date as input": [
      Dated,
      "input",
      [
        { member: "by{}", type: "date" },
        { member: "lines[].at", type: "date" },
      ],
    ],
    "a bigint": [z.array(z.bigint()), "output", [{ member: "[]", type: "bigint" }]],
    "a Set": [z.object({ s: z.set(z.string()) }), "output", [{ member: "s", type: "set" }]],
    "a transform": [z.string().transform(Number), "output", [{ member: "", type: "transform" }]],
    "a custom check": [z.object({ a: z.custom(() => true) }), "input", [{ member: "a", type: "custom" }]],
    "a Date of ArkType": [type({ at: "Date" }), "input", [{ member: "", type: "date" }]],
  };
  for (const [what, [schema, side, flaws]] of Object.entries(flawed))
    test(`names the member without a JSON form: ${what}`, () => {
      const found = conversionOf(schema, side);
      assert.deepEqual(
        [found.flaws.toSorted((a, b) => (a.member < b.member ? -1 : 1)), typeof found.schema],
        [flaws, "object"],
      );
    });

  test("an unconstrained schema accepts anything without a flaw", () => {
    assert.deepEqual(conversionOf(z.object({ a: z.any(), b: z.unknown().optional() }), "output").flaws, []);
  });

  test("calls the converter only for schemas without their own JSON Schema", () => {
    const asked: unknown[] = [];
    const convert = (schema: never): object => (asked.push(schema), { title: "converted" });
    const without = v.string();
    const all = [z.string(), Type.String(), plain, z.date(), without].map((one) => jsonSchemaOf(one, "input", convert));
    assert.deepEqual(
      [all.map((one) => one?.["title"]), asked.length, asked.at(-1)],
      [[undefined, undefined, undefined, "converted", "converted"], 2, without],
    );
    assert.deepEqual(conversionOf(z.date(), "input", () => undefined).flaws, [{ member: "", type: "date" }]);
  });

  test("names the member for which a converter throws, and its message", () => {
    const inner = v.object({ at: v.optional(v.date()) });
    const schema = v.object({ id: v.string(), lines: v.array(inner) });
    const convert = (one: v.GenericSchema): object => toJsonSchema(one);
    assert.deepEqual(conversionOf(schema, "output", convert), {
      schema: undefined,
      flaws: [{ member: "lines[].at", reason: 'The "date" schema cannot be converted to JSON Schema.' }],
    });
  });
});

describe("mayBeMissing", () => {
  const those = [
    z.object({}).optional(),
    z.object({}).default({}),
    z.string().nullish(),
    v.optional(v.string()),
    v.nullish(v.string()),
    v.pipe(v.optional(v.string()), v.transform(String)),
    type("string|undefined"),
    Type.Optional(Type.String()),
    Compile(Type.Optional(Type.String())),
  ];
  const others = [
    z.object({}),
    z.any(),
    z.string().nullable(),
    v.string(),
    v.nullable(v.string()),
    type("string"),
    Type.String(),
    Compile(Type.String()),
    () => true,
    { parse: () => 1 },
    { type: "optional" },
  ];
  test("is true when the schema says so, and false otherwise", () => {
    assert.deepEqual([...those, ...others].map(mayBeMissing), [...those.map(() => true), ...others.map(() => false)]);
  });
});

describe("forms", () => {
  test("are recognized by their members, and non-objects are rejected", () => {
    const forms = [{ form: plain }, { form: plain, multipart: {} }, { multipart: {} }, {}, (): unknown => 1];
    assert.deepEqual(
      forms.map((body) => [isForm(body), isMultipart(body), formType(body)]),
      [
        [true, false, "application/x-www-form-urlencoded"],
        [true, true, "multipart/form-data"],
        [false, true, "multipart/form-data"],
        [false, false, "application/x-www-form-urlencoded"],
        [false, false, "application/x-www-form-urlencoded"],
      ],
    );
    assert.equal(isForm(null as never), false);
  });
});
