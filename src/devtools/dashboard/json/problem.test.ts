/**
 * jsonProblem: where a JSON text is wrong, and how.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { jsonProblem } from "./problem.ts";

describe("jsonProblem", () => {
  test("finds nothing wrong with valid and with empty text", () => {
    assert.deepEqual(
      [jsonProblem(""), jsonProblem(" \n"), jsonProblem('{"a": [1, 2]}')],
      [undefined, undefined, undefined],
    );
  });

  test("points at the first error by line and column, counted from 1, and by offset", () => {
    assert.deepEqual(jsonProblem('{\n  "a":x, y}'), {
      line: 2,
      column: 7,
      offset: 8,
      length: 1,
      message: "invalid symbol",
    });
    assert.deepEqual([jsonProblem('{"a":1,}')?.line, jsonProblem("[1,\n2")?.line], [1, 2]);
  });

  test("takes neither comments nor trailing commas, and says what is expected", () => {
    assert.deepEqual(
      ['{"a":1} // no', "[1,]", '{"a"}'].map((text) => jsonProblem(text)?.message),
      ["invalid comment token", "a value is expected", "colon is expected"],
    );
  });

  test("agrees with JSON.parse on what is JSON", () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = text.trim() === "";
        }
        assert.equal(jsonProblem(text) === undefined, valid, text);
      }),
    );
  });
});
