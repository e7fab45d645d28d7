/**
 * restore: a recorded value as it was sent, and the parts that are not available.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Json } from "./shapes.ts";
import { restore } from "./restore.ts";

describe("restore", () => {
  const cases: Readonly<
    Record<string, readonly [recorded: Json, value: Json | undefined, leftOut: readonly string[]]>
  > = {
    "a plain value as it is": [{ a: [1, "x", null, true] }, { a: [1, "x", null, true] }, []],
    "keys of the user's own that begin with $": [{ $$ref: 1, $$$x: 2 }, { $ref: 1, $$x: 2 }, []],
    "a list without what was cut": [
      { list: [1, 2, { $truncated: 9 }] },
      { list: [1, 2] },
      ["list: 9 more were not recorded"],
    ],
    "an object without what was cut": [{ a: 1, $truncated: 3 }, { a: 1 }, ["the body: 3 more were not recorded"]],
    "nothing of a cut text": [
      { note: { $string: "abc", $truncated: 200 } },
      {},
      ["note: too long, so only its beginning was recorded"],
    ],
    "nothing of a node below the depth bound": [
      { deep: { $truncated: 200 } },
      {},
      ["deep: too long, so only its beginning was recorded"],
    ],
    "nothing that is hidden": [
      { user: { password: "[redacted]", name: "Ada" }, url: "https://x?token=[redacted]" },
      { user: { name: "Ada" } },
      ["user.password: hidden", "url: hidden"],
    ],
    "nothing of bytes": [{ $bytes: 9 }, undefined, ["the body: its bytes were not recorded"]],
    "nothing that is no longer kept": [{ $evicted: true }, undefined, ["the body: no longer kept"]],
    "nothing that JSON cannot say": [[{ $date: "2020" }], [], ["[0]: it has no JSON form"]],
  };
  for (const [what, [recorded, value, leftOut]] of Object.entries(cases))
    test(`DASH-037: returns ${what}`, () => assert.deepEqual(restore(recorded), { value, leftOut }));
});
