/** Which responses a handler's value becomes, which values are rejected, and the error that the handler sees (CTX). */
import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { describe, it } from "node:test";
import type { RequestContext } from "./request-context.ts";
import { checkedText, isStream, jsonText, kindOf, outgoing, rejection } from "./outgoing.ts";

const later = Promise.resolve(1);
const rejected = (run: () => unknown): unknown => {
  try {
    return run();
  } catch (error) {
    assert.ok(error instanceof TypeError);
    return { code: Reflect.get(error, "code"), message: error.message };
  }
};

async function* items(): AsyncGenerator<string> {
  yield "a";
}

class Own {
  readonly a = 1;
}

/** A value that is both async iterable and awaitable, as the queries of some libraries are. */
// eslint-disable-next-line unicorn/no-thenable
const query = Object.assign(items(), { then: () => undefined });
const locked = new ReadableStream();
locked.getReader();

describe("outgoing", () => {
  const json = "application/json";
  const bytes = "application/octet-stream";
  const ctx = { services: { warnLost: () => undefined } } as unknown as RequestContext;
  const values: Readonly<Record<string, readonly [value: unknown, kind: string, type?: string, body?: unknown]>> = {
    "an object": [{ a: 1 }, "text", json, '{"a":1}'],
    "a list": [[1], "text", json, "[1]"],
    "an object with a class": [new Own(), "text", json, '{"a":1}'],
    "an object without a prototype": [Object.create(null), "text", json, "{}"],
    null: [null, "text", json, "null"],
    "a text": ["text", "text", "text/plain; charset=utf-8", "text"],
    bytes: [new Uint8Array([1]), "bytes", bytes, new Uint8Array([1])],
    "an ArrayBuffer": [new Uint8Array([1]).buffer, "bytes", bytes, new Uint8Array([1])],
    "an object that is iterated asynchronously": [items(), "stream", bytes],
    "a list that is iterated asynchronously": [Object.assign([1], { [Symbol.asyncIterator]: items }), "stream", bytes],
    "a web stream": [new ReadableStream(), "stream", bytes],
    "a stream of Node's": [Readable.from(["a"]), "stream", bytes],
    "a Response": [new Response("a"), "response"],
    "a Blob": [new Blob(["a"]), "response"],
  };
  for (const [what, [value, kind, type, body]] of Object.entries(values))
    it(`sends ${what} as ${kind}`, () => {
      const out = outgoing(value, ctx);
      const isWhole = out.kind === "text" || out.kind === "bytes";
      assert.deepEqual(
        [out.kind, out.kind === "response" ? undefined : out.type, isWhole ? out.body : undefined],
        [kind, type, body],
      );
    });

  it("throws a returned error and rejects values that are not responses", () => {
    const error = new Error("returned");
    assert.throws(() => outgoing(error, ctx), error);
    assert.equal(Reflect.get(Object(rejected(() => outgoing(query, ctx))), "code"), "RESPONSE_PROMISE");
    assert.equal(Reflect.get(Object(rejected(() => outgoing(locked, ctx))), "code"), "RESPONSE_VALUE");
  });

  it("accepts text, bytes, a stream and nothing from a response hook", () => {
    const bodies = [undefined, "a", Buffer.from("a"), items(), new ReadableStream()];
    assert.deepEqual(bodies.map(kindOf), ["none", "text", "bytes", "stream", "stream"]);
    const message = "a response hook takes text, bytes, a stream or undefined as its body, not object";
    assert.deepEqual(
      rejected(() => kindOf({})),
      { code: "RESPONSE_VALUE", message },
    );
  });

  it("recognizes a web stream by its class when it is not iterable, and works without such a class", (t) => {
    const { ReadableStream: own } = globalThis;
    const iterated = Object.getOwnPropertyDescriptor(own.prototype, Symbol.asyncIterator) ?? {};
    t.after(() => {
      Object.defineProperty(own.prototype, Symbol.asyncIterator, iterated);
      Object.assign(globalThis, { ReadableStream: own });
    });
    assert.ok(Reflect.deleteProperty(own.prototype, Symbol.asyncIterator));
    assert.equal(isStream(new ReadableStream()), true);
    Object.assign(globalThis, { ReadableStream: undefined });
    assert.deepEqual([isStream({}), isStream(items())], [false, true]);
  });
});

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

  it("rejects a Map and other values that JSON writes as {}, and reports any other text with {} in it", () => {
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

  it("rejects values without a JSON form", () => {
    const message = "ctx.json() got a value that has no JSON form";
    for (const value of [undefined, () => 1, Symbol("s")])
      assert.deepEqual(
        rejected(() => jsonText(value)),
        { code: "RESPONSE_VALUE", message },
      );
  });
});

describe("checkedText", () => {
  it("gives text back and rejects other values by their kind", () => {
    assert.equal(checkedText("ctx.text()", ""), "");
    const said = (value: unknown): unknown => rejected(() => checkedText("ctx.text()", value));
    assert.deepEqual(said(1), { code: "RESPONSE_VALUE", message: "ctx.text() takes a string, not number" });
    assert.deepEqual(said(null), { code: "RESPONSE_VALUE", message: "ctx.text() takes a string, not null" });
    assert.deepEqual(said(later), { code: "RESPONSE_PROMISE", message: "ctx.text() got a promise: await it first" });
  });
});

describe("rejection", () => {
  it("names the call and its accepted types", () => {
    assert.equal(
      rejection("ctx.send()", {}, "bytes or a stream").message,
      "ctx.send() takes bytes or a stream, not object",
    );
  });
});
