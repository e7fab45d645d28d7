/**
 * jsonProblem: the place and the kind of an error in JSON text.
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
      length: 0,
      message: "invalid symbol",
    });
    assert.deepEqual([jsonProblem('{"a":1,}')?.line, jsonProblem("[1,\n2")?.line], [1, 2]);
  });

  test("rejects comments and trailing commas, and says what is expected", () => {
    const wrong: readonly (readonly [text: string, message: string, length: number])[] = [
      ['{"a":1} // no', "invalid symbol", 0],
      ["[1,]", "a value is expected", 1],
      ['{"a"}', "a colon is expected", 1],
      ['{"a":1,}', "a property name is expected", 1],
      ["{1:2}", "a property name is expected", 1],
      ['{"a":1 "b":2}', "a comma or } is expected", 3],
      ["[1}", "a comma or ] is expected", 1],
      ["[1", "a comma or ] is expected", 0],
      ["1 true", "the end is expected", 4],
      ["[tru]", "invalid symbol", 0],
      ["-01", "invalid symbol", 0],
      ['"a', "invalid symbol", 0],
      ['"\\x"', "invalid symbol", 0],
    ];
    assert.deepEqual(
      wrong.map(([text]) => [text, jsonProblem(text)?.message, jsonProblem(text)?.length]),
      wrong,
    );
  });

  /** Texts that are JSON except for a character or two. */
  const nearly = fc
    .tuple(
      fc.json(),
      fc.nat(),
      fc.nat(2),
      fc.constantFrom("", ",", ":", "]", "}", "[", "{", '"', "\\", "1", ".", "e", " "),
    )
    .map(([text, at, cut, put]) => {
      const from = at % (text.length + 1);
      return text.slice(0, from) + put + text.slice(from + cut);
    });

  test("agrees with JSON.parse on what is JSON", () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string(), nearly), (text) => {
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = text.trim() === "";
        }
        assert.equal(jsonProblem(text) === undefined, valid, text);
      }),
      { numRuns: 1_000 },
    );
  });
});
