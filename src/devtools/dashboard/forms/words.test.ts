/**
 * words: limits in one line, and a schema that reads like a type.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonObject } from "../../run/shapes.ts";
import { aboutOf, limitsOf, schemaText } from "./words.ts";

test("limitsOf has the limits of a value, and is empty without any", () => {
  const said: readonly (readonly [schema: JsonObject, words: string])[] = [
    [{}, ""],
    [{ type: "integer", minimum: -9007199254740991, maximum: 9007199254740991 }, ""],
    [{ minLength: 1, maxLength: 120 }, "1 to 120 characters"],
    [{ minItems: 1 }, "1 or more items"],
    [{ maximum: 9, default: 3 }, "at most 9, default 3"],
    [{ exclusiveMinimum: 0, exclusiveMaximum: 2, multipleOf: 0.01 }, "more than 0, less than 2, in steps of 0.01"],
    [{ format: "uuid", pattern: "^.$" }, "uuid"],
    [{ pattern: "^a$" }, "matches ^a$"],
  ];
  assert.deepEqual(
    said.map(([schema]) => limitsOf(schema)),
    said.map(([, words]) => words),
  );
});

test("aboutOf has the description before the limits, in one line", () => {
  assert.equal(aboutOf({ description: "Euros,\n  to the cent ", minimum: 0 }), "Euros, to the cent · 0 or more");
});

describe("schemaText", () => {
  test("DASH-074: reads like a type", () => {
    const schema: JsonObject = {
      type: "object",
      properties: {
        name: { type: "string", minLength: 1 },
        kind: { enum: ["a", "b"] },
        lines: { type: "array", maxItems: 3, items: { type: "object", properties: { sku: { type: "string" } } } },
        price: { description: "or free", anyOf: [{ type: "number" }, { type: "array", items: { type: "string" } }] },
        rest: { type: "object", additionalProperties: { type: "integer" } },
        any: {},
      },
      required: ["name"],
    };
    assert.equal(
      schemaText(schema, schema),
      `{
  name: string  // 1 or more characters
  kind?: "a" | "b"
  lines?: [  // at most 3 items
    {
      sku?: string
    }
  ]
  price?:  // or free
    | number
    | [
      string
    ]
  rest?: {
    [name]: integer
  }
  any?: anything
}`,
    );
  });

  test("has the name of a schema inside itself", () => {
    const root: JsonObject = {
      $ref: "#/$defs/Node",
      $defs: { Node: { type: "object", properties: { next: { $ref: "#/$defs/Node" } } } },
    };
    assert.equal(schemaText(root, root), "{\n  next?: Node\n}");
  });

  test("ends after a thousand lines", () => {
    const wide = (n: number): JsonObject => (n === 0 ? {} : { properties: { a: wide(n - 1), b: wide(n - 1) } });
    assert.ok(schemaText({}, wide(14)).split("\n").length < 3_000);
  });
});
