/**
 * schema: the kind of field for a part of a schema, and the values that it can show.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Json, JsonObject } from "../../run/shapes.ts";
import { exactJson, fieldOf, fits, resolved, stepTo, valueAt, variantOf } from "./schema.ts";
import { keysOf } from "../../run/values.ts";

/** The kind of field, with its choices or the number of its variants. */
function kind(schema: JsonObject, texts = false): string {
  const field = fieldOf(schema, schema, texts);
  if (field.kind === "choice") return `choice ${JSON.stringify(field.choices)}`;
  return field.kind === "variants" ? `variants ${field.variants.length}` : field.kind;
}

/** A schema without a type. */
const none: JsonObject = { properties: {}, required: [] };

describe("resolved", () => {
  const root: JsonObject = {
    $defs: {
      "a/b": { type: "string", title: "there" },
      Loop: { $ref: "#/$defs/Loop" },
      Wide: { allOf: [{ $ref: "#/$defs/Wide" }, { $ref: "#/$defs/Wide" }], title: "wide" },
    },
  };

  test("follows references by pointer and by name, own words before those of the target", () => {
    const text = { ...none, type: "string" };
    assert.deepEqual(resolved(root, { $ref: "#/$defs/a~1b", title: "here" }), { ...text, title: "here" });
    assert.deepEqual(resolved(root, { $ref: "#/%24defs/a~1b" }), { ...text, title: "there" });
    assert.deepEqual(resolved(root, { $ref: "a/b" }), { ...text, title: "there" });
  });

  test("ends at references that lead nowhere or in a circle", () => {
    assert.deepEqual(
      ["#/$defs/Loop", "#/$defs/None", "#/%", "http://x/y", "#/$defs/Wide"].map(($ref) => resolved(root, { $ref })),
      [none, none, none, none, { ...none, title: "wide" }],
    );
  });

  test("joins the members of all parts", () => {
    const parts = [{ properties: { a: {} }, required: ["a"] }, { properties: { b: {} } }, { title: "t" }];
    assert.deepEqual(resolved({}, { allOf: parts, type: "object" }), {
      type: "object",
      title: "t",
      properties: { a: {}, b: {} },
      required: ["a"],
    });
  });
});

describe("fieldOf", () => {
  test("has a kind of field for each schema", () => {
    const kinds: readonly (readonly [schema: JsonObject, kind: string])[] = [
      [{ type: "string" }, "text"],
      [{ type: "integer" }, "number"],
      [{ type: "boolean" }, "choice [true,false]"],
      [{ type: "null" }, "choice [null]"],
      [{ const: "a" }, 'choice ["a"]'],
      [{ type: "string", enum: ["a", "b"] }, 'choice ["a","b"]'],
      [{ anyOf: [{ const: "a" }, { type: "null" }, { enum: [1] }] }, 'choice ["a",null,1]'],
      [{ type: ["string", "null"] }, "variants 2"],
      [{ oneOf: [{ type: "string" }, { type: "number" }] }, "variants 2"],
      [{ type: "array", items: { type: "string" } }, "list"],
      [{ type: "array", prefixItems: [{}], items: {} }, "json"],
      [{ type: "array" }, "json"],
      [{ properties: { a: {} } }, "object"],
      [{ type: "object", additionalProperties: { type: "string" } }, "json"],
      [{ type: "object", properties: {} }, "json"],
      [{}, "json"],
      [{ anyOf: [{ $ref: "#" }] }, "variants 1"],
    ];
    for (const [schema, expected] of kinds) assert.equal(kind(schema), expected, JSON.stringify(schema));
  });

  test("has texts, choices of texts and lists if values are texts", () => {
    assert.equal(kind({ type: "number" }, true), "text");
    assert.equal(kind({ type: "object", properties: { a: {} } }, true), "text");
    assert.equal(kind({ enum: ["a", 1, true] }, true), 'choice ["a","1","true"]');
    assert.equal(kind({ anyOf: [{ type: "string" }, { type: "array", items: {} }] }, true), "list");
    assert.equal(kind({ type: ["string", "number"] }, true), "text");
  });

  test("has the common members in each of its variants", () => {
    const schema = { properties: { a: {} }, anyOf: [{ required: ["a"] }, { properties: { b: {} } }] };
    const field = fieldOf(schema, schema);
    assert.ok(field.kind === "variants");
    assert.deepEqual(
      field.variants.map((one) => fieldOf(schema, one)).map((one) => one.kind === "object" && Object.keys(one.members)),
      [["a"], ["a", "b"]],
    );
  });
});

test("fits says whether a field can show a value", () => {
  const shown = (schema: JsonObject, value: Json | undefined): boolean => fits(fieldOf(schema, schema), value);
  const object = { properties: { a: {} } };
  const list = { type: "array", items: {} };
  assert.deepEqual(
    [
      [shown({ type: "string" }, "a"), shown({ type: "number" }, 1), shown({ enum: [[1]] }, [1]), shown(object, {})],
      [shown(list, []), shown({}, 1), shown({ type: ["string", "null"] }, 1), shown({ type: "string" }, undefined)],
      [shown({ type: "string" }, 1), shown({ type: "number" }, "1"), shown({ enum: ["1"] }, 1), shown(object, [])],
      [shown(list, {}), shown({ type: "number" }, null)],
    ],
    [
      [true, true, true, true],
      [true, true, true, true],
      [false, false, false, false],
      [false, false],
    ],
  );
});

test("variantOf finds the variant by constants, required members and type", () => {
  const variants: readonly JsonObject[] = [
    { type: "object", properties: { kind: { const: "a" } }, required: ["kind"] },
    { type: "object", properties: { kind: { const: "b" }, more: {} }, required: ["kind", "more"] },
    { type: "string" },
  ];
  const found = [{ kind: "b", more: 1 }, { kind: "a" }, { kind: "b" }, "x", 7].map((one) =>
    variantOf({}, variants, one),
  );
  assert.deepEqual(found, [1, 0, 0, 2, -1]);
});

test("valueAt follows the keys of a pointer, only to own members and items", () => {
  const value = { "a/b": [{ "~": 1 }] };
  assert.deepEqual(keysOf(`${stepTo("a/b")}${stepTo(0)}${stepTo("~")}`), ["a/b", "0", "~"]);
  assert.deepEqual(
    [["a/b", 0, "~"], ["a/b", "0"], ["a/b", 1], ["a/b", "length"], ["constructor"], []].map((keys) =>
      valueAt(value, keys),
    ),
    [1, { "~": 1 }, undefined, undefined, undefined, value],
  );
});

test("exactJson reads text that it can write again, except for its spaces", () => {
  const exact = ['{"a" : [1, -2.5, "x  \\" y"],\n"b": null}', '"\\n"', "1"];
  const inexact = ["", "{", "12345678901234567890", "1.0", '{"a":1,"a":2}', '"\\u0061"', '{"2":1,"1":2}'];
  assert.deepEqual(exact.map(exactJson), [{ a: [1, -2.5, 'x  " y'], b: null }, "\n", 1]);
  assert.deepEqual(
    inexact.map(exactJson),
    inexact.map(() => undefined),
  );
});
