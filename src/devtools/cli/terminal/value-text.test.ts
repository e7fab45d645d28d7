/**
 * Value text: recorded values in a person's notation, in as many columns as there are.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Json } from "../../run/shapes.ts";
import { valueText } from "./value-text.ts";

describe("valueText", () => {
  const shown: Readonly<Record<string, Json>> = {
    null: null,
    true: true,
    "1.5": 1.5,
    '"a\\"b"': 'a"b',
    '"a\\\\u{1b}b"': "a\\u{1b}b",
    '"a\\u001bb"': "a\u001bb",
    '"a\\u{9b}b"': "a\u009bb",
    "[1, [], {}]": [1, [], {}],
    "{a: 1, b: [2]}": { a: 1, b: [2] },
    "{$own: 1, x: 2}": { $$own: 1, x: 2 },
    "{cents: 5}": { $class: "Money", cents: 5 },
    "{\\u{1b}: 1}": { "\u001b": 1 },
    "12n": { $bigint: "12" },
    "-0": { $number: "-0" },
    undefined: { $undefined: true },
    "Symbol(a)": { $symbol: "a" },
    "function f": { $function: "f" },
    "2026-01-01": { $date: "2026-01-01" },
    "3 bytes": { $bytes: 3 },
    "stream web": { $stream: "web" },
    "stream Generator[1, 2, {…}]": { $stream: "Generator", $yielded: [1, 2, { $truncated: 4 }] },
    "a promise": { $thenable: true },
    "not settled": { $pending: true },
    Clock: { $bean: "Clock" },
    ctx: { $context: "GET /" },
    circular: { $circular: true },
    "not kept": { $evicted: true },
    "\\u{9b}": { $date: "\u009b" },
    '"ab"…': { $string: "ab", $truncated: 9 },
    "[1, {…}]": [1, { $truncated: 5 }],
    "{a: 1, …}": { a: 1, $truncated: 5 },
    "{$string: 5}": { $string: 5 },
    "{$map: [[1, 2]]}": { $map: [[1, 2]] },
  };
  for (const [text, value] of Object.entries(shown))
    it(`shows ${text}`, () => assert.equal(valueText(value, 80), text));

  it("shows a member of any name, also names that every object inherits", () => {
    for (const name of ["valueOf", "toString", "constructor", "hasOwnProperty", "__proto__"])
      assert.equal(valueText(JSON.parse(`{"${name}":1}`) as Json, 80), `{${name}: 1}`);
  });

  it("is cut if there is no more room, and if it is deep", () => {
    assert.deepEqual(
      [valueText("abcdef", 8), valueText("abcdef", 7), valueText([1, 2, 3], 9), valueText([1, 2, 3], 8)],
      ['"abcdef"', '"abcde…', "[1, 2, 3]", "[1, 2, …"],
    );
    assert.equal(valueText({ $string: "abcdef", $truncated: 1 }, 5), '"abc…');
    const deep = (levels: number): Json => (levels === 0 ? 1 : [deep(levels - 1)]);
    assert.deepEqual([valueText(deep(9), 80), valueText(deep(10), 80)], ["[[[[[[[[[1]]]]]]]]]", "[[[[[[[[[…]]]]]]]]]"]);
    const nested = (levels: number): Json => (levels === 0 ? 1 : { a: nested(levels - 1) });
    assert.equal(valueText(nested(10), 80), `${"{a: ".repeat(9)}…${"}".repeat(9)}`);
  });

  it("costs only its shown part", () => {
    let asked = 0;
    const rows = new Proxy(
      Array.from({ length: 1_000 }, () => "x".repeat(50)),
      {
        get: (list, key, self) => {
          if (typeof key === "string" && /^\d+$/.test(key)) asked += 1;
          return Reflect.get(list, key, self) as unknown;
        },
      },
    );
    assert.equal(valueText(rows, 60).length, 60);
    assert.ok(asked < 5, `${asked} items`);
  });
});
