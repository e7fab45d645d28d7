/** Unit tests of request-context.ts and body.ts: reading an exchange, and the orders in which its body can be read (CTX, ERR). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { BadRequestError } from "../internal/errors.ts";
import { routedPath } from "../routing/path.ts";
import type { Exchange } from "./exchange.ts";
import { RequestContext } from "./request-context.ts";
import type { ContextServices, RequestSettings, RouteTarget } from "./services.ts";
import { unrouted } from "./unrouted.testkit.ts";
import { trustOf } from "./trust.ts";

const settings: RequestSettings = { jsonDepth: 4, queryPairs: 2, trustProxy: false };
const json = { "content-type": "application/json; charset=utf-8" };
const form = { "content-type": "application/x-www-form-urlencoded; charset=utf-8" };

/** The parts of a request in these tests. */
interface Sent extends Partial<Exchange> {
  readonly fields?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | Error;
}

/** A reader of one request, and the limits used to read its body. */
function reading(
  { fields = {}, body = "", ...rest }: Sent,
  more: Partial<RequestSettings & RouteTarget> = {},
): { readonly reader: RequestContext; readonly limits: number[] } {
  const limits: number[] = [];
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const exchange = {
    method: "POST",
    target: "/",
    peer: "::ffff:10.0.0.1",
    secure: false,
    httpVersion: "1.1",
    platform: [],
    header: (name: string) => fields[name],
    headers: () => Object.entries(fields),
    read: (limit: number) => {
      limits.push(limit);
      return bytes instanceof Error ? Promise.reject(bytes) : Promise.resolve(bytes);
    },
    stream: (limit: number) => {
      limits.push(limit);
      return new Blob([bytes as Uint8Array<ArrayBuffer>]).stream();
    },
    ...rest,
  } as unknown as Exchange;
  return {
    reader: new RequestContext(
      exchange,
      { ...settings, ...more } as ContextServices,
      { ...unrouted, ...more },
      "/",
      true,
    ),
    limits,
  };
}

const readerOf = (sent: Sent, more?: Partial<RequestSettings & RouteTarget>): RequestContext =>
  reading(sent, more).reader;

/** The error that a call throws or rejects with. */
async function errorOf(
  act: () => unknown,
): Promise<{ readonly status?: number; readonly code?: string; message: string }> {
  try {
    await act();
  } catch (error) {
    return error as Error;
  }
  return assert.fail("nothing was thrown");
}

const textOf = async (stream: ReadableStream<Uint8Array>): Promise<string> => new Response(stream).text();

describe("RequestContext", () => {
  test("gives the path decoded, and compares prefixes with the path as a handler may read it", () => {
    const paths = ["/a/b", "/a//b", "//a", "/a%2Fb//c", "/a\\b"].map((path) => {
      const routed = routedPath(path) ?? "";
      const reader = new RequestContext(
        reading({}).reader.exchange,
        settings as ContextServices,
        unrouted,
        routed,
        routed === path,
      );
      return [reader.path, reader.readablePath, reader.readablePath];
    });
    assert.deepEqual(paths, [
      ["/a/b", "/a/b", "/a/b"],
      ["/a//b", "/a/b", "/a/b"],
      ["//a", "/a", "/a"],
      ["/a%2Fb//c", "/a/b/c", "/a/b/c"],
      ["/a\\b", "/a/b", "/a/b"],
    ]);
  });

  test("passes the engine's values on", () => {
    const platform = [{}];
    const reader = readerOf({ target: "/x?y=1", httpVersion: "2", platform, secure: true, method: "PUT" });
    assert.equal(reader.platform, platform);
    assert.deepEqual(
      [reader.method, reader.url, reader.search, reader.httpVersion, reader.scheme, reader.peerAddress, reader.host],
      ["PUT", "/x", "?y=1", "2", "https", "10.0.0.1", undefined],
    );
  });

  test("CTX-011: reads proxy headers only behind a trusted proxy", () => {
    const fields = { host: "a.example", "x-forwarded-for": "1.2.3.4", "x-forwarded-proto": "https" };
    const said = (trustProxy: RequestSettings["trustProxy"]): unknown => {
      const reader = readerOf({ fields }, { trustProxy });
      return [reader.remoteAddress, reader.scheme, reader.host];
    };
    assert.deepEqual(
      [said(false), said(trustOf(true))],
      [
        ["10.0.0.1", "http", "a.example"],
        ["1.2.3.4", "https", "a.example"],
      ],
    );
  });

  test("reads headers, cookies and the query once", () => {
    const reader = readerOf({ target: "/?a=1&a=2", fields: { cookie: "a=1; b=2", "x-a": "3" } });
    assert.deepEqual([reader.cookie("b"), { ...reader.cookies }], ["2", { a: "1", b: "2" }]);
    assert.deepEqual([reader.headerValues("X-A"), reader.headerValues("x")], [["3"], []]);
    assert.deepEqual([...reader.requestHeaders()].at(-1), ["x-a", "3"]);
    assert.equal(reader.query, reader.query);
    assert.deepEqual([reader.queryParam("a"), reader.queryParams("a"), reader.queryParams("b")], ["1", ["1", "2"], []]);
    assert.throws(() => readerOf({ target: "/?a&b&c" }).query, {
      status: 400,
      message: "the query has more than 2 parameters",
    });
  });
});

