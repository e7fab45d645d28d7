/**
 * Flaws: the values that a recording has in full, and for every other value the sentence why it cannot be made again.
 *
 * Spec: spec/replay.md
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Call, ErrorInfo, Json } from "../../run/shapes.ts";
import { KEY_CHARS } from "../../capture/walk.ts";
import { flawOfArguments, flawOfCall, flawOfData, recordedCall, type RecordedCall } from "./flaws.ts";
import { Reviver, SeenErrors } from "../../capture/revive.ts";

const call: Call = {
  id: 3,
  parentId: null,
  depth: 0,
  bean: "Prices",
  declaredBy: "Base",
  stereotype: "repository",
  method: "read",
  args: [1],
  result: { a: 1 },
  error: null,
  startUs: 40,
  durationUs: 5,
  async: true,
};
const reviver = new Reviver(new Map([["Money", (shown) => shown]]), new SeenErrors());

/** Why a call with this result or error cannot be replayed. */
const ofResult = (result: Json): string | undefined => flawOfCall(recordedCall({ ...call, result }), reviver);
const ofError = (error: ErrorInfo): string | undefined => flawOfCall(recordedCall({ ...call, error }), reviver);

describe("recordedCall", () => {
  it("has the end of the call, and an error without its stack", () => {
    const expected: RecordedCall = {
      bean: "Prices",
      method: "read",
      args: [1],
      result: { a: 1 },
      error: null,
      async: true,
      endUs: 45,
    };
    assert.deepEqual(recordedCall(call), expected);
    const stack = [{ name: "read", file: "a.ts", line: 1, column: 1, own: true }];
    const plain = { name: "Error", message: "no" };
    assert.deepEqual(recordedCall({ ...call, durationUs: null, error: { ...plain, stack } }), {
      ...expected,
      endUs: 40,
      error: plain,
    });
    const withFields = { ...plain, fields: { code: 1 } };
    assert.deepEqual(recordedCall({ ...call, error: { ...withFields, stack } }).error, withFields);
  });
});

