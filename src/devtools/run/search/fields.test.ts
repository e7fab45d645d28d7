/**
 * Fields: how each is read and described, and which name was probably meant.
 *
 * Spec: spec/search.md
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fieldNamed, fields, nearest, words } from "./fields.ts";

describe("fields", () => {
  it("are read by their kind, and describe themselves", () => {
    const kinds: Record<string, string> = {};
    const numbers = "> >= < <=";
    const operators = {
      call: ": = !=",
      values: `: = != ${numbers}`,
      time: numbers,
      codes: `: = != ${numbers}`,
      number: `: = != ${numbers}`,
    };
    for (const { name, kind, help, example, hasPath, ...field } of fields) {
      assert.equal(
        field.operators.join(" "),
        { ...operators, text: ": = !=", leaf: ": = !=", mark: ": = !=", word: ":", run: ":" }[kind],
        name,
      );
      kinds[kind] = `${kinds[kind] ?? ""} ${name}`.trim();
      assert.match(help, /^[a-z].{4,}$/, name);
      assert.ok(example.startsWith(name), name);
      assert.equal(hasPath, kind === "values", name);
      assert.equal(fieldNamed.get(name)?.help, help);
    }
    assert.deepEqual(kinds, {
      call: "bean method",
      values: "arg result param query header body response",
      time: "took dur",
      codes: "status",
      run: "kind",
      text: "path route error job id session",
      number: "attempt",
      mark: "agent tool thread",
      word: "is",
      leaf: "sql http cache log message span leaf",
    });
    assert.equal(
      Object.keys(words).join(" "),
      "mine failed aborted broken unmatched request background trace job dead",
    );
    for (const [word, help] of Object.entries(words)) assert.match(help, /^[a-z].{4,}$/, word);
  });
});

describe("nearest", () => {
  const names = ["bean", "status", "response", "is"];

  it("SEARCH-011: is a name with one typo: a wrong, additional, missing or swapped letter", () => {
    const slips = ["bean", "BEAN", "beam", "xean", "beaan", "ean", "bea", "baen", "beanx", "statsu", "si", "os", "IS"];
    assert.deepEqual(
      slips.map((slip) => nearest(slip, names)),
      [...Array<string>(9).fill("bean"), "status", "is", "is", "is"],
    );
  });

  it("SEARCH-011: is undefined if two letters differ, or one in addition to two swapped ones", () => {
    for (const text of ["sx", "xi", "six", "sik"]) assert.equal(nearest(text, names), undefined, text);
  });

  it("SEARCH-011: is a name that begins with the text, or the reverse, from three letters on", () => {
    const texts = ["res", "stat", "responses.total", "re", "be", "isolated", "xx", "snaeb", "pons"];
    assert.deepEqual(
      texts.map((text) => nearest(text, names)),
      ["response", "status", "response", undefined, undefined, "is", undefined, undefined, undefined],
    );
  });
});