describe("ctx.overrideHeader", () => {
  test("changes and removes fields for inner code, and leaves cookies to the client", () => {
    const { reader } = reading({ fields: { "if-match": '"1"', cookie: "a=1", "x-a": "1" } });
    reader.overrideHeader("If-Match", undefined).overrideHeader("X-B", "2").overrideHeader("x-a", "3");
    reader.overrideHeader("cookie", "a=2");
    assert.deepEqual(
      [reader.header("if-match"), reader.header("x-B"), reader.headerValues("X-A"), reader.cookie("a")],
      [undefined, "2", ["3"], "1"],
    );
    assert.deepEqual([...reader.requestHeaders()].toSorted(), [
      ["cookie", "a=2"],
      ["x-a", "3"],
      ["x-b", "2"],
    ]);
    assert.throws(() => reader.overrideHeader("x-a", "a\nb"), { code: "HEADER_INVALID" });
  });
});

describe("the body of a request", () => {
  test("is read once, within the limit, and `bodyIfRead` gives its last form", async () => {
    const { reader, limits } = reading({ fields: json, body: '{"a":1}' });
    assert.equal(reader.bodyIfRead(), undefined);
    const bytes = await reader.bodyAsBytes();
    assert.deepEqual([reader.bodyIfRead(), await reader.bodyAsBytes()], [bytes, bytes]);
    assert.equal(await reader.bodyAsString(), '{"a":1}');
    assert.equal(reader.bodyIfRead(), '{"a":1}');
    const value = await reader.body();
    assert.deepEqual([value, reader.bodyIfRead(), await reader.body()], [{ a: 1 }, value, value]);
    assert.equal(await reader.bodyAsString(), '{"a":1}');
    assert.deepEqual([reader.bodyIfRead(), limits], [value, [100]]);
  });

  test("is the value that its type returns", async () => {
    const reader = readerOf({ fields: json, body: '{"a":1}' });
    assert.deepEqual(await reader.body((value: unknown) => [value]), [{ a: 1 }]);
    assert.deepEqual(await reader.body(), { a: 1 });
    assert.equal((await errorOf(() => reader.body(() => false))).status, 422);
  });

  test("is reported as bytes when it is not JSON", async () => {
    const reader = readerOf({ fields: json, body: "[" });
    assert.equal((await errorOf(() => reader.body())).message, "the body is not valid JSON: it ends too early");
    assert.deepEqual(reader.bodyIfRead(), new Uint8Array([91]));
    const other = readerOf({ fields: json, body: "[[[[[1]]]]]" });
    assert.equal((await errorOf(() => other.body())).message, "the body is nested too deeply");
  });

  test("is a form with at most as many fields as a query may have parameters", async () => {
    const reader = readerOf({ fields: form, body: "a=1&a=%C3%A9+" });
    assert.deepEqual({ ...(await reader.bodyAsForm()) }, { a: ["1", "é "] });
    assert.equal(reader.bodyIfRead(), "a=1&a=%C3%A9+");
    const more = await errorOf(() => readerOf({ fields: form, body: "a&b&c" }).bodyAsForm());
    assert.deepEqual([more.status, more.message], [400, "the form has more than 2 fields"]);
  });

  test("is 415 when its type is not the requested one", async () => {
    const of = async (fields: Readonly<Record<string, string>>): Promise<unknown> => {
      const errors = [errorOf(() => readerOf({ fields }).body()), errorOf(() => readerOf({ fields }).bodyAsForm())];
      return (await Promise.all(errors)).map(({ status, message }) => [status, message]);
    };
    const type = "application/x-www-form-urlencoded";
    assert.deepEqual(await of({}), [
      [415, "a JSON body needs Content-Type: application/json"],
      [415, `a form was expected: ${type}, not nothing`],
    ]);
    assert.deepEqual(await of({ "content-type": "x" }), [
      [415, "a JSON body was expected, not a malformed Content-Type"],
      [415, `a form was expected: ${type}, not a malformed Content-Type`],
    ]);
    assert.deepEqual(await of({ "content-type": "Text/HTML" }), [
      [415, "a JSON body was expected, not text/html"],
      [415, `a form was expected: ${type}, not text/html`],
    ]);
  });

  test("ERR-032: is 415 in an unsupported charset when it is read as text", async () => {
    const ways: readonly (readonly [type: string, read: (reader: RequestContext) => Promise<unknown>])[] = [
      ["application/json", (reader) => reader.body()],
      ["application/x-www-form-urlencoded", (reader) => reader.bodyAsForm()],
      ["text/plain", (reader) => reader.bodyAsString()],
    ];
    const parameters: Readonly<Record<string, number>> = {
      "charset=utf-16": 415,
      'a=b ;	Charset="UTF-16"': 415,
      "charset=utf-8; charset=iso-8859-1": 415,
      "charset=utf-80": 415,
      "charset=utf-8": 200,
      'charset="UTF8" ; a=b': 200,
      "charset=us-ascii": 200,
      "xcharset=utf-16": 200,
    };
    for (const [type, read] of ways)
      for (const [parameter, status] of Object.entries(parameters)) {
        const reader = readerOf({ fields: { "content-type": `${type};${parameter}` }, body: "1" });
        const seen = status === 200 ? await read(reader).then(() => 200) : (await errorOf(() => read(reader))).status;
        assert.equal(seen, status, `${type};${parameter}`);
      }
    const bytes = readerOf({ fields: { "content-type": "text/plain; charset=utf-16" }, body: "1" });
    assert.deepEqual(await bytes.bodyAsBytes(), Uint8Array.of(0x31));
  });

  test("is 400 when the Content-Type lines differ, in every way of reading", async () => {
    const sent: Sent = { hasTwoTypes: true, fields: json, body: "1" };
    const ways: readonly ((reader: RequestContext) => unknown)[] = [
      (reader) => reader.body(),
      (reader) => reader.bodyAsForm(),
      (reader) => reader.bodyAsString(),
      (reader) => reader.bodyAsBytes(),
      (reader) => reader.bodyAsStream(),
    ];
    for (const way of ways) {
      const { status, message } = await errorOf(() => way(readerOf(sent)));
      assert.deepEqual([status, message], [400, "the Content-Type lines differ: a request has one Content-Type"]);
    }
  });

  test("is read either as a stream or in the other ways, not both", async () => {
    const { reader, limits } = reading({ body: "abc" });
    const stream = reader.bodyAsStream();
    const asStream = "the body is being read as a stream: it cannot be read in another way then";
    for (const read of [() => reader.bodyAsBytes(), () => reader.bodyAsString()]) {
      const { code, message } = await errorOf(read);
      assert.deepEqual([code, message], ["BODY_READ", asStream]);
    }
    const already = "the body was read already: call bodyAsStream() first, and nothing else then";
    const twice = await errorOf(() => reader.bodyAsStream());
    assert.deepEqual([twice.code, twice.message], ["BODY_READ", already]);
    assert.deepEqual([await textOf(stream), limits, reader.bodyIfRead()], ["abc", [100], undefined]);
    const read = readerOf({ body: "abc" });
    await read.bodyAsBytes();
    assert.equal((await errorOf(() => read.bodyAsStream())).message, already);
  });

  test("ERR-023: is decoded in every way of reading, unless it was decoded already", async () => {
    const fields = { ...json, "content-encoding": "gzip" };
    const body = gzipSync("[1]");
    assert.deepEqual(await readerOf({ fields, body }).body(), [1]);
    assert.equal(await readerOf({ fields, body }).bodyAsString(), "[1]");
    assert.equal(await textOf(readerOf({ fields, body }).bodyAsStream()), "[1]");
    assert.equal(await readerOf({ fields, body: "[1]", isBodyDecoded: true }).bodyAsString(), "[1]");
    assert.equal(await textOf(readerOf({ fields, body: "[1]", isBodyDecoded: true }).bodyAsStream()), "[1]");
    const limited = { bodyLimit: 2 };
    assert.equal((await errorOf(() => readerOf({ fields, body }, limited).bodyAsBytes())).status, 413);
    assert.equal((await errorOf(() => textOf(readerOf({ fields, body }, limited).bodyAsStream()))).status, 413);
  });

  test("has the limit that the caller of bodyAsBytes() gives, if nothing has read it", async () => {
    const fields = { "content-encoding": "gzip" };
    const zipped = { fields, body: gzipSync("123456") };
    const within = (sent: Sent, bodyLimit: number, maxBytes?: number): Promise<Uint8Array> =>
      readerOf(sent, { bodyLimit }).bodyAsBytes({ maxBytes });
    assert.equal((await within(zipped, 2, 100)).length, 6);
    assert.equal((await errorOf(() => within(zipped, 100, 5))).status, 413);
    assert.equal((await errorOf(() => within(zipped, 2))).status, 413);
    const read: (readonly number[])[] = [];
    for (const isReadBefore of [false, true]) {
      const { reader, limits } = reading({ body: "123456" });
      if (isReadBefore) await reader.bodyAsString();
      await reader.bodyAsBytes({ maxBytes: 7 });
      read.push(limits);
    }
    assert.deepEqual(read, [[7], [100]]);
  });

  test("ERR-027: is 415 in an unsupported coding and is not read", async () => {
    const { reader, limits } = reading({ fields: { ...json, "content-encoding": "compress" } });
    for (const read of [() => reader.bodyAsStream(), () => reader.body(), () => reader.bodyAsBytes()])
      assert.equal((await errorOf(read)).status, 415);
    assert.deepEqual(limits, []);
  });

  test("causes no unhandled rejection when it is not awaited, for any error", async () => {
    const unhandled: unknown[] = [];
    const listener = (reason: unknown): void => void unhandled.push(reason);
    process.on("unhandledRejection", listener);
    try {
      const broken: readonly Sent[] = [
        { fields: json, body: new BadRequestError("cut") },
        { fields: json, body: "{" },
        { fields: form, body: new BadRequestError("cut") },
        { fields: form, body: new Uint8Array([0xff]) },
        { fields: { ...json, "content-encoding": "gzip" }, body: "x" },
        { fields: { ...json, "content-encoding": "compress" } },
        { fields: {}, hasTwoTypes: true },
      ];
      for (const sent of broken) {
        void readerOf(sent).body();
        void readerOf(sent).body(() => false);
        void readerOf(sent).bodyAsForm();
        void readerOf(sent).bodyAsString();
        void readerOf(sent).bodyAsBytes();
      }
      for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(unhandled, []);
    } finally {
      process.off("unhandledRejection", listener);
    }
  });
});
