/**
 * example: a schema accepts the value that is made for it.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import type { Json, JsonObject } from "../../run/shapes.ts";
import { exampleOf } from "./example.ts";

const whole = { min: -50, max: 50 };

/** Two bounds, either of which may be missing. */
const bounds = (least: string, most: string, range: { min: number; max: number }): fc.Arbitrary<JsonObject> =>
  fc
    .tuple(
      fc.option(fc.integer(range), { nil: undefined }),
      fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined }),
    )
    .map(([from, more]) => ({
      ...(from === undefined ? {} : { [least]: from }),
      ...(more === undefined ? {} : { [most]: (from ?? range.min) + more }),
    }));

const texts = fc.oneof(
  bounds("minLength", "maxLength", { min: 0, max: 30 }),
  fc.constantFrom("date", "date-time", "email", "uuid", "uri", "ipv4").map((format) => ({ format })),
  fc.constantFrom("^[A-Z]{3}$", "^\\d{4}$", "^\\d{4}-(0[1-9]|1[0-2])$", "^.+$", "^a*$").map((pattern) => ({ pattern })),
);
/** With bounds that leave room for a multiple. */
const numbers = fc
  .record({
    type: fc.constantFrom("integer", "number"),
    range: fc.oneof(
      bounds("minimum", "maximum", whole),
      fc.integer(whole).map((from) => ({ exclusiveMinimum: from, exclusiveMaximum: from + 2 })),
      fc.integer(whole).map((to) => ({ exclusiveMaximum: to })),
      fc
        .integer(whole)
        .chain((from) =>
          fc.integer({ min: 1, max: 9 }).map((step) => ({ minimum: from, maximum: from + step, multipleOf: step })),
        ),
    ),
  })
  .map(({ type, range }): JsonObject => ({ type, ...range }));
const choices = fc.oneof(
  fc.constant<JsonObject>({ type: "boolean" }),
  fc.constant<JsonObject>({ type: "null" }),
  fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 3 }).map((all) => ({ enum: all })),
  fc.integer().map((value) => ({ const: value })),
  fc.string().map((value) => ({ type: "string", default: value })),
);

const { schema } = fc.letrec<{
  schema: JsonObject;
  leaf: JsonObject;
  list: JsonObject;
  object: JsonObject;
  several: JsonObject;
}>((tie) => ({
  leaf: fc.oneof(
    texts.map((limits): JsonObject => ({ type: "string", ...limits })),
    numbers,
    choices,
  ),
  list: fc
    .tuple(tie("schema"), bounds("minItems", "maxItems", { min: 0, max: 3 }))
    .map(([items, limits]): JsonObject => ({ type: "array", items, ...limits })),
  object: fc
    .tuple(fc.dictionary(fc.string(), tie("schema"), { maxKeys: 4 }), fc.nat(31))
    .map(([properties, bits]): JsonObject => {
      const names = Object.keys(properties);
      const required = names.filter((_, at) => (bits & (1 << at)) !== 0);
      return { type: "object", properties, required, minProperties: Math.min(bits >> 4, names.length) };
    }),
  several: fc
    .tuple(tie("schema"), tie("leaf"), fc.constantFrom("anyOf", "allOf"))
    .map(([one, other, keyword]): JsonObject => (keyword === "anyOf" ? { anyOf: [one, other] } : { allOf: [one] })),
  schema: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    tie("leaf"),
    tie("list"),
    tie("object"),
    tie("several"),
  ),
}));

const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false, ownProperties: true });

describe("exampleOf", () => {
  test("DASH-072: makes a value that the schema accepts, the same each time", () => {
    fc.assert(
      fc.property(schema, (made) => {
        const root = {
          $defs: { Made: made },
          type: "object",
          properties: { a: { $ref: "#/$defs/Made" } },
          required: ["a"],
        };
        const example = exampleOf(root, root);
        const validate = ajv.compile(root);
        assert.ok(validate(example), JSON.stringify([example, validate.errors]));
        assert.deepEqual(exampleOf(root, root), example);
      }),
      { numRuns: 150 },
    );
  });

  test("takes defaults and examples first, and has the required members", () => {
    const members = {
      name: { type: "string", examples: ["Ada"] },
      page: { type: "integer", default: 7 },
      note: { type: "string" },
      price: { type: "number", exclusiveMinimum: 0, multipleOf: 0.01 },
      at: { type: "string", format: "date" },
    };
    const made = exampleOf({}, { type: "object", properties: members, required: ["name", "price", "at"] });
    assert.deepEqual(made, { name: "Ada", page: 7, price: 1, at: "2026-01-31" });
  });

  const node = {
    type: "object",
    properties: { next: { anyOf: [{ $ref: "#" }, { type: "null" }] } },
    required: ["next"],
  };
  const doubled = (n: number): JsonObject =>
    n === 0 ? {} : { type: "object", properties: { a: doubled(n - 1), b: doubled(n - 1) }, required: ["a", "b"] };
  const endless: Readonly<Record<string, readonly [schema: JsonObject, longest: number]>> = {
    "that contains itself": [node, 100],
    "that must contain itself": [{ properties: { a: { $ref: "#" }, b: { $ref: "#" } }, required: ["a", "b"] }, 50_000],
    "that is very wide": [doubled(12), 50_000],
    "of very long values": [{ type: "array", items: { type: "string", minLength: 1e9 }, minItems: 1e9 }, 2_000_000],
    "with a pattern of another dialect": [{ type: "string", pattern: "(?<" }, 10],
    "of anything": [{}, 2],
    "of a pair": [{ type: "array", prefixItems: [{ type: "string" }, { type: "integer" }] }, 10],
  };
  for (const [what, [made, longest]] of Object.entries(endless))
    test(`ends for a schema ${what}`, () => {
      assert.ok(JSON.stringify(exampleOf(made, made) satisfies Json).length <= longest);
    });

  test("ends as soon as possible", () => {
    assert.deepEqual(exampleOf(node, node), { next: { next: null } });
  });
});
