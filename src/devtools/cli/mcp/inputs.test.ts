/**
 * Inputs: the values that each kind accepts, and the sentence for others.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { anything, flag, inputSchemaOf, oneOf, readInputs, text, texts, whole, type Input } from "./inputs.ts";

const rejects = (inputs: Readonly<Record<string, Input>>, came: unknown, message: string): void =>
  assert.throws(() => readInputs("t", inputs, came), { name: "TerminalError", message });

describe("readInputs", () => {
  const kinds: Readonly<Record<string, readonly [Input, good: readonly unknown[], bad: readonly unknown[], string]>> = {
    text: [
      text("d"),
      ["", "x".repeat(10_000)],
      ["x".repeat(10_001), 1, null, ["a"]],
      "a text of at most 10000 characters",
    ],
    "a whole number": [whole("d", 2, 9), [2, 9], [1, 10, 2.5, "3", null, NaN], "a whole number from 2 to 9"],
    "a flag": [flag("d"), [true, false], [0, "true", null], "true or false"],
    "one of words": [oneOf(["a", "b"], "d"), ["a", "b"], ["", "c", ["a"], null], "a or b"],
    texts: [texts("d"), [{}, { a: "b" }], [null, [], ["a"], "a", { a: "b", c: 1 }, { a: null }], "an object of texts"],
    anything: [anything("d"), [null, 0, [], {}, "a"], [], "JSON"],
  };
  for (const [name, [input, good, bad, allowed]] of Object.entries(kinds))
    it(`accepts for ${name} the allowed values, and names others`, () => {
      for (const value of good) assert.equal(readInputs("t", { a: input }, { a: value }).json("a"), value);
      for (const value of bad)
        rejects({ a: input }, { a: value }, `a of t is ${JSON.stringify(value).slice(0, 80)}: ${allowed} is allowed`);
      assert.equal(input.allowed, allowed);
    });

  it("requires the required ones, and accepts neither other names nor a value that is not an object", () => {
    const inputs = { id: text("d", true), n: whole("d", 1, 2) };
    rejects(inputs, {}, "t needs id: a text of at most 10000 characters");
    rejects(inputs, undefined, "t needs id: a text of at most 10000 characters");
    rejects(inputs, null, "t needs id: a text of at most 10000 characters");
    rejects(inputs, { id: "a", toString: 1 }, 't takes no "toString": id, n are allowed');
    for (const came of [[], "a", 1, true]) rejects(inputs, came, "t takes an object");
    assert.throws(() => readInputs("t", { a: flag("d"), id: text("d", true) }, {}), { message: /^t needs id/ });
    rejects({ n: inputs.n }, { n: () => 1 }, "n of t is undefined: a whole number from 1 to 2 is allowed");
    assert.equal(readInputs("t", { n: inputs.n }, undefined).whole("n"), undefined);
  });

  it("returns the values by name", () => {
    const inputs = { id: text("d"), n: whole("d", 1, 2), on: flag("d"), off: flag("d"), h: texts("d") };
    const given = readInputs("t", inputs, { id: "a", n: 2, on: true, off: false, h: { b: "c" } });
    assert.deepEqual(
      [given.text("id"), given.whole("n"), given.isSet("on"), given.isSet("off"), given.isSet("h"), given.texts("h")],
      ["a", 2, true, false, false, [["b", "c"]]],
    );
    assert.deepEqual(given.texts("none"), []);
    assert.equal(readInputs("t", { id: text("d", true), q: text("d") }, { id: "a" }).text("id"), "a");
  });
});

describe("inputSchemaOf", () => {
  it("is the JSON Schema of all of them", () => {
    const inputs = {
      id: text("i", true),
      n: whole("n", 1, 2),
      on: flag("o"),
      word: oneOf(["a", "b"], "w"),
      h: texts("h"),
      body: anything("b"),
    };
    assert.deepEqual(inputSchemaOf(inputs), {
      type: "object",
      properties: {
        id: { type: "string", description: "i" },
        n: { type: "integer", minimum: 1, maximum: 2, description: "n" },
        on: { type: "boolean", description: "o" },
        word: { type: "string", enum: ["a", "b"], description: "w" },
        h: { type: "object", additionalProperties: { type: "string" }, description: "h" },
        body: { description: "b" },
      },
      required: ["id"],
      additionalProperties: false,
    });
    assert.deepEqual(
      Object.values(inputs).map(({ isRequired }) => isRequired),
      [true, false, false, false, false, false],
    );
  });
});
