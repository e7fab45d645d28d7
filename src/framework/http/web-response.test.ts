/** Unit tests of web-response.ts and of what a response is taken for (CTX). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { created } from "../testing/harness.testkit.ts";
import { LazyResponse } from "../index.ts";
import { isResponse, recordResponse } from "./web-response.ts";

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

/** What a web Response is recorded as, in turn. */
function recorded(response: Response): unknown[] {
  const calls: unknown[] = [];
  const note =
    (name: string) =>
    (...values: unknown[]) =>
      calls.push([name, ...values]);
  recordResponse(
    {
      ...{ status: note("status"), header: note("header"), appendHeader: note("append") },
      ...{ recordEmpty: note("empty"), text: note("text"), send: note("send") },
    },
    response,
  );
  return calls;
}

/** A response as `fetch` gives it: with an address. */
const fetched = (codings: string, url = "http://up/"): Response =>
  Object.defineProperty(new Response(null, { headers: { "Content-Encoding": codings, "X-A": "1" } }), "url", {
    value: url,
  });

describe("recordResponse", () => {
  test("CTX-018: is its head line by line, without what frames the message, and its body", () => {
    const body = new Response("text").body;
    const headers: [string, string][] = [
      ["Content-Length", "4"],
      ["Transfer-Encoding", "chunked"],
      ["Trailer", "X-End"],
      ["Connection", "X-Hop"],
      ["Keep-Alive", "timeout=5"],
      ["Set-Cookie", "a=1"],
      ["Set-Cookie", "b=2"],
      ["X-A", "1"],
      ["X-A", "2"],
    ];
    assert.deepEqual(recorded(new Response(body, { status: 201, headers })), [
      ["status", 201],
      ["header", "x-a", "1, 2"],
      ["append", "Set-Cookie", "a=1"],
      ["append", "Set-Cookie", "b=2"],
      ["send", body],
    ]);
    assert.deepEqual(recorded(new Response(null, { status: 204 })), [["status", 204], ["empty"]]);
    const bytes = Uint8Array.of(1);
    assert.deepEqual(recorded(new LazyResponse(bytes, { headers: { "Keep-Alive": "1", "Set-Cookie": "a=1" } })), [
      ["status", 200],
      ["append", "Set-Cookie", "a=1"],
      ["send", bytes],
    ]);
    assert.deepEqual(recorded(new LazyResponse("", { headers: { "Content-Type": "a/b" } })), [
      ["status", 200],
      ["header", "Content-Type", "a/b"],
      ["text", ""],
    ]);
  });

  test("is an error where its body was read, or has a reader", async () => {
    const used = new Response("a");
    await used.text();
    const locked = new Response("a");
    locked.body?.getReader();
    for (const response of [used, locked])
      assert.throws(() => recorded(response), {
        code: "RESPONSE_VALUE",
        message: /^the Response that the handler returned was read already/,
      });
  });

  test("is as it was fetched where it had no coding", () => {
    const plain = Object.defineProperty(new Response(null, { headers: { "X-A": "1" } }), "url", {
      value: "http://up/",
    });
    assert.deepEqual(recorded(plain), [["status", 200], ["header", "x-a", "1"], ["empty"]]);
  });

  const decoded: Readonly<Record<string, readonly [versions: object, codings: readonly string[]]>> = {
    "Node with an older fetch": [{ node: "22.0.0", undici: "7.10.9" }, ["gzip", "x-gzip", "br", "deflate"]],
    "Node with a fetch of an older major version": [{ undici: "6.99.0" }, ["gzip", "x-gzip", "br", "deflate"]],
    "Node with a fetch that knows zstd": [{ undici: "7.11.0" }, ["gzip", "x-gzip", "br", "deflate", "zstd"]],
    "Node with a newer fetch": [{ undici: "8.0.0" }, ["gzip", "x-gzip", "br", "deflate", "zstd"]],
    Bun: [{ bun: "1.3.0" }, ["gzip", "x-gzip", "br", "deflate", "zstd"]],
    Deno: [{ deno: "2.0.0" }, ["gzip", "x-gzip", "br"]],
    "a runtime that says no version": [{}, ["gzip", "x-gzip", "br", "deflate"]],
  };
  for (const [runtime, [versions, codings]] of Object.entries(decoded))
    test(`CTX-018: is without the codings that its client has undone: ${runtime}`, (t) => {
      const own = process.versions;
      t.after(() => void Object.defineProperty(process, "versions", { value: own }));
      Object.defineProperty(process, "versions", { value: versions, configurable: true });
      const isKept = (response: Response): boolean =>
        recorded(response).some((call) => Array.isArray(call) && call[1] === "content-encoding");
      const all = ["gzip", "x-gzip", "br", "deflate", "zstd", "compress", ""];
      assert.deepEqual(
        all.filter((coding) => !isKept(fetched(coding))),
        codings,
      );
      assert.deepEqual(
        ["GZIP ,Br", "gzip, compress"].map((coding) => isKept(fetched(coding))),
        [false, true],
      );
      assert.equal(isKept(fetched("gzip", "")), true);
      assert.deepEqual(recorded(fetched("gzip")), [["status", 200], ["header", "x-a", "1"], ["empty"]]);
    });
});

describe("isResponse, where the runtime has no Response", () => {
  test("takes nothing", (t) => {
    const own = globalThis.Response;
    t.after(() => void Object.assign(globalThis, { Response: own }));
    Object.assign(globalThis, { Response: undefined });
    assert.equal(isResponse({ [Symbol.toStringTag]: "Response" }), false);
  });
});
