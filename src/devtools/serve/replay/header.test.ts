/**
 * The header of a replay: how it is read, and that nothing else is accepted.
 *
 * Spec: spec/replay.md
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRunKey, readBeans, readReplay } from "./header.ts";

describe("isRunKey", () => {
  it("is only instance and sequence", () => {
    const instance = "a".repeat(64);
    const texts = ["a-9.1", `${instance}.123456789012345`, `${instance}a.1`, "a.0", "a.1234567890123456", "a.01", ".1"];
    assert.deepEqual(texts.map(isRunKey), [true, true, false, false, false, false, false]);
    assert.deepEqual(["a.", "a_b.1", " a.1", "a.1 ", "a.1x", "a1"].map(isRunKey), Array(6).fill(false));
  });
});

describe("readReplay", () => {
  const key = "a-1.12";

  it("reads run, beans and ticket, with blanks around the semicolons", () => {
    const read = { key, beans: ["A", "B C"], whatIf: [], isProfiled: false, ticket: undefined };
    assert.deepEqual(readReplay([`${key};beans=A,B%20C,A`]), read);
    assert.deepEqual(readReplay([`${key} \t;\t beans=A,B%20C`]), read);
    assert.deepEqual(readReplay([`${key};beans=A \t; \tticket=aB-9`]), {
      key,
      beans: ["A"],
      whatIf: [],
      isProfiled: false,
      ticket: "aB-9",
    });
    assert.deepEqual(readReplay([`${key};beans=${"b".repeat(4096)};ticket=${"t".repeat(64)}`]), {
      key,
      beans: ["b".repeat(4096)],
      whatIf: [],
      isProfiled: false,
      ticket: "t".repeat(64),
    });
  });

  it("REPLAY-025: reads other outcomes, with beans and without", () => {
    const outcomes = Buffer.from('[{"call":7,"returns":null}]').toString("base64url");
    const whatIf = [{ call: 7, returns: null }];
    assert.deepEqual(readReplay([`${key};beans=;what-if=${outcomes}`]), {
      key,
      beans: [],
      whatIf,
      isProfiled: false,
      ticket: undefined,
    });
    assert.deepEqual(readReplay([`${key};beans=A ; what-if=${outcomes};profile=1;ticket=a`]), {
      key,
      beans: ["A"],
      whatIf,
      isProfiled: true,
      ticket: "a",
    });
    const profiled = { key, beans: [], whatIf: [], isProfiled: true, ticket: undefined };
    assert.deepEqual(readReplay([`${key};beans= ; profile=1`]), profiled);
    assert.match(String(readReplay([`${key};beans=A;what-if=W10`])), /^what-if is base64url of a JSON list/);
    assert.match(
      String(readReplay([`${key};beans=A;what-if=${"a".repeat(8_193)}`])),
      /^X-Framework-Replay is one line/,
    );
  });

  const rejected: Readonly<Record<string, readonly string[]>> = {
    "no line": [],
    "two lines": [`${key};beans=A`, `${key};beans=A`],
    "no beans": [`${key};beans=`],
    "text before it": [`x ${key};beans=A`],
    "text behind it": [`${key};beans=A;`],
    "a ticket without letters": [`${key};beans=A;ticket=`],
    "a ticket of other letters": [`${key};beans=A;ticket=a_b`],
    "a long ticket": [`${key};beans=A;ticket=${"t".repeat(65)}`],
    "long beans": [`${key};beans=${"b".repeat(4097)}`],
    "a blank between beans": [`${key};beans=A, B`],
    "a quote": [`${key};beans="A"`],
    "an empty bean": [`${key};beans=A,`],
    "a bean that is not encoded": [`${key};beans=%E0`],
    "a run of no sequence": [`a;beans=A`],
  };
  for (const [name, values] of Object.entries(rejected))
    it(`REPLAY-010: rejects ${name}`, () =>
      assert.equal(
        readReplay(values),
        "X-Framework-Replay is one line <instance>.<sequence>;beans=<bean>,<bean>, each bean an id of the graph, percent-encoded",
      ));
});

describe("readBeans", () => {
  it("has each id once, and is undefined if one is empty or not encoded", () => {
    assert.deepEqual(["A,B%2CC,A", "", "A,,B", "%"].map(readBeans), [["A", "B,C"], undefined, undefined, undefined]);
  });
});
