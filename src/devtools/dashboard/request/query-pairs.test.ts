/**
 * query-pairs: rows follow the raw text, and editing one leaves the others as they were typed.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { queryPairs, replaceQueryPairs, tidyQuery } from "./query-pairs.ts";

describe("queryPairs", () => {
  test("decodes names and values, and shows malformed ones unchanged", () => {
    assert.deepEqual(queryPairs("?a=1&b=x+y%21&flag&=v&bad=%zz&a=2=3"), [
      { name: "a", value: "1" },
      { name: "b", value: "x y!" },
      { name: "flag", value: "" },
      { name: "", value: "v" },
      { name: "bad", value: "%zz" },
      { name: "a", value: "2=3" },
    ]);
    assert.deepEqual(queryPairs(""), []);
  });

  test("reads back any written value", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1 }), fc.string({ unit: "grapheme" }), (name, value) => {
        assert.deepEqual(queryPairs(replaceQueryPairs("", [0], [{ name, value }])), [{ name, value }]);
      }),
    );
  });
});

describe("replaceQueryPairs", () => {
  test("rewrites one part and leaves every other as typed", () => {
    assert.equal(replaceQueryPairs("a=%41&b=1&c", [1], [{ name: "b", value: "x y" }]), "a=%41&b=x+y&c");
  });

  test("adds a row past the end", () => {
    assert.equal(replaceQueryPairs("a=1", [9], [{ name: "", value: "" }]), "a=1&");
    assert.equal(replaceQueryPairs("a=1&", [1], [{ name: "b", value: "" }]), "a=1&b=");
  });

  test("removes one part", () => {
    assert.deepEqual(
      [0, 1, 2].map((i) => replaceQueryPairs("a=1&b=2&c=3", [i], [])),
      ["b=2&c=3", "a=1&c=3", "a=1&b=2"],
    );
  });
});

describe("tidyQuery", () => {
  test("drops empty rows and keeps the rest exactly", () => {
    assert.equal(tidyQuery("?a=%41&&=&flag&b="), "a=%41&flag&b=");
  });
});
