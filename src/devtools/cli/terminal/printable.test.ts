/**
 * Printable: a terminal shows recorded text and obeys none of it.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { columnsOf, cutTo, printable, printableJson, printableLines } from "./printable.ts";

const obeyed = Array.from({ length: 0xa0 }, (_, at) => String.fromCharCode(at)).filter((one) => /\p{Cc}/u.test(one));
/** Invisible to people, but read by an agent. */
const unseen = [
  ..."\u00ad\u034f\u115f\u1160\u17b4\u180b\u180e\u200b\u200c\u200d\u2060\u2064\u206a\u3164\ufe00\ufe0f\ufeff\uffa0",
  ..."\u{1d173}\u{e0001}\u{e0041}\u{e007f}\u{e0100}\u{e01ef}",
];
const turning = [...unseen, ..."\u2028\u2029\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"];

describe("printable", () => {
  it("escapes every control, separator, mark of direction and invisible character", () => {
    for (const one of [...obeyed, ...turning]) {
      const shown = printable(`a${one}b`);
      assert.match(shown, /^a\\(?:n|t|u\{[0-9a-f]+\})b$/, JSON.stringify(one));
    }
    assert.equal(printable("\u001b]0;title\u0007\u009b2J"), "\\u{1b}]0;title\\u{7}\\u{9b}2J");
  });

  it("leaves other text alone", () => {
    for (const text of ["Grüße, 世界 👩‍💻 é", "👨🏽‍🚀", "می‌خواهم", "क्‍ष"]) assert.equal(printable(text), text);
  });

  it("keeps the parts of an emoji, and nothing that is hidden after it", () => {
    assert.equal(printable("❤\ufe0f ✔\ufe0f."), "❤ ✔.");
    assert.equal(printable("😀\ufe0f\u{e0148}\u{e0149}"), "😀\\u{fe0f}\\u{e0148}\\u{e0149}");
    assert.equal(printable("a\u200db\u200cc 😀\u200dx"), "a\\u{200d}b\\u{200c}c 😀\\u{200d}x");
  });
});

describe("printableLines", () => {
  it("keeps line breaks and tabs, and escapes other controls", () => {
    assert.equal(printableLines("a\n\tb\r\u001b\u009b"), "a\n\tb\\u{d}\\u{1b}\\u{9b}");
    assert.equal(printable("a\n\tb"), "a\\n\\tb");
  });
});

describe("printableJson", () => {
  it("is the same value in characters that no terminal obeys", () => {
    const value = { text: [...obeyed, ...turning].join("-"), "\u009bkey": ["\n", "世"] };
    for (const indent of [undefined, 2]) {
      const text = printableJson(value, indent);
      assert.deepEqual(JSON.parse(text), value);
      assert.equal(printable(text.replaceAll("\n", "")), text.replaceAll("\n", ""));
    }
    assert.doesNotMatch(printableJson(value), /\n/);
  });
});

describe("cutTo", () => {
  const cases: readonly (readonly [string, number, string])[] = [
    ["abc", 3, "abc"],
    ["abcd", 3, "ab…"],
    ["世界世界", 8, "世界世界"],
    ["世界世界", 7, "世界世…"],
    ["世界", 2, "…"],
    ["👩‍💻👩‍💻", 3, "👩‍💻…"],
    ["e\u0301e\u0301e\u0301", 2, "e\u0301…"],
    ["abc", 0, ""],
    ["世", 0, ""],
    ["abc", Infinity, "abc"],
  ];
  for (const [text, columns, shown] of cases)
    it(`cuts ${text} to ${columns} columns`, () => {
      assert.equal(cutTo(text, columns), shown);
      assert.ok(columnsOf(shown) <= columns);
    });
});
