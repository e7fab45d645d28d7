/**
 * isLike: a value that an event, a row or a message should not have is found.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Json } from "../../run/shapes.ts";
import { isLike } from "./like.ts";

const like = (schema: Json, ...values: readonly (Json | undefined)[]): boolean[] =>
  values.map((value) => isLike(schema as Record<string, Json>, schema, value));

describe("isLike", () => {
  test("compares kinds, choices and required members, at any depth and through references", () => {
    const schema = {
      type: "object",
      properties: {
        lines: { type: "array", items: { $ref: "#/$defs/Line" } },
        state: { enum: ["open", "done"] },
        note: { type: ["string", "null"] },
      },
      required: ["lines"],
      $defs: { Line: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } },
    };
    assert.deepEqual(
      like(
        schema,
        { lines: [{ n: 1 }], state: "done", note: null, more: 1 },
        { lines: [{ n: 1.5 }] },
        { lines: [{}] },
        { lines: [], state: "lost" },
        { lines: [], note: 1 },
        {},
        [],
        undefined,
      ),
      [true, false, false, false, false, false, false, false],
    );
  });

  test("compares the limits of numbers and texts", () => {
    assert.deepEqual(like({ type: "number", minimum: 1, exclusiveMaximum: 3 }, 1, 2.5, 0, 3), [
      true,
      true,
      false,
      false,
    ]);
    assert.deepEqual(like({ type: "number", exclusiveMinimum: 1, maximum: 3 }, 1, 3, 4), [false, true, false]);
    assert.deepEqual(like({ type: "string", minLength: 1, maxLength: 2 }, "", "😀😀", "abc"), [false, true, false]);
  });

  test("rejects nothing for a keyword that it does not know, and takes one of several schemas", () => {
    assert.deepEqual(like({ not: {} }, 1, null), [true, true]);
    assert.deepEqual(like({ anyOf: [{ type: "string" }, { type: "number" }] }, 1, "a", true), [true, true, false]);
    assert.deepEqual(like({ type: "object" }, {}, []), [true, false]);
    assert.deepEqual(like({ type: "array" }, [1], {}), [true, false]);
  });
});
