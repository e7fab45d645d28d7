/**
 * Bodies: how a body is shown, by its type, its size and whether it is known at all.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Completion, Context } from "framework";
import { asRecorded, Beginning, headerOf, isShownLater, messageBody, requestBody, responseBody } from "./bodies.ts";
import { KnownSecrets } from "../secrets/known.ts";
import { plainSnapshots } from "../plain-snapshots.testkit.ts";
import { createRedactor } from "../redact.ts";
import { decoded } from "../../run/values.ts";
import type { Json } from "../../run/shapes.ts";

const redactor = createRedactor({});
const tools = { redactor, snapshots: plainSnapshots(redactor) };

const contextOf = (given: { body?: unknown; type?: string }): Context => {
  const ctx: unknown = {
    bodyIfRead: () => given.body,
    header: (name: string) => (name === "content-type" ? given.type : undefined),
  };
  return ctx as Context;
};
const request = (body: unknown, type?: string): Json =>
  requestBody(contextOf(type === undefined ? { body } : { body, type }), tools).json;

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
  responseBody(completion(given), method, new Beginning(), tools).json;
/** The body of a response that is sent in these pieces. */
const pieces = (headers: readonly string[], ...chunks: readonly (string | Uint8Array)[]): Json => {
  const beginning = new Beginning();
  for (const chunk of chunks) beginning.take(chunk);
  const sent = chunks.reduce((sum, chunk) => sum + Buffer.byteLength(chunk), 0);
  return responseBody(completion({ headers, bytes: sent }), "GET", beginning, tools).json;
};
const typed = (type: string, ...more: string[]): readonly string[] => ["Content-Type", type, ...more];
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const large = `"${"é".repeat(262_144)}"`;

