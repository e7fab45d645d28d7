/** The values of a JSON tree whose origin can be asked for. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Json } from "../../run/shapes.ts";
import { jsonRows } from "./rows.ts";
import { wantedIn } from "./wanted.ts";

const of = (value: Json): readonly (string | undefined)[] =>
  jsonRows(value, { opened: new Set(), closed: new Set() }, true).map(wantedIn);

describe("wantedIn", () => {
  test("is a text of two characters or more, or a number", () => {
    assert.deepEqual([of('p-7 "x"'), of(42), of({ $bigint: "9" })], [['p-7 "x"'], ["42"], ["9"]]);
  });

  test("is nothing for a letter, a flag, null, a cut or hidden text, a note or a bracket", () => {
    for (const value of [
      "a",
      "[redacted]",
      true,
      null,
      { $string: "abc", $truncated: 5 },
      { $undefined: true },
      { $bytes: 3 },
      [],
    ])
      assert.deepEqual(of(value), [undefined]);
  });
});
