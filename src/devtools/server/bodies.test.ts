/**
 * Bodies: how a body is shown, by its type, its size and whether it is known at all.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Completion, Context } from "framework";
import { headerOf, requestBody, responseBody } from "./bodies.ts";
import { createRedactor } from "./redact.ts";
import { decoded } from "./secret-texts.ts";
import { Snapshotter } from "./snapshot.ts";
import type { Json } from "../wire.ts";

const redactor = createRedactor({});
const limits = { stringChars: 16_384, depth: 8, items: 100, nodes: 5_000, snapshotBytes: 262_144 };
const snapshots = new Snapshotter({
  limits,
  redactor,
  forms: new Map(),
  nameOf: () => undefined,
  quietly: (run) => run(),
});

const contextOf = (given: { body?: unknown; type?: string; method?: string }): Context => {
  const ctx: unknown = {
    method: given.method ?? "POST",
    bodyIfRead: () => given.body,
    header: (name: string) => (name === "content-type" ? given.type : undefined),
  };
  return ctx as Context;
};
const request = (body: unknown, type?: string): Json =>
  requestBody(contextOf(type === undefined ? { body } : { body, type }), snapshots, redactor).json;

const completion = (given: Partial<Completion>): Completion => ({
  status: 200,
  bytes: 0,
  durationMs: 1,
  aborted: false,
  error: undefined,
  headers: [],
  body: undefined,
  ...given,
});
const response = (given: Partial<Completion>, method = "GET"): Json =>
  responseBody(completion(given), contextOf({ method }), snapshots, redactor).json;
const typed = (type: string, ...more: string[]): readonly string[] => ["Content-Type", type, ...more];
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const large = `"${"é".repeat(262_144)}"`;

describe("requestBody", () => {
  it("is empty when the application read nothing", () => assert.equal(request(undefined), null));
  it("shows what the application parsed, secrets replaced", () =>
    assert.deepEqual(request({ user: "ada", password: "x" }), { user: "ada", password: "[redacted]" }));
  it("shows JSON text as JSON", () => {
    assert.deepEqual(request('{"a":[1],"token":"x"}', "Application/JSON; charset=utf-8"), {
      a: [1],
      token: "[redacted]",
    });
    assert.deepEqual(request('{"a":1}', "application/problem+json"), { a: 1 });
  });
  it("shows JSON that is none as text", () => assert.equal(request("{", "application/json"), "{"));
  it("shows the size of JSON too large to parse", () =>
    assert.deepEqual(request(large, "application/json"), { $bytes: 524_290 }));
  it("counts the bytes of JSON, not its characters", () =>
    assert.deepEqual(
      [
        request(`"${"é".repeat(131_072)}"`, "application/json"),
        request(`"${"x".repeat(262_142)}"`, "application/json"),
      ],
      [{ $bytes: 262_146 }, { $string: "x".repeat(16_384), $truncated: 262_142 - 16_384 }],
    ));
  it("shows other text as text", () => assert.deepEqual([request("{}", "text/plain"), request("{}")], ["{}", "{}"]));
  it("replaces the secret values of a form, whichever way their names are written", () => {
    const form = "user=ada&password=a=b&pass%77ord=x&%zz=1&flag";
    assert.equal(
      request(form, "application/x-www-form-urlencoded"),
      "user=ada&password=[redacted]&pass%77ord=[redacted]&%zz=1&flag",
    );
  });
  it("shows nothing of a form too large to look through", () => {
    assert.equal(request(`a=${"x".repeat(262_144)}`, "application/x-www-form-urlencoded"), "[redacted]");
  });
});

describe("responseBody", () => {
  it("TRACE-016: is null for HEAD, for no body and for an empty one", () => {
    assert.deepEqual(
      [
        response({ body: "x", bytes: 1 }, "HEAD"),
        response({}),
        response({ body: "" }),
        response({ body: new Uint8Array() }),
      ],
      [null, null, null, null],
    );
  });
  it("shows the size of what was streamed", () => assert.deepEqual(response({ bytes: 9 }), { $bytes: 9 }));
  it("shows text by its type", () => {
    assert.deepEqual(response({ body: '{"a":1}', headers: typed("application/json") }), { a: 1 });
    assert.equal(response({ body: '{"a":1}', headers: typed("text/html; charset=utf-8") }), '{"a":1}');
  });
  it("reads the bytes of JSON and text", () => {
    assert.deepEqual(response({ body: bytes('{"a":"é"}'), headers: typed("application/json") }), { a: "é" });
    assert.equal(response({ body: bytes("é"), headers: typed("text/plain") }), "é");
  });
  it("TRACE-015: shows the size of other bytes, of encoded ones and of too many", () => {
    assert.deepEqual(response({ body: bytes("abc"), headers: typed("image/png") }), { $bytes: 3 });
    assert.deepEqual(response({ body: bytes("abc") }), { $bytes: 3 });
    assert.deepEqual(response({ body: bytes("abc"), headers: typed("text/plain", "content-encoding", "gzip") }), {
      $bytes: 3,
    });
    assert.deepEqual(response({ body: bytes(large), headers: typed("text/plain") }), { $bytes: 524_290 });
  });
});

describe("decoded", () => {
  it("decodes once, and leaves alone what cannot be", () =>
    assert.deepEqual([decoded("%2541"), decoded("%zz")], ["%41", "%zz"]));
});

describe("headerOf", () => {
  it("finds the first value, whatever the name's case", () =>
    assert.equal(headerOf(["A", "1", "X-Y", "2", "x-y", "3"], "x-y"), "2"));
  it("finds no name in the place of a value", () => assert.equal(headerOf(["a", "x-y", "b"], "x-y"), undefined));
});
