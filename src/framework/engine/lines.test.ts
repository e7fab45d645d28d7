/** Header lines: whether those of one field differ (ERR). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { differ, valuesOf } from "./lines.ts";

describe("differ", () => {
  it("ERR-026: is true when two lines of that field have different values, in any case of its name", () => {
    const typesOf = (...lines: readonly string[]): boolean => differ(lines, "content-type");
    assert.equal(typesOf(), false);
    assert.equal(typesOf("Content-Type", "a"), false);
    assert.equal(typesOf("Content-Type", "a", "content-type", "a"), false);
    assert.equal(typesOf("Content-Type", "a", "content-type", "b"), true);
    assert.equal(typesOf("X-A", "1", "CONTENT-TYPE", "a", "X-B", "2", "content-type", "a", "Content-Type", "b"), true);
    assert.equal(typesOf("X-A", "a", "X-A", "b", "content-type", "c"), false);
    assert.equal(typesOf("content_type", "a", "content-type", "b"), false);
    assert.equal(typesOf("X-A", "content-type", "X-B", "content-type", "X-C", "1"), false);
  });
});

describe("valuesOf", () => {
  it("ERR-026: splits at commas outside quotes", () => {
    assert.deepEqual(valuesOf(" a/b , c/d"), ["a/b", "c/d"]);
    assert.deepEqual(valuesOf('a; x="1,2", b'), ['a; x="1,2"', "b"]);
    assert.deepEqual(valuesOf('a; x="1\\",2", b'), ['a; x="1\\",2"', "b"]);
    assert.deepEqual(valuesOf('a; x="open, b'), ['a; x="open, b']);
    assert.deepEqual([valuesOf(""), valuesOf(",")], [[], []]);
  });
});
