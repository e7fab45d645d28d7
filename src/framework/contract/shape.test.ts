/** Unit tests of shaping: what is sent for a value, by library (CONTRACT). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type } from "arktype";
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import * as v from "valibot";
import { z } from "zod";
import { isRejected, type Schema } from "./schema.ts";
import { shapeOf } from "./shape.ts";

/** The JSON of a value as its schema shapes it, or "rejected". */
function sent(schema: Schema, value: unknown): unknown {
  const checked = shapeOf("GET /a: its response 200", schema, {
    compileSchema: Compile as never,
    jsonSchemaOf: undefined,
  })(value);
  return isRejected(checked) ? "rejected" : JSON.parse(JSON.stringify(checked.value));
}

const at = new Date(0);
const user = { id: 1, name: "Ada", passwordHash: "x" };

describe("shapeOf", () => {
  const User = {
    Zod: z.object({ id: z.number(), name: z.string() }),
    Valibot: v.object({ id: v.number(), name: v.string() }),
    ArkType: type({ id: "number", name: "string" }),
    TypeBox: Type.Object({ id: Type.Number(), name: Type.String() }),
    "a compiled TypeBox validator": Compile(Type.Object({ id: Type.Number(), name: Type.String() })),
    "a closed TypeBox type": Type.Object({ id: Type.Number(), name: Type.String() }, { additionalProperties: false }),
    "a JSON Schema": { type: "object", properties: { id: { type: "number" }, name: { type: "string" } } },
  } satisfies Record<string, Schema>;
  for (const [library, schema] of Object.entries(User))
    test(`drops members that ${library} does not name, and keeps the value itself unchanged`, () => {
      assert.deepEqual(sent(schema, user), { id: 1, name: "Ada" });
      assert.deepEqual(user, { id: 1, name: "Ada", passwordHash: "x" });
    });

  const shaped: Readonly<Record<string, readonly [schema: Schema, value: unknown, json: unknown]>> = {
    "a default of Zod": [z.object({ n: z.number().default(7) }), {}, { n: 7 }],
    "a default of a JSON Schema": [Type.Object({ n: Type.Number({ default: 7 }) }), {}, { n: 7 }],
    "a transform": [z.object({ n: z.string().transform(Number) }), { n: "7" }, { n: 7 }],
    "a Date for a date": [z.object({ at: z.date() }), { at }, { at: at.toISOString() }],
    "a Date for a text": [z.object({ at: z.iso.datetime() }), { at, more: 1 }, { at: at.toISOString() }],
    "a Date for a text of TypeBox": [
      Type.Array(Type.Object({ at: Type.String() })),
      [{ at, more: 1 }],
      [{ at: at.toISOString() }],
    ],
    "members of an open object": [z.looseObject({ a: z.string() }), { a: "", b: 1 }, { a: "", b: 1 }],
    "members of an open type of TypeBox": [
      Type.Object({ a: Type.String() }, { additionalProperties: Type.Object({ b: Type.Number() }) }),
      { a: "", more: { b: 1, c: 2 } },
      { a: "", more: { b: 1 } },
    ],
    "a list in a list": [Type.Array(Type.Array(User.TypeBox)), [[user]], [[{ id: 1, name: "Ada" }]]],
    "a tuple": [Type.Tuple([Type.Number(), User.TypeBox]), [1, user], [1, { id: 1, name: "Ada" }]],
    "the first alternative that fits": [
      Type.Union([Type.Object({ k: Type.Literal("a"), n: Type.Number() }), Type.Object({ k: Type.Literal("b") })]),
      { k: "b", n: 1 },
      { k: "b" },
    ],
    "both parts of an intersection": [
      Type.Intersect([Type.Object({ a: Type.Number() }), Type.Object({ b: Type.Number() })]),
      { a: 1, b: 2, c: 3 },
      { a: 1, b: 2 },
    ],
    "a reference": [
      { $defs: { U: User["a JSON Schema"] }, type: "array", items: { $ref: "#/$defs/U" } } as Schema,
      [user],
      [{ id: 1, name: "Ada" }],
    ],
    "a schema inside itself": [
      Type.Cyclic({ Node: Type.Object({ id: Type.Number(), next: Type.Optional(Type.Ref("Node")) }) }, "Node"),
      { id: 1, x: 1, next: { id: 2, x: 2 } },
      { id: 1, next: { id: 2 } },
    ],
    "an object with toJSON": [User.Zod, { toJSON: () => user }, { id: 1, name: "Ada" }],
    "a class with getters on itself": [
      User.TypeBox,
      Object.assign(Object.create({ inherited: 1 }), user),
      { id: 1, name: "Ada" },
    ],
  };
  for (const [what, [schema, value, json]] of Object.entries(shaped))
    test(`sends ${what}`, () => assert.deepEqual(sent(schema, value), json));

  const wrong: Readonly<Record<string, readonly [schema: Schema, value: unknown]>> = {
    "a missing member": [User.TypeBox, { id: 1 }],
    "a member of another type": [User.Zod, { id: "1", name: "" }],
    "a value of none of the alternatives": [Type.Union([Type.Number(), User.TypeBox]), { id: "x" }],
    "a value without JSON": [User.Zod, { id: 1n, name: "" }],
  };
  for (const [what, [schema, value]] of Object.entries(wrong))
    test(`rejects ${what}`, () => assert.equal(sent(schema, value), "rejected"));

  test("does not set a prototype by a member of that name", () => {
    const value = JSON.parse('{"a":"","__proto__":{"polluted":1}}') as object;
    const open = Type.Object({ a: Type.String() }, { additionalProperties: true });
    assert.deepEqual(sent(open, value), { a: "" });
  });

  test("throws for an asynchronous schema, and names the response and the settings for it", () => {
    const late = z.string().refine(async () => true);
    assert.throws(() => sent(late, "a"), {
      code: "CONTRACT_INVALID",
      message:
        /^GET \/a: its response 200 has an asynchronous schema, .*set responseChecks to "warn", "enforce" or "off"$/,
    });
  });

  test("names the response with an uncompiled JSON Schema", () => {
    const lacking = { compileSchema: undefined, jsonSchemaOf: undefined };
    assert.throws(() => shapeOf("GET /a: its response 200", { type: "string" }, lacking), {
      code: "CONTRACT_INVALID",
      message: /^GET \/a: its response 200 is a JSON Schema, and nothing compiles it: /,
    });
  });
});
