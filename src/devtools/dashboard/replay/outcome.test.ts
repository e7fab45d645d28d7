import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { callOf } from "../../run/traces.testkit.ts";
import { outcomeOf, typedOutcome, type TypedOutcome } from "./outcome.ts";

const typed: TypedOutcome = { kind: "same", value: "", name: "", message: "", after: "" };

describe("typedOutcome", () => {
  it("begins with what was recorded", () => {
    assert.deepEqual(typedOutcome(callOf(1, null, "Stock", { result: { a: 1 } })), {
      kind: "returns",
      value: '{\n  "a": 1\n}',
      name: "Error",
      message: "",
      after: "",
    });
    const failed = typedOutcome(
      callOf(1, null, "Stock", { result: null, error: { name: "RangeError", message: "no" } }),
    );
    assert.deepEqual([failed.kind, failed.name, failed.message], ["throws", "RangeError", "no"]);
  });
});

describe("outcomeOf", () => {
  const cases: Readonly<Record<string, readonly [Partial<TypedOutcome>, unknown]>> = {
    "a value": [
      { kind: "returns", value: '{"a":1}' },
      { call: 3, returns: { a: 1 } },
    ],
    "a value after a time": [
      { kind: "returns", value: "null", after: "20" },
      { call: 3, returns: null, afterMs: 20 },
    ],
    "an error": [
      { kind: "throws", name: " RangeError ", message: "no" },
      { call: 3, throws: { name: "RangeError", message: "no" } },
    ],
    "a status": [
      { kind: "throws", name: "404", message: "gone" },
      { call: 3, throws: { name: "HttpError", message: "gone", status: 404 } },
    ],
    "a time alone": [{ after: "5" }, { call: 3, afterMs: 5 }],
    "no value": [{ kind: "returns", value: " " }, "The value is not JSON: it is empty"],
    "no error": [{ kind: "throws", name: " " }, "Type the name of the error, or a status such as 404."],
    "no time": [{}, "Type how long the call takes."],
    "a time that is no number": [{ after: "soon" }, "The time is a whole number of milliseconds up to 60000."],
    "a fraction": [{ after: "0.5" }, "The time is a whole number of milliseconds up to 60000."],
    "a time over a minute": [{ after: "60001" }, "The time is a whole number of milliseconds up to 60000."],
  };
  for (const [what, [given, outcome]] of Object.entries(cases))
    it(`is ${what}`, () => assert.deepEqual(outcomeOf(3, { ...typed, ...given }), outcome));
  it("says where a value is not JSON", () => {
    assert.match(String(outcomeOf(3, { ...typed, kind: "returns", value: "{" })), /^The value is not JSON: /);
  });
});
