/** Unit tests of taken.ts: the known values that a schema accepts (CONTRACT). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as v from "valibot";
import { z } from "zod";
import { isOpen, mayBeArray, propertiesOf, takenBy, takesObjects } from "./taken.ts";

const plain = { type: "object", properties: { a: { type: "string" }, b: true } };
/** A Standard Schema that is known only by its input side. */
const taking = (of: object): unknown => ({ "~standard": { jsonSchema: { input: () => of } } });

describe("takenBy", () => {
  test("finds the names of every alternative, the schemas of other names, and whether they are allowed", () => {
    const ids = { type: "array", items: { type: "string" } };
    const union = z.union([z.object({ ids: z.array(z.string()) }), z.object({ ids: z.string(), all: z.string() })]);
    const { names, others, isClosed, isKnown } = takenBy(union);
    assert.deepEqual(
      [[...names], others, isClosed, isKnown],
      [
        [
          ["ids", [ids, { type: "string" }]],
          ["all", [{ type: "string" }]],
        ],
        [],
        false,
        true,
      ],
    );
    assert.deepEqual(takenBy(z.record(z.string(), z.array(z.string()))).others, [ids]);
    assert.deepEqual([takenBy(z.strictObject({})).isClosed, takenBy(() => 1).isKnown], [true, false]);
  });

  test("terminates for alternatives that refer to themselves", () => {
    const circle = {
      anyOf: [{ $ref: "#/$defs/a" }],
      $defs: { a: { anyOf: [{ $ref: "#/$defs/a" }], properties: { x: {} } } },
    };
    assert.deepEqual([...takenBy(circle).names.keys()], ["x"]);
  });

  test("finds the names of a Valibot schema, which has no JSON Schema", () => {
    const kinds = [v.strictObject({ a: v.string() }), v.object({ a: v.string() }), v.looseObject({ a: v.string() })];
    assert.deepEqual(
      kinds.map((schema) => [[...takenBy(schema).names], takenBy(schema).isClosed, isOpen(schema)]),
      [
        [[["a", [{}]]], true, false],
        [[["a", [{}]]], false, false],
        [[["a", [{}]]], false, true],
      ],
    );
  });
});

describe("propertiesOf", () => {
  test("converts a schema once, for all that ask", () => {
    let conversions = 0;
    const input = (): object => ((conversions += 1), plain);
    const schema = { "~standard": { jsonSchema: { input } } };
    const asked = [[...propertiesOf(schema).keys()], [...takenBy(schema).names.keys()], isOpen(schema)];
    assert.deepEqual([asked, conversions], [[["a", "b"], ["a", "b"], false], 1]);
  });

  test("has the schema of each property, and is empty for a value that is not an object", () => {
    assert.deepEqual(
      [...propertiesOf(plain)],
      [
        ["a", { type: "string" }],
        ["b", {}],
      ],
    );
    assert.deepEqual([...propertiesOf(undefined), ...propertiesOf({ properties: [1] }), ...propertiesOf({})], []);
  });

  test("uses the input side of a schema, and is empty without a JSON form", () => {
    assert.deepEqual([...propertiesOf(taking(plain)).keys(), ...propertiesOf(z.date()).keys()], ["a", "b"]);
  });

  test("CONTRACT-029: finds the other properties when one has a type without a JSON form", () => {
    const query = z.object({ tag: z.array(z.string()), since: z.coerce.date().optional() });
    const known = [...propertiesOf(query)].map(([name, of]) => [name, mayBeArray(of)]);
    assert.deepEqual(known, [
      ["tag", true],
      ["since", false],
    ]);
  });
});

describe("a named schema", () => {
  test("CONTRACT-029: is found like an unnamed one, though its library uses a reference", () => {
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
  test("is true when a schema says so, or when that is unknown", () => {
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
  test("is true when one of the types is object, or when that is unknown", () => {
    const those = [plain, { type: ["string", "object"] }, {}, z.date(), undefined];
    const others = [{ type: "string" }, { type: ["string", "null"] }, taking({ type: "string" })];
    assert.deepEqual([...those, ...others].map(takesObjects), [...those.map(() => true), ...others.map(() => false)]);
  });
});

describe("mayBeArray", () => {
  test("is true when one of the types is array, at any depth of anyOf and oneOf", () => {
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
