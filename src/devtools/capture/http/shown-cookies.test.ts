/** Shown cookies have names and attributes, never a value (TRACE). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { plainSnapshots } from "../plain-snapshots.testkit.ts";
import { createRedactor } from "../redact.ts";
import { sentCookies, setCookies } from "./shown-cookies.ts";

const snapshots = plainSnapshots(createRedactor({}));

/** A header with this number of cookies, `c0=v;c1=v` and so on. */
const many = (count: number, from = 0): string => Array.from({ length: count }, (_, at) => `c${from + at}=v`).join(";");

describe("sentCookies", () => {
  it("has each name once, from every Cookie line, and no part of a value without a name", () => {
    const lines = [
      "cookie",
      "sid=a=b; theme=dark",
      "accept",
      "x=y",
      "cookie",
      " sid = c;secret-value; =nameless;last=1",
    ];
    assert.deepEqual(sentCookies(lines, snapshots), ["sid", "theme", "last"]);
  });

  it("is undefined without cookies", () => {
    for (const lines of [[], ["accept", "a=b"], ["cookie", "value"], ["cookie", ""], ["cookie"]])
      assert.equal(sentCookies(lines, snapshots), undefined);
  });

  it("has at most 50, of the first 100 pairs of a line", () => {
    const names = (...lines: readonly string[]): readonly string[] =>
      sentCookies(
        lines.flatMap((line) => ["cookie", line]),
        snapshots,
      ) ?? [];
    assert.deepEqual(
      [names(many(50)).length, names(many(51)).length, names(many(30), many(30, 30)).length],
      [50, 50, 50],
    );
    assert.deepEqual(names(`${"x;".repeat(99)}a=1;b=2`), ["a"]);
  });

  it("hides a secret in the position of a name", () => {
    assert.deepEqual(sentCookies(["cookie", "Bearer abcdefgh1=1"], snapshots), ["[redacted]"]);
  });
});

describe("setCookies", () => {
  it("has name and attributes of each line, in any spelling, without the value", () => {
    const lines = [
      "Set-Cookie",
      " sid =x; Path=/ ;; ; HttpOnly",
      "a",
      "b=c",
      "set-cookie",
      "value",
      "set-cookie",
      "t=1",
    ];
    assert.deepEqual(setCookies(lines, snapshots), [
      { name: "sid", attributes: ["Path=/", "HttpOnly"] },
      { name: "", attributes: [] },
      { name: "t", attributes: [] },
    ]);
  });

  it("is undefined without cookies", () => {
    for (const lines of [[], ["cookie", "a=b"], ["set-cookie"]]) assert.equal(setCookies(lines, snapshots), undefined);
  });

  it("has at most 50 cookies, and 20 attributes of each", () => {
    const lines = (count: number): string[] => Array.from({ length: count }, () => ["set-cookie", "a=b"]).flat();
    assert.deepEqual([setCookies(lines(50), snapshots)?.length, setCookies(lines(51), snapshots)?.length], [50, 50]);
    assert.equal(setCookies(["set-cookie", `a=b${"; x".repeat(21)}`], snapshots)?.[0]?.attributes.length, 20);
  });
});
