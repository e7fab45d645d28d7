/**
 * What ctx.json, ctx.text and ctx.send reject, and the error that the handler sees.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkedText, jsonText, rejection } from "./response-values.ts";

const later = Promise.resolve(1);
const rejected = (run: () => unknown): unknown => {
  try {
    return run();
  } catch (error) {
    assert.ok(error instanceof TypeError);
    return { code: Reflect.get(error, "code"), message: error.message };
  }
};

describe("jsonText", () => {
  const values: Readonly<Record<string, readonly [value: unknown, text: string]>> = {
    "an empty object, at the top or inside": [{ a: {}, b: [{}] }, '{"a":{},"b":[{}]}'],
    "an object with a form of its own": [{ toJSON: () => ({}), later }, "{}"],
    null: [null, "null"],
    "text that looks like an empty object": ["{}", '"{}"'],
  };
  for (const [what, [value, text]] of Object.entries(values)) {
    it(`writes ${what}`, () => assert.equal(jsonText(value), text));
  }

  const promises: Readonly<Record<string, readonly [value: unknown, sentence: string]>> = {
    "a promise": [later, "ctx.json() got a promise: await it first"],
    "a promise in a member": [{ user: later }, 'ctx.json() got a promise in "user": await it first'],
    "a promise among elements": [[1, later], "ctx.json() got a promise at [1]: await Promise.all(…) first"],
  };
  for (const [what, [value, message]] of Object.entries(promises)) {
    it(`rejects ${what}`, () =>
      assert.deepEqual(
        rejected(() => jsonText(value)),
        { code: "RESPONSE_PROMISE", message },
      ));
  }

  it("rejects a Map, and what else JSON writes as {}, and tells of any other text with {} in it", () => {
    const told: unknown[] = [];
    const ctx = { services: { warnLost: (of: unknown, value: unknown) => told.push([of === ctx, value]) } } as never;
    assert.deepEqual(
      rejected(() => jsonText(new Map(), ctx)),
      { code: "RESPONSE_VALUE", message: "ctx.json() got a Map, which JSON writes as {}: Object.fromEntries(it)" },
    );
    const value = { items: [later] };
    assert.deepEqual(
      [jsonText(value, ctx), jsonText({ a: 1 }, ctx), told],
      ['{"items":[{}]}', '{"a":1}', [[true, value]]],
    );
  });

  it("rejects what has no JSON form", () => {
    const message = "ctx.json() got a value that has no JSON form";
    for (const value of [undefined, () => 1, Symbol("s")])
      assert.deepEqual(
        rejected(() => jsonText(value)),
        { code: "RESPONSE_VALUE", message },
      );
  });
});

describe("checkedText", () => {
  it("gives text back and rejects the rest by its kind", () => {
    assert.equal(checkedText("ctx.text()", ""), "");
    const said = (value: unknown): unknown => rejected(() => checkedText("ctx.text()", value));
    assert.deepEqual(said(1), { code: "RESPONSE_VALUE", message: "ctx.text() takes a string, not number" });
    assert.deepEqual(said(null), { code: "RESPONSE_VALUE", message: "ctx.text() takes a string, not null" });
    assert.deepEqual(said(later), { code: "RESPONSE_PROMISE", message: "ctx.text() got a promise: await it first" });
  });
});

describe("rejection", () => {
  it("names the call and what it takes", () => {
    assert.equal(
      rejection("ctx.send()", {}, "bytes or a stream").message,
      "ctx.send() takes bytes or a stream, not object",
    );
  });
});
