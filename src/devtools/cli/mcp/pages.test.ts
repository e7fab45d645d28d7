/**
 * Pages: which items fit, where the next page begins, and what is cut if it does not fit.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CHARS, cut, DEFAULT_CHARS, fitted, jsonOf, pageOf, placeOf, type Paging } from "./pages.ts";

const paging = (cursor?: string, more: Partial<Paging> = {}): Paging => ({
  tool: "t",
  of: "{}",
  cursor,
  maxChars: 300,
  ...more,
});

describe("pageOf", () => {
  const items = ["a".repeat(7), "b".repeat(7), "c".repeat(7), "d".repeat(7)];

  it("has as many items as fit with the head, one at least, and continues after the last", () => {
    // 300 are kept for the surroundings, 2 for the head, 10 for an item, which is 9 as JSON and a comma.
    const lengths = [302, 321, 322, 332, 341, 342, 400].map(
      (maxChars) => pageOf(items, {}, paging(undefined, { maxChars })).items.length,
    );
    assert.deepEqual(lengths, [1, 1, 2, 3, 3, 4, 4]);
    const first = pageOf(items, {}, paging(undefined, { maxChars: 322 }));
    assert.match(first.next ?? "", /^2-[0-9a-f]{8}$/);
    const second = pageOf(items, {}, paging(first.next ?? "", { maxChars: 322 }));
    assert.deepEqual(second, { items: items.slice(2), next: null });
    assert.equal(pageOf(items, { a: "x".repeat(4) }, paging(undefined, { maxChars: 332 })).items.length, 2);
    assert.deepEqual(pageOf([], {}, paging()), { items: [], next: null });
  });

  it("continues at a place of more than one digit", () => {
    const many = Array.from({ length: 30 }, (_, at) => at);
    const { items, next } = pageOf(many, {}, paging(undefined, { maxChars: 342 }));
    assert.deepEqual(pageOf(many, {}, paging(next ?? "", { maxChars: 999 })), {
      items: many.slice(items.length),
      next: null,
    });
    assert.ok(items.length > 9);
  });

  it("rejects a place after the end of a list, and accepts the end itself", () => {
    const { next } = pageOf(items, {}, paging(undefined, { maxChars: 322 }));
    assert.deepEqual(pageOf(items.slice(0, 2), {}, paging(next ?? "")), { items: [], next: null });
    assert.throws(() => pageOf(items.slice(0, 1), {}, paging(next ?? "")), {
      message: "the list of t is shorter now: leave the cursor out",
    });
  });
});

describe("placeOf", () => {
  it("accepts only the cursor of a call of the same tool with the same inputs", () => {
    const next = pageOf(["a", "b"], {}, paging()).next ?? "";
    const place = (cursor: string, more: Partial<Paging> = {}): number => placeOf(paging(cursor, more));
    assert.deepEqual([placeOf(paging()), place(next)], [0, 1]);
    const others = [
      `x${next}`,
      `${next}x`,
      next.slice(1),
      next.slice(0, -1),
      "1234567890-12345678",
      "",
      "x".repeat(99),
    ];
    for (const cursor of others)
      assert.throws(() => place(cursor), {
        name: "TerminalError",
        message: `${JSON.stringify(cursor.slice(0, 80))} is no cursor of this call of t: a cursor is the next of a call of the same tool with the same inputs`,
      });
    assert.throws(() => place(next, { tool: "u" }), /is no cursor of this call of u/);
    assert.throws(() => place(next, { of: "[]" }), /is no cursor/);
  });
});

describe("the bound of a result", () => {
  it("is from 2,000 to 100,000 characters, 8,000 by default", () =>
    assert.deepEqual([CHARS, DEFAULT_CHARS], [[2_000, 100_000], 8_000]));
});

describe("jsonOf", () => {
  it("escapes invisible characters in keys and texts, so that they are absent when it is read again", () => {
    const read = JSON.parse(jsonOf({ "k\u200b\u{e0041}": ["😀\u{e0149}\ufe01", "\u3164\u202e\u061c"] })) as unknown;
    assert.deepEqual(read, { "k\\u{200b}\\u{e0041}": ["😀\\u{e0149}\\u{fe01}", "\\u{3164}\\u{202e}\\u{61c}"] });
  });

  it("keeps lines as JSON does, and escapes characters that a terminal would act on", () => {
    assert.equal(jsonOf({ a: "x\ny\u001b", b: [1, null] }), String.raw`{"a":"x\ny\\u{1b}","b":[1,null]}`);
  });
});

describe("fitted", () => {
  it("is the result itself if it fits", () => {
    const result = { a: "x".repeat(100) };
    assert.equal(fitted(result, 108), JSON.stringify(result));
    assert.equal(fitted(result, 107), JSON.stringify({ a: `${"x".repeat(52)}…` }));
  });

  it("cuts texts and ends lists, ever sooner, except values that other calls take", () => {
    const result = {
      id: "i".repeat(60),
      kind: "k".repeat(60),
      text: "t".repeat(400),
      n: 5,
      none: null,
      notShown: 0,
      list: Array.from({ length: 40 }, (_, at) => `item ${at}`),
      rows: Array.from({ length: 9 }, (_, at) => ({ at })),
    };
    assert.deepEqual(JSON.parse(fitted(result, 400)), {
      id: result.id,
      kind: result.kind,
      text: `${"t".repeat(49)}…`,
      n: 5,
      none: null,
      list: ["item 0", "item 1", "item 2", "… 37 more"],
      rows: [{ at: 0 }, { at: 1 }, { at: 2 }],
      notShown: 43,
    });
  });

  it("marks only lists that are cut as continuing", () => {
    const result = { list: ["a", "b"], text: "t".repeat(400) };
    assert.deepEqual(JSON.parse(fitted(result, 200)), { list: ["a", "b"], text: `${"t".repeat(99)}…` });
  });

  it("stops before a text is too short to mean anything", () => {
    const result = { id: "i".repeat(900), text: "t".repeat(100) };
    assert.deepEqual(JSON.parse(fitted(result, 128)), { id: result.id, text: `${"t".repeat(15)}…` });
    assert.deepEqual(JSON.parse(fitted(result, 30)), result);
  });
});

describe("cut", () => {
  it("is at most this many characters, without half of a surrogate pair", () => {
    assert.deepEqual(
      [cut("abcd", 4), cut("abcde", 4), cut("ab😀d", 4), cut("a😀bcd", 4), cut("😀😀😀", 4)],
      ["abcd", "abc…", "ab…", "a😀…", "😀…"],
    );
  });
});
