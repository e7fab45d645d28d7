/**
 * Tests which properties of a schema requests and responses omit.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Json } from "./json.ts";
import { isLeftOut } from "./sides.ts";

/** A chain of this many references, with a read-only property at its end. */
const row = (length: number): Json =>
  Object.fromEntries([
    ...Array.from({ length }, (_, at) => [`r${at}`, { $ref: `#/r${at + 1}` }]),
    [`r${length}`, { readOnly: true }],
  ]) as Json;

describe("isLeftOut", () => {
  const document: Json = {
    read: { readOnly: true },
    write: { allOf: [{}, { writeOnly: true }] },
    plain: { type: "string" },
  };
  const properties: readonly (readonly [property: unknown, fromInput: boolean, fromOutput: boolean])[] = [
    [{ type: "string" }, false, false],
    [{ readOnly: true }, true, false],
    [{ writeOnly: true }, false, true],
    [{ readOnly: false, writeOnly: "true" }, false, false],
    [{ allOf: [{ type: "string" }, { readOnly: true }] }, true, false],
    [{ anyOf: [{ readOnly: true }] }, false, false],
    [{ $ref: "#/read" }, true, false],
    [{ $ref: "#/write" }, false, true],
    [{ $ref: "#/read", writeOnly: true }, true, true],
    [{ $ref: "#/plain" }, false, false],
    [{ $ref: "#/nowhere" }, false, false],
    [{ $ref: "other.json#/read" }, false, false],
    [true, false, false],
    [undefined, false, false],
  ];
  for (const [property, fromInput, fromOutput] of properties)
    it(`leaves ${JSON.stringify(property)} out of requests: ${fromInput}, out of responses: ${fromOutput}`, () => {
      const seen = (["input", "output"] as const).map((side) => isLeftOut(document, property, side));
      assert.deepEqual(seen, [fromInput, fromOutput]);
    });

  it("follows fifty schemas, and ends in a circle", () => {
    assert.deepEqual(
      [48, 49].map((length) => isLeftOut(row(length), { $ref: "#/r0" }, "input")),
      [true, false],
    );
    assert.equal(isLeftOut({ a: { $ref: "#/a" } }, { $ref: "#/a" }, "input"), false);
  });
});