describe("flawOfCall", () => {
  const lost: Readonly<Record<string, readonly [Json, string]>> = {
    "a symbol": [{ $symbol: "a" }, "result is a symbol"],
    "a function": [{ $function: "a" }, "result is a function"],
    bytes: [{ $bytes: 3 }, "result is bytes, which are not kept"],
    "a stream": [{ $stream: "web" }, "result is a stream"],
    "a promise": [{ $thenable: true }, "result is a promise"],
    "what had not returned": [{ $pending: true }, "result had not returned when the request was over"],
    "a request's context": [{ $context: "GET /" }, "result is a request's context"],
    "a circle": [{ a: { $circular: "$" } }, "result.a refers to what is around it"],
    "what was dropped": [{ $evicted: true }, "result was dropped to make room"],
    "a text that is cut": [{ $string: "abc", $truncated: 9 }, "result is cut"],
    "a list that is cut": [[1, { $truncated: 9 }], "result[1] is cut"],
    "an object that is cut": [{ a: 1, $truncated: 9 }, "result is cut"],
    "a redacted text": [{ a: ["x", "y [redacted]"] }, "result.a[1] is redacted"],
    "private fields": [
      { $class: "Money", $private: true },
      "result is an instance of Money, which keeps data in private fields",
    ],
    "a proxy": [{ $class: "Proxy" }, "result is a proxy"],
    "an instance": [
      { a: { $class: "Ledger", x: 1 } },
      "result.a is an instance of Ledger: Devtools.create({ revive: [[Ledger, (shown) => …]] }) says how one is made",
    ],
    "what an instance holds": [{ $class: "Money", cents: { $bytes: 1 } }, "result.cents is bytes, which are not kept"],
    "another bean": [{ $bean: "Clock" }, "result is another bean"],
    "an error as a value": [{ $error: "Error" }, "result is an error that was not thrown"],
    "a form of another version": [{ $decimal: "1" }, "result is of a form that is not known here: $decimal"],
    "a redacted key": [{ "a [redacted]": 1 }, "a key of result is redacted"],
    "a key that is cut": [{ ["k".repeat(KEY_CHARS + 1)]: 1 }, "a key of result is cut"],
  };
  for (const [name, [result, why]] of Object.entries(lost))
    it(`names the flaw of a result: ${name}`, () => assert.equal(ofResult(result), why));

  it("finds none in values that can be made again", () => {
    for (const result of [
      null,
      1,
      "text",
      [1, { a: null }],
      { $date: "2026-01-01T00:00:00.000Z" },
      { $map: [["a", { $set: [1] }]] },
      { $bean: "Prices" },
      { $class: "Money", $private: false, cents: 5 },
      { $class: "URL", href: "http://a/" },
      { $$own: { $undefined: true } },
      { ["k".repeat(KEY_CHARS)]: 1 },
    ])
      assert.equal(ofResult(result), undefined, JSON.stringify(result));
  });

  it("checks arguments first, and the result only if nothing was thrown", () => {
    const args = [1, { $function: "f" }];
    assert.equal(flawOfCall(recordedCall({ ...call, args, result: { $bytes: 1 } }), reviver), "args[1] is a function");
    const error = { name: "TypeError", message: "no" };
    assert.equal(flawOfCall(recordedCall({ ...call, result: { $bytes: 1 }, error }), reviver), undefined);
  });

  const errors: Readonly<Record<string, readonly [Partial<ErrorInfo>, string | undefined]>> = {
    "a redacted message": [{ message: "of [redacted]" }, "the message of its error is redacted"],
    "a message that is cut": [{ message: "long… 12 more" }, "the message of its error is cut"],
    "a message that only speaks of more": [{ message: "… 12 more or less" }, undefined],
    "a message that has no number of more": [{ message: "and … x more" }, undefined],
    "fields that are no JSON": [{ fields: { body: { $bytes: 1 } } }, "its error.body is bytes, which are not kept"],
    "fields that are cut": [{ fields: { $truncated: 3 } }, "its error is cut"],
    "an instance in its fields": [
      { fields: { at: { $class: "Ledger" } } },
      "its error.at is an instance of Ledger: Devtools.create({ revive: [[Ledger, (shown) => …]] }) says how one is made",
    ],
    "private fields": [
      { fields: { $class: "Odd", $private: true } },
      "its error is an instance of Odd, which keeps data in private fields",
    ],
    "private fields of one that the application makes": [{ fields: { $class: "Money", $private: true } }, undefined],
    "data that is not shown": [{ fields: { $hidden: true } }, "its error has data that is not shown, such as a cause"],
    "data that is not shown, of one that the application makes": [
      { fields: { $class: "Money", $hidden: true } },
      undefined,
    ],
    "a class that was not thrown here": [
      { name: "Odd", fields: { $class: "Odd" } },
      "its error is an instance of Odd, which this process has not thrown yet: Devtools.create({ revive: [[Odd, (shown) => …]] }) says how one is made",
    ],
    "an error of the language": [{ fields: { $class: "RangeError", $from: "language", code: 1 } }, undefined],
  };
  for (const [name, [error, why]] of Object.entries(errors))
    it(`names the flaw of an error: ${name}`, () =>
      assert.equal(ofError({ name: "RangeError", message: "no", ...error }), why));
});

describe("flawOfArguments", () => {
  it("requires only that they are distinguishable", () => {
    for (const arg of [{ $class: "Ledger", x: 1 }, { $bean: "Clock" }, { $error: "Error", message: "x" }])
      assert.deepEqual([flawOfArguments([arg]), flawOfData(arg, "body")], [undefined, undefined]);
    assert.equal(flawOfArguments([]), undefined);
    assert.equal(flawOfArguments(["a", { b: "[redacted]" }, { $bytes: 1 }]), "args[1].b is redacted");
    assert.equal(
      flawOfArguments([{ $class: "Odd", $private: true }]),
      "args[0] is an instance of Odd, which keeps data in private fields",
    );
    assert.equal(flawOfArguments([{ $class: "Proxy" }]), "args[0] is a proxy");
    assert.equal(flawOfData([{ $string: "a" }], "body"), "body[0] is cut");
  });
});
