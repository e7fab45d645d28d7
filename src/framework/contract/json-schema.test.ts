/** Unit tests of what is known of a schema by its JSON Schema (CONTRACT). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type } from "arktype";
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { z } from "zod";
import {
  formType,
  isForm,
  isMultipart,
  isOpen,
  jsonSchemaOf,
  mayBeArray,
  propertiesOf,
  takesObjects,
} from "./json-schema.ts";

const plain = { type: "object", properties: { a: { type: "string" }, b: true } };
/** A Standard Schema that is known from its input side alone. */
const taking = (of: object): unknown => ({ "~standard": { jsonSchema: { input: () => of } } });

describe("jsonSchemaOf", () => {
  test("is that of a Standard Schema, of the side and of the draft that is asked for", () => {
    const asked: unknown[] = [];
    const convert = (side: string) => (given: unknown) => (asked.push(given), { side });
    const standard = { "~standard": { jsonSchema: { input: convert("input"), output: convert("output") } } };
    assert.deepEqual(
      [jsonSchemaOf(standard, "input"), jsonSchemaOf(standard, "output"), asked],
      [{ side: "input" }, { side: "output" }, [{ target: "draft-2020-12" }, { target: "draft-2020-12" }]],
    );
    assert.equal(jsonSchemaOf(type({ a: "string" }), "input")?.["type"], "object");
  });

  test("is that of a compiled TypeBox validator, and a JSON Schema itself", () => {
    const Typed = Type.Object({ a: Type.String() });
    assert.deepEqual([jsonSchemaOf(Compile(Typed), "input"), jsonSchemaOf(plain, "output")], [Typed, plain]);
  });

  const unknown: Readonly<Record<string, unknown>> = {
    "a Standard Schema without one": { "~standard": {}, type: "object" },
    "a Standard Schema whose library has none for it": z.date(),
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
    test(`is not known of ${what}`, () => {
      assert.equal(jsonSchemaOf(schema, "input"), undefined);
    });
});

describe("propertiesOf", () => {
  test("has the schema of each property, an empty one for what is no object", () => {
    assert.deepEqual(
      [...propertiesOf(plain)],
      [
        ["a", { type: "string" }],
        ["b", {}],
      ],
    );
    assert.deepEqual([...propertiesOf(undefined), ...propertiesOf({ properties: [1] }), ...propertiesOf({})], []);
  });

  test("is that of what a schema takes, and empty where that has no JSON form", () => {
    assert.deepEqual([...propertiesOf(taking(plain)).keys(), ...propertiesOf(z.date())], ["a", "b"]);
  });

  test("CONTRACT-029: knows the others where one is of a type that has no JSON form", () => {
    const query = z.object({ tag: z.array(z.string()), since: z.coerce.date().optional() });
    const known = [...propertiesOf(query)].map(([name, of]) => [name, mayBeArray(of)]);
    assert.deepEqual(known, [
      ["tag", true],
      ["since", false],
    ]);
  });
});

describe("a schema that has a name", () => {
  test("CONTRACT-029: is known as one without: its library refers to it by its name", () => {
    const tags = z.array(z.string()).meta({ id: "NamedTags" });
    const query = z.strictObject({ tags, of: z.string() }).meta({ id: "NamedQuery" });
    const known = [...propertiesOf(query)].map(([name, of]) => [name, mayBeArray(of)]);
    assert.deepEqual(known, [
      ["tags", true],
      ["of", false],
    ]);
    assert.deepEqual([isOpen(query), isOpen(z.looseObject({}).meta({ id: "NamedOpen" }))], [false, true]);
    assert.deepEqual([takesObjects(query), takesObjects(tags)], [true, false]);
    assert.deepEqual([...propertiesOf({ properties: { a: {} }, $defs: { d: plain } })], [["a", {}]]);
    assert.deepEqual([...propertiesOf({ properties: { a: { $ref: "#/elsewhere" } } })], [["a", {}]]);
  });
});

describe("isOpen", () => {
  test("is true where a schema says so, or nothing of what else there may be", () => {
    const open = [
      { additionalProperties: true },
      { additionalProperties: {} },
      { patternProperties: {} },
      taking({ additionalProperties: true }),
    ];
    const closed = [{ additionalProperties: false }, plain, {}, z.date()];
    assert.deepEqual([...open, ...closed].map(isOpen), [true, true, true, true, false, false, false, false]);
  });
});

describe("takesObjects", () => {
  test("is true where one of the types is object, or nothing is known of them", () => {
    const those = [plain, { type: ["string", "object"] }, {}, z.date(), undefined];
    const others = [{ type: "string" }, { type: ["string", "null"] }, taking({ type: "string" })];
    assert.deepEqual([...those, ...others].map(takesObjects), [...those.map(() => true), ...others.map(() => false)]);
  });
});

describe("mayBeArray", () => {
  test("is true where one of the types is, at any depth of anyOf and oneOf", () => {
    const list = { type: "array" };
    const those = [list, { type: ["string", "array"] }, { anyOf: [{}, list] }, { oneOf: [{ anyOf: [list] }, 1] }];
    const others = [
      {},
      { type: "arrays" },
      { type: ["string"] },
      { anyOf: [{}, null] },
      { anyOf: list },
      { allOf: [list] },
    ];
    assert.deepEqual([...those, ...others].map(mayBeArray), [...those.map(() => true), ...others.map(() => false)]);
  });
});

describe("forms", () => {
  test("are known by what they have, and by nothing that is no object", () => {
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