describe("requestBody", () => {
  it("is empty when the application read nothing", () => assert.equal(request(undefined), null));
  it("shows the parsed value, with secrets replaced", () =>
    assert.deepEqual(
      [request({ user: "ada", password: "x" }), request({ a: [1] }, "application/json")],
      [{ user: "ada", password: "[redacted]" }, { a: [1] }],
    ));
  it("shows JSON text as JSON", () => {
    assert.deepEqual(request('{"a":[1],"token":"x"}', "Application/JSON; charset=utf-8"), {
      a: [1],
      token: "[redacted]",
    });
    assert.deepEqual(request('{"a":1}', "application/problem+json"), { a: 1 });
  });
  it("shows invalid JSON as text", () => assert.equal(request("{", "application/json"), "{"));
  it("TRACE-012: shows the bytes of an unparsed text as the text, secrets replaced, and other bytes by their size", () => {
    const shown = (text: string, type?: string): Json => request(bytes(text), type);
    assert.equal(shown('{"a":1,"password":"hunter2","b":', "application/json"), '{"a":1,"password":"[redacted]","b":');
    assert.deepEqual(shown('{"a":[1]}', "application/json; charset=utf-8"), { a: [1] });
    assert.equal(shown("a=1&token=x", "application/x-www-form-urlencoded"), "a=1&token=[redacted]");
    assert.equal(shown("<pin>1</pin>", "application/soap+xml"), "<pin>[redacted]</pin>");
    assert.deepEqual(shown(`{${"x".repeat(20_000)}`, "application/json"), {
      $string: `{${"x".repeat(16_383)}`,
      $truncated: 3_617,
    });
    assert.equal(request(Uint8Array.of(0x7b, 0xff), "application/json"), "{\ufffd");
    for (const type of [undefined, "image/png", "multipart/form-data"])
      assert.deepEqual(shown("{", type), { $bytes: 1 });
    assert.deepEqual(shown("x".repeat(262_145), "application/json"), { $bytes: 262_145 });
  });
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
  it("shows other text as text, of any length", () => {
    const long = "x".repeat(262_145);
    assert.deepEqual([request("{}", "text/plain"), request("{}")], ["{}", "{}"]);
    assert.deepEqual(request(long, "text/plain"), { $string: long.slice(0, 16_384), $truncated: 262_145 - 16_384 });
  });
  it("replaces the secret values of a form, in any encoding of their names", () => {
    const form = "user=ada&password=a=b&pass%77ord=x&%zz=1&flag&passwords";
    assert.equal(
      request(form, "application/x-www-form-urlencoded"),
      "user=ada&password=[redacted]&pass%77ord=[redacted]&%zz=1&flag&passwords",
    );
  });
  it("TRACE-041: remembers the secret values of a form decoded", () => {
    const secrets = new KnownSecrets();
    const kept = createRedactor({});
    kept.secrets = secrets;
    const form = contextOf({ body: "password=a+b%26c-d&user=ada-lovelace", type: "application/x-www-form-urlencoded" });
    assert.equal(requestBody(form, { ...tools, redactor: kept }).json, "password=[redacted]&user=ada-lovelace");
    assert.equal(secrets.text("a b&c-d ada-lovelace"), "[redacted] ada-lovelace");
  });
  it("shows a form at the bound", () => {
    const form = `a=${"x".repeat(262_142)}`;
    assert.deepEqual(request(form, "application/x-www-form-urlencoded"), {
      $string: form.slice(0, 16_384),
      $truncated: 262_144 - 16_384,
    });
  });
  it("recognises a type with spaces and parameters", () => {
    assert.deepEqual(request("{}", " application/JSON ;x=1"), {});
    assert.equal(request("{}", "application/jsonp"), "{}");
  });
  it("shows only the size of a form that is too large to search", () => {
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
  it("shows the size of a streamed body", () => assert.deepEqual(response({ bytes: 9 }), { $bytes: 9 }));
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

describe("responseBody at its bounds", () => {
  it("reads bytes up to its bound for JSON, and a text of any length", () => {
    const body = bytes("x".repeat(262_144));
    const cut = { $string: "x".repeat(16_384), $truncated: 262_144 - 16_384 };
    assert.deepEqual(response({ body, headers: typed("text/plain") }), cut);
    assert.deepEqual(
      response({ body: "x".repeat(262_144), headers: typed("text/plain", "content-encoding", "gzip") }),
      cut,
    );
    assert.deepEqual(response({ body: bytes("[1]"), headers: typed("application/hal+json") }), [1]);
    assert.deepEqual(response({ body: "x" }), "x");
  });
  it("counts the memory of a size, and none for no body", () => {
    const sizeOf = (given: Partial<Completion>): number =>
      responseBody(completion(given), "GET", undefined, tools).bytes;
    assert.deepEqual([sizeOf({ bytes: 9 }), sizeOf({}), sizeOf({ body: "ab" })], [64, 0, 18]);
  });
});

describe("messageBody", () => {
  const message = (data: unknown): Json => messageBody(data, tools).json;
  it("shows JSON as its value, other text as text, bytes by their size", () => {
    assert.deepEqual(
      [
        message(' \n{"password":"x"}'),
        message("[1]"),
        message("1"),
        message("a {"),
        message(new Uint8Array(3)),
        message(undefined),
      ],
      [{ password: "[redacted]" }, [1], "1", "a {", { $bytes: 3 }, null],
    );
    assert.equal(message('"[1"'), '"[1"');
    assert.deepEqual([message({ token: "x" }), message("{no"), message(7)], [{ token: "[redacted]" }, "{no", 7]);
  });
});

describe("isShownLater", () => {
  it("is true for no body and for a text that is not too long", () => {
    const given = [undefined, "", "x".repeat(262_144), "x".repeat(262_145), new Uint8Array(1)];
    assert.deepEqual(given.map(isShownLater), [true, true, true, false, false]);
  });
});

describe("asRecorded", () => {
  const coded = completion({
    body: bytes("zip"),
    headers: ["A", "content-encoding", "Content-Encoding", "gzip", "B", "1"],
  });
  it("has the body before it was encoded, without the Content-Encoding header", () => {
    assert.deepEqual(asRecorded(coded, "text"), {
      ...coded,
      body: "text",
      headers: ["A", "content-encoding", "B", "1"],
    });
  });
  it("has the sent body if nothing was encoded or recorded", () => {
    const plain = completion({ body: "other" });
    const none = completion({ headers: coded.headers });
    assert.equal(asRecorded(plain, "text"), plain);
    assert.equal(asRecorded(coded, undefined), coded);
    assert.equal(asRecorded(coded, coded.body), coded);
    assert.equal(asRecorded(none, "text"), none);
  });
});

describe("decoded", () => {
  it("decodes once, and leaves malformed text unchanged", () =>
    assert.deepEqual([decoded("%2541"), decoded("%zz")], ["%41", "%zz"]));
});

describe("headerOf", () => {
  it("finds the first value, in any case of the name", () =>
    assert.equal(headerOf(["A", "1", "X-Y", "2", "x-y", "3"], "x-y"), "2"));
  it("does not take a value for a name", () => assert.equal(headerOf(["a", "x-y", "b"], "x-y"), undefined));
});

describe("a body that is sent in pieces", () => {
  const json = typed("application/json");
  const long = `{"list":"${"é".repeat(9_000)}`;
  const cases: Readonly<Record<string, readonly [shown: Json, expected: Json]>> = {
    "JSON as its value, secrets replaced": [
      pieces(json, '{"a":1,', bytes('"password":"x"}')),
      { a: 1, password: "[redacted]" },
    ],
    "a text as itself": [pieces(typed("text/html"), "<p>", "hi"), "<p>hi"],
    "events as text": [pieces(typed("text/event-stream"), "data: 1\n\n", "data: 2\n\n"), "data: 1\n\ndata: 2\n\n"],
    "a character that two pieces share": [
      pieces(typed("text/plain"), bytes("é").subarray(0, 1), bytes("é").subarray(1)),
      "é",
    ],
    "what is no UTF-8 by its size": [pieces(typed("text/plain"), new Uint8Array([0xff, 0xfe])), { $bytes: 2 }],
    "a text at the bound whole": [pieces(typed("text/plain"), "x".repeat(16_383), "y"), `${"x".repeat(16_383)}y`],
    "the beginning of one byte more": [
      pieces(typed("text/plain"), bytes("x".repeat(16_384)), "y"),
      { $string: "x".repeat(4_096), $truncated: 12_289 },
    ],
    "the beginning of one long piece": [
      pieces(typed("text/plain"), bytes("x".repeat(20_000))),
      { $string: "x".repeat(4_096), $truncated: 20_000 - 4_096 },
    ],
    "lines of JSON as text": [pieces(typed("application/x-ndjson"), '{"a":1}\n'), '{"a":1}\n'],
    "a sequence of JSON as text": [pieces(typed("application/json-seq"), "\u001E1\n"), "\u001E1\n"],
    "a type of its own in JSON": [pieces(typed("application/hal+json"), "[1]"), [1]],
    "other bytes by their size": [pieces(typed("image/png"), new Uint8Array(3)), { $bytes: 3 }],
    "an encoded body by its size": [pieces(typed("text/plain", "Content-Encoding", "gzip"), "abc"), { $bytes: 3 }],
    "the beginning of a long one": [
      pieces(json, long.slice(0, 5_000), long.slice(5_000)),
      { $string: long.slice(0, 4_096), $truncated: Buffer.byteLength(long.slice(4_096)) },
    ],
    "no secret that goes on past the cut": [
      pieces(typed("text/plain"), "x".repeat(4_085), ` password=${"s".repeat(20_000)}`),
      { $string: `${"x".repeat(4_085)} password=[redacted]`, $truncated: 20_010 + 4_085 - 4_096 },
    ],
  };
  for (const [what, [shown, expected]] of Object.entries(cases))
    it(`TRACE-046: shows ${what}`, () => assert.deepEqual(shown, expected));

  it("TRACE-046: keeps the first 16 KiB at most", () => {
    const beginning = new Beginning();
    const sizes = ["x".repeat(10_000), bytes("y".repeat(10_000)), "z", bytes("z")].map((chunk) => {
      beginning.take(chunk);
      return beginning.bytes;
    });
    assert.deepEqual(sizes, [10_000, 16_384, 16_384, 16_384]);
    assert.equal(beginning.text(), "x".repeat(10_000) + "y".repeat(6_384));
    const cut = new Beginning();
    cut.take(`${"x".repeat(16_383)}é`);
    assert.deepEqual([cut.bytes, cut.text()], [16_384, "x".repeat(16_383)]);
  });

  it("TRACE-046: counts the memory of a beginning", () => {
    const beginning = new Beginning();
    beginning.take("x".repeat(5_000));
    const given = completion({ headers: typed("text/plain"), bytes: 50_000 });
    assert.equal(responseBody(given, "GET", beginning, tools).bytes, 4_096 + 64);
  });

  it("TRACE-046: without a beginning its size is shown", () => {
    const given = completion({ headers: json, bytes: 5 });
    assert.deepEqual(responseBody(given, "GET", undefined, tools).json, { $bytes: 5 });
  });

  it("TRACE-046: keeps the sent bytes, though the buffer is used again", () => {
    const beginning = new Beginning();
    const buffer = bytes("one");
    beginning.take(buffer);
    buffer.fill(0);
    assert.equal(beginning.text(), "one");
  });
});
