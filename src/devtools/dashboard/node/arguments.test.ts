/**
 * shownArguments: names for arguments.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Json } from "../../run/shapes.ts";
import { shownArguments } from "./arguments.ts";

const cases: Readonly<Record<string, readonly [args: Json[], params: string[] | undefined, shown: Json]>> = {
  "names each that has one": [[7, { a: 1 }, 3], ["id", "", "$x"], { id: 7, "#2": { a: 1 }, $$x: 3 }],
  "gathers the rest": [[1, 2, 3], ["a", "...more"], { a: 1, "...more": [2, 3] }],
  "leaves out a rest that is empty": [[1], ["a", "...more"], { a: 1 }],
  "numbers what the method has no name for": [[1, 2], ["a"], { a: 1, "#2": 2 }],
  "shows no more than was given": [[1], ["a", "b"], { a: 1 }],
  "lists them without names": [[1, 2], undefined, [1, 2]],
  "lists them when all are taken apart": [[{ a: 1 }], [""], [{ a: 1 }]],
};

describe("shownArguments", () => {
  for (const [what, [args, params, shown]] of Object.entries(cases))
    test(what, () => {
      assert.deepEqual(shownArguments({ args, params }), shown);
    });
});
