/** Unit tests of JSON checked against a JSON Schema (CONTRACT). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { jsonChecker } from "./json-check.ts";
import type { JsonSchemaSource } from "./json-schema.ts";

/** The issues of a value, each as its pointer and its message. */
const told = (schema: JsonSchemaSource, value: unknown): string[] =>
  jsonChecker(schema)(value).map(({ path, message }) => [...path, message].join(" "));

describe("jsonChecker", () => {
  const keywords: Readonly<
    Record<string, readonly [JsonSchemaSource, fits: readonly unknown[], breaks: readonly unknown[]]>
  > = {
    type: [{ type: "integer" }, [1, -1.0], [1.5, "1", null, true, [], {}]],
    "several types": [{ type: ["null", "boolean"] }, [null, false], [0, "null"]],
    const: [{ const: { a: [1] } }, [{ a: [1] }], [{ a: [2] }, 1]],
    enum: [{ enum: ["a", 1, null] }, ["a", 1, null], ["b", "1"]],
    "minimum and maximum": [{ minimum: 1, maximum: 2 }, [1, 2, "0"], [0.9, 2.1]],
    "exclusive bounds": [{ exclusiveMinimum: 1, exclusiveMaximum: 2 }, [1.5], [1, 2]],
    multipleOf: [{ multipleOf: 0.1 }, [0.3, 7, 0], [0.35]],
    "the length of a text": [{ minLength: 1, maxLength: 2 }, ["\u{1F600}\u{1F600}", 1], ["", "abc"]],
    pattern: [{ pattern: "^\\p{L}+$" }, ["\u00e9"], ["1"]],
    "a date-time": [{ format: "date-time" }, ["2020-01-01T00:00:00.000Z"], ["x"]],
    "a format with a pattern, which is checked": [{ format: "date-time", pattern: "x" }, ["x"], ["2020"]],
    "another format, which is an annotation": [{ format: "uri" }, ["no uri"], []],
    items: [{ items: { type: "string" }, minItems: 1, maxItems: 2 }, [["a"], "x"], [[], ["a", 1], ["a", "b", "c"]]],
    "a tuple": [{ prefixItems: [{ type: "string" }], items: false }, [["a"], []], [[1], ["a", 1]]],
    uniqueItems: [{ uniqueItems: true }, [[1, "1"]], [[{ a: 1 }, { a: 1 }]]],
    required: [{ required: ["a"] }, [{ a: null }, 1], [{}, { A: 1 }]],
    "closed objects": [
      { properties: { a: {} }, additionalProperties: false },
      [{ a: 1 }, {}],
      [JSON.parse('{"__proto__":1}'), { toString: 1 }],
    ],
    records: [
      { additionalProperties: { type: "number" }, propertyNames: { maxLength: 1 } },
      [{ a: 1 }],
      [{ a: "1" }, { ab: 1 }],
    ],
    patternProperties: [
      { patternProperties: { "^x-": { type: "number" } }, additionalProperties: false },
      [{ "x-a": 1 }],
      [{ "x-a": "" }, { a: 1 }],
    ],
    "how many members": [{ minProperties: 1, maxProperties: 1 }, [{ a: 1 }], [{}, { a: 1, b: 1 }]],
    allOf: [{ allOf: [{ type: "number" }, { minimum: 1 }] }, [1], [0, "a"]],
    anyOf: [{ anyOf: [{ type: "number" }, { type: "string" }] }, [1, "a"], [null]],
    oneOf: [{ oneOf: [{ type: "number" }, { minimum: 1 }] }, [0, "a"], [2]],
    not: [{ not: { type: "number" } }, ["a"], [1]],
    false: [{ properties: { a: false } }, [{}], [{ a: 1 }]],
    "an unknown keyword": [{ unknown: true, $ref: "https://example.org/other" }, [1], []],
  };
  for (const [what, [schema, fits, breaks]] of Object.entries(keywords))
    test(`checks ${what}`, () => {
      assert.deepEqual(
        [fits, breaks].map((values) => values.map((value) => told(schema, value).length > 0)),
        [fits.map(() => false), breaks.map(() => true)],
      );
    });

  test("follows references, to the whole schema and to named parts", () => {
    const tree = {
      $defs: { "a/b": { type: "string" } },
      properties: { name: { $ref: "#/$defs/a~1b" }, next: { $ref: "#" } },
      additionalProperties: false,
    };
    assert.deepEqual(told(tree, { name: "a", next: { next: { name: 1, x: 1 } } }), [
      "next next name no string",
      "next next x not in the contract",
    ]);
  });

  test("names the issues of the nearest alternative", () => {
    const of = (k: string): object => ({
      properties: { k: { const: k }, n: { type: "number" } },
      additionalProperties: false,
    });
    assert.deepEqual(told({ oneOf: [of("a"), of("b")] }, { k: "b", hash: 1 }), ["hash not in the contract"]);
  });

  test("looks for one issue more than a response lists, and stops there", () => {
    assert.equal(
      told(
        { items: { type: "string" } },
        Array.from({ length: 500_000 }, () => 1),
      ).length,
      101,
    );
  });
});
