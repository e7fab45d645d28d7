/**
 * format: numbers as a developer reads them.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { clamp, clock, count, delta, duration, grouped, messageOf, rate, shownPath, size } from "./format.ts";

describe("duration", () => {
  test("keeps three digits and picks the unit", () => {
    assert.deepEqual([0, 940, 6_310, 18_400, 431_000, 2_500_000].map(duration), [
      "0 µs",
      "940 µs",
      "6.31 ms",
      "18.4 ms",
      "431 ms",
      "2.50 s",
    ]);
  });
});

describe("rate", () => {
  test("has one digit after the point below 100, and a small one is not none", () =>
    assert.deepEqual([0, 0.016, 0.4, 41.23, 1_204.4].map(rate), ["0", "< 0.1", "0.4", "41.2", "1,204"]));
});

describe("shownPath", () => {
  test("is decoded, except for characters that would mean something else or could not be seen", () => {
    const paths = ["/caf%C3%A9", "/a%20b/100%25", "/a%2Fb%3Fc", "/x%E2%80%AEy%00", "/%C3%28", "/50%"];
    assert.deepEqual(paths.map(shownPath), [
      "/café",
      "/a b/100%25",
      "/a%2Fb%3Fc",
      "/x%E2%80%AEy%00",
      "/%C3%28",
      "/50%",
    ]);
  });
});

describe("delta", () => {
  test("has a sign", () => assert.deepEqual([1_200, -940, 0].map(delta), ["+1.20 ms", "−940 µs", "±0 µs"]));
});

describe("size", () => {
  test("picks the unit", () =>
    assert.deepEqual([0, 812, 1_400, 3_200_000].map(size), ["0 B", "812 B", "1.4 kB", "3.2 MB"]));
});

describe("grouped", () => {
  test("separates thousands", () =>
    assert.deepEqual([0, 12, 999, 1_000, 12_345, 123_456, 1_234_567].map(grouped), [
      "0",
      "12",
      "999",
      "1,000",
      "12,345",
      "123,456",
      "1,234,567",
    ]));
});

describe("count", () => {
  test("uses singular and plural", () =>
    assert.deepEqual(
      [count(1, "call"), count(2, "call"), count(1_200, "entry", "entries")],
      ["1 call", "2 calls", "1,200 entries"],
    ));
});

describe("clock", () => {
  test("has two digits a part", () => assert.equal(clock(new Date(2026, 0, 2, 3, 4, 5).getTime()), "03:04:05"));
});

describe("clamp", () => {
  test("keeps a value between both bounds; of an empty range, the lower one", () =>
    assert.deepEqual([clamp(-1, 0, 4), clamp(3, 0, 4), clamp(9, 0, 4), clamp(2, 0, -1)], [0, 3, 4, 0]));
});

describe("messageOf", () => {
  test("returns the message of an error, and the text of any other thrown value", () =>
    assert.deepEqual(
      [messageOf(new TypeError("no")), messageOf("no"), messageOf(undefined)],
      ["no", "no", "undefined"],
    ));
});
