/**
 * Findings: how a sentence writes a call and a value.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { finding, nameOf, sentenceOf, short, signOf } from "./findings.ts";
import { callOf } from "../traces.testkit.ts";

describe("finding", () => {
  it("is about the run as a whole by default", () => {
    const usual = { call: null, leafId: null, frame: null, code: null, costUs: null, times: null, detail: "" };
    assert.deepEqual(finding("slow", "m"), { kind: "slow", message: "m", ...usual });
    assert.deepEqual(finding("slow", "m", { costUs: 5 }), { kind: "slow", message: "m", ...usual, costUs: 5 });
    assert.equal(nameOf(callOf(0, null, "A")), "A.run");
  });
});

describe("signOf", () => {
  it("is a share of the run, a number of times, or what kind of thing it is", () => {
    const sign = (kind: Parameters<typeof finding>[0], more = {}): string =>
      signOf(finding(kind, "m", more), { durationUs: 200 });
    assert.deepEqual(
      [
        sign("slow", { costUs: 130 }),
        sign("sequence", { times: 30, costUs: 9 }),
        sign("difference"),
        sign("dropped"),
        sign("origin"),
        sign("error"),
      ],
      ["65 %", "30×", "≠", "…", "→", "!"],
    );
  });
});

describe("sentenceOf", () => {
  it("has what else is known in brackets", () => {
    assert.deepEqual(
      ["", "d"].map((detail) => sentenceOf(finding("slow", "m", { detail }))),
      ["m", "m (d)"],
    );
  });
});

describe("short", () => {
  it("is JSON on one line, cut if it is long", () => {
    assert.deepEqual([short(" a\n b"), short({ a: " \n" }), short(null)], ['"a b"', '{"a":" \\n"}', "null"]);
    assert.deepEqual(
      [short("x".repeat(118)), short("x".repeat(119))],
      [`"${"x".repeat(118)}"`, `"${"x".repeat(119)}…`],
    );
  });
});
