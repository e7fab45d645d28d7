/** Unit tests of web-response.ts and of what a response is taken for (CTX). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { created } from "../testing/harness.test.ts";
import { isResponse } from "./web-response.ts";

describe("isResponse", () => {
  test("takes a Response, and one of a class of the app's own", () => {
    class Own extends Response {}
    assert.deepEqual([isResponse(new Response()), isResponse(new Own())], [true, true]);
  });

  test("takes nothing that only looks like one", () => {
    const values = [undefined, null, "Response", {}, { [Symbol.toStringTag]: "Response" }, new Map()];
    assert.deepEqual(values.map(isResponse), [false, false, false, false, false, false]);
  });
});

describe("a response", () => {
  const kinds: Readonly<Record<string, readonly [unknown, string, string]>> = {
    "an object is JSON": [{ a: 1 }, "application/json", '{"a":1}'],
    "a list is JSON": [[1, 2], "application/json", "[1,2]"],
    "an object without a prototype is JSON": [
      Object.assign(Object.create(null), { a: 1 }),
      "application/json",
      '{"a":1}',
    ],
    "an object with a class is JSON": [
      new (class {
        readonly a = 1;
      })(),
      "application/json",
      '{"a":1}',
    ],
    "a number is JSON": [7, "application/json", "7"],
    "null is JSON": [null, "application/json", "null"],
    "a plain object that can be iterated asynchronously is a stream": [
      { [Symbol.asyncIterator]: () => chunks() },
      "application/octet-stream",
      "ab",
    ],
  };
  for (const [title, [value, type, body]] of Object.entries(kinds))
    test(title, async () => {
      const { app } = created();
      const response = await app.get("/", () => value).fetch(new Request("http://h/"));
      assert.deepEqual([response.headers.get("content-type"), await response.text()], [type, body]);
    });
});

async function* chunks(): AsyncGenerator<string> {
  yield "a";
  yield "b";
}
