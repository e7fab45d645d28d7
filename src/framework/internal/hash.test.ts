/** The hashes of keys. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { hashOf } from "./hash.ts";

describe("hashOf", () => {
  test("is the same with node:crypto and without, and another one for other parts", async () => {
    const bytes = Uint8Array.of(0, 255);
    const all = [
      [],
      ["a"],
      ["a", "b"],
      ["a,b"],
      ['a","b'],
      [null],
      ["null"],
      ["\ud800"],
      ["\\ud800"],
      ["\ufffd"],
    ] as const;
    const here = await Promise.all(all.map((parts) => hashOf(parts, bytes)));
    const there = await Promise.all(all.map((parts) => hashOf(parts, bytes, null)));
    assert.deepEqual(here, there);
    assert.equal(new Set(here).size, all.length);
    assert.match(here[0] ?? "", /^[\w-]{43}$/);
  });
});
