/** Header lists: every form in which clients keep headers, and values that are not headers (LEAF-017). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { headerPairs, type HeaderList } from "./header-list.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("headerPairs", () => {
  const lists: Readonly<Record<string, readonly [list: HeaderList, pairs: readonly (readonly [string, string])[]]>> = {
    "an object": [{ a: "1", b: 2, c: ["3", 4] }, [["a", "1"], ["b", "2"], ["c", "3"], ["c", "4"]]],
    pairs: [[["a", "1"], ["b", ["2", "3"]]], [["a", "1"], ["b", "2"], ["b", "3"]]],
    "a flat list": [["a", "1", "b", ["2", "3"]], [["a", "1"], ["b", "2"], ["b", "3"]]],
    "a flat list of bytes": [[bytes("a"), bytes("\u00e9".normalize("NFC"))], [["a", "\u00c3\u00a9"]]],
    "a flat list of an odd length": [["a", "1", "b"], [["a", "1"]]],
    "a list of pairs and others": [[["a", "1"], "b"], []],
    "nothing": [[], []],
    "the text of a head": ["A: 1\r\n b : x:y \nno header\r\n: none\n\r\n", [["A", "1"], ["b", "x:y"]]],
    "values that are none": [{ a: undefined, b: null, c: {}, d: true, "": "x" }, []],
  }; // prettier-ignore
  for (const [what, [list, pairs]] of Object.entries(lists))
    it(`reads ${what}`, () => {
      assert.deepEqual(headerPairs(list), pairs);
    });

  it("reads 100 headers at most, and 65,536 characters of a head", () => {
    const many = Array.from({ length: 101 }, (_, n) => [`h${n}`, "x"]);
    assert.deepEqual([headerPairs(many).length, headerPairs(many).at(-1)], [100, ["h99", "x"]]);
    assert.deepEqual(headerPairs(`a: ${"x".repeat(65_533)}\nb: 1`).length, 1);
    assert.equal(headerPairs(`a: ${"x".repeat(70_000)}`)[0]?.[1].length, 65_533);
  });
});
