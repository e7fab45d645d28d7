/** Unit tests of web-response.ts and of the values that count as a response (CTX). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { created, serving, until } from "../testing/harness.testkit.ts";
import { CompressionMiddleware, CorsMiddleware, EtagMiddleware, LazyResponse, RequestIdMiddleware } from "../index.ts";
import { decidesCors } from "./headers.ts";
import { ResponseBody } from "./response-body.ts";
import { recordResponse } from "./web-response.ts";
import { isResponse } from "./web-values.ts";

describe("isResponse", () => {
  test("accepts a Response, and one of the app's own class", () => {
    class Own extends Response {}
    assert.deepEqual([isResponse(new Response()), isResponse(new Own())], [true, true]);
  });

  test("accepts one of a library, by its tag or by its members", () => {
    const like = { status: 200, headers: new Headers(), body: null };
    const tagged = { ...like, [Symbol.toStringTag]: "Response" };
    assert.deepEqual([tagged, { ...like, bodyUsed: false, arrayBuffer: () => like }].map(isResponse), [true, true]);
  });

  test("rejects objects that only look like one", () => {
    const like = { status: 200, headers: new Headers(), body: null };
    const tag = { [Symbol.toStringTag]: "Response" };
    const values = [
      undefined,
      null,
      "Response",
      {},
      tag,
      new Map(),
      like,
      { ...like, ...tag, status: "200" },
      { ...like, ...tag, headers: {} },
      { ...like, ...tag, headers: null },
      { status: 200, headers: [], ...tag },
    ];
    assert.deepEqual(values.filter(isResponse), []);
  });

  test("does not make a Response of a lazy one", (t) => {
    const own = globalThis.Response;
    const lazy = new LazyResponse("text");
    t.after(() => void Object.assign(globalThis, { Response: own }));
    Object.assign(globalThis, { Response: undefined });
    assert.deepEqual([isResponse(lazy), recorded(lazy).at(-1)], [true, ["text", "text"]]);
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

/** The state when it is recorded. */
interface Given {
  readonly method?: string;
  /** Header fields by lower-case name. */
  readonly set?: Readonly<Record<string, string>>;
  readonly attributes?: Readonly<Record<string | symbol, unknown>>;
}

/** A log of the recording of a web Response. */
function recorded(response: Response, { method = "GET", set = {}, attributes = {} }: Given = {}): unknown[][] {
  const calls: unknown[][] = [];
  const note =
    (name: string) =>
    (...values: unknown[]) =>
      calls.push([name, ...values.map((value) => (value instanceof ResponseBody ? "its body" : value))]);
  recordResponse(
    {
      status: note("status"),
      setHeader: note("header"),
      appendHeader: note("append"),
      recordEmpty: note("empty"),
      text: note("text"),
      send: note("send"),
      method,
      responseHeader: (name) => set[name],
      attribute: (name) => attributes[name],
    },
    response,
  );
  return calls;
}

/** A response as `fetch` gives it, with a URL. */
const fetched = (codings: string, url = "http://up/"): Response =>
  Object.defineProperty(new Response(null, { headers: { "Content-Encoding": codings, "X-A": "1" } }), "url", {
    value: url,
  });

describe("recordResponse", () => {
  test("records its head line by line without framing headers, and its body", () => {
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
      ["header", "Content-Length", "4"],
      ["send", "its body"],
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

  test("keeps the request id and the CORS decision, and adds to Vary", () => {
    const headers = { "Access-Control-Allow-Origin": "*", "X-Id": "theirs", Vary: "Accept, Origin", "X-A": "1" };
    const set = { "x-id": "ours", vary: "Cookie, Origin" };
    const fields = (attributes: Given["attributes"] = {}): unknown =>
      recorded(new Response(null, { headers }), { set, attributes })
        .filter(([name]) => name === "header")
        .map(([, ...field]) => field.join(": "));
    const vary = "vary: Accept, Origin, Cookie";
    assert.deepEqual(fields({ requestId: "ours", [decidesCors]: true }), [vary, "x-a: 1"]);
    assert.deepEqual(fields(), ["access-control-allow-origin: *", vary, "x-a: 1", "x-id: theirs"]);
  });

  test("escapes each byte of a URL outside ASCII", () => {
    const { headers } = new Response(null, {
      headers: { Location: "/\xc3\xbc", "Content-Location": "/a", "X-A": "\xfc" },
    });
    assert.deepEqual(recorded(new Response(null, { headers })).slice(1, -1), [
      ["header", "content-location", "/a"],
      ["header", "location", "/%C3%BC"],
      ["header", "x-a", "\xfc"],
    ]);
  });

  test("has GET's length for HEAD", () => {
    const head = new Response(null, { headers: { "Content-Length": "7" } });
    assert.deepEqual(recorded(head, { method: "HEAD" }), [
      ["status", 200],
      ["header", "Content-Length", "7"],
      ["send", "its body"],
    ]);
    assert.deepEqual(recorded(new Response(null), { method: "HEAD" }), [["status", 200], ["empty"]]);
    assert.deepEqual(recorded(head), [["status", 200], ["empty"]]);
  });

  test("accepts the cookies and bodies of other libraries", () => {
    const other = (body: unknown): Response =>
      ({ status: 200, headers: new Map([["Set-Cookie", "a=1"]]), body, bodyUsed: false }) as never;
    const cookie = ["append", "Set-Cookie", "a=1"];
    const of = (body: unknown): unknown => recorded(other(body)).slice(1);
    assert.deepEqual(of(undefined), [cookie, ["empty"]]);
    assert.deepEqual(of("text"), [cookie, ["text", "text"]]);
    assert.deepEqual(of(Uint8Array.of(1)), [cookie, ["send", Uint8Array.of(1)]]);
    assert.deepEqual(of(chunks()), [cookie, ["send", "its body"]]);
    assert.throws(() => recorded(other(1)), { code: "RESPONSE_VALUE" });
  });

  test("is an error when its body was read, or has a reader", async () => {
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

  test("stays as it was fetched when it had no coding", () => {
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
    test(`drops the codings that its client has decoded: ${runtime}`, (t) => {
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

/** Over HTTP: the status, the fields under test, and the text. */
async function seen(url: string, init: RequestInit = {}): Promise<unknown> {
  const response = await fetch(url, { ...init, headers: { "Accept-Encoding": "gzip", ...init.headers } });
  const names = ["etag", "content-encoding", "content-length", "content-type", "transfer-encoding"];
  const fields = names.map((name) => response.headers.get(name));
  return [response.status, ...fields, await response.text()];
}

describe("a returned Response", () => {
  /** A Response as `undici` from npm and GraphQL Yoga have it. */
  class Other {
    readonly status = 201;
    readonly bodyUsed = false;
    readonly headers: Headers = new Headers([
      ["Set-Cookie", "a=1"],
      ["Set-Cookie", "b=2"],
      ["Content-Type", "text/x"],
    ]);
    readonly body: ReadableStream = new Response("other").body ?? assert.fail("it has no body");
    arrayBuffer = (): never => assert.fail("its body is read as a stream");
  }

  const like = (value: unknown, method = "GET"): Promise<unknown> =>
    serving(
      (app) =>
        app
          .use(new CompressionMiddleware())
          .use(new EtagMiddleware())
          .get("/", () => (typeof value === "function" ? value() : value) as unknown),
      async ({ app }) => {
        const first = await seen(app.url, { method });
        const etag = String((first as unknown[])[1]);
        return [first, await seen(app.url, { method, headers: { "If-None-Match": etag } })];
      },
    );

  const long = "long ".repeat(1_000);
  const same: Readonly<Record<string, readonly [response: () => unknown, value: unknown]>> = {
    "of JSON": [() => Response.json({ a: 1 }), { a: 1 }],
    "of a long text": [() => new Response(long, { headers: { "Content-Type": "text/plain; charset=utf-8" } }), long],
    "of bytes, with a length that is false": [
      () => new Response(Uint8Array.of(1, 2), { headers: { "Content-Length": "7" } }),
      Uint8Array.of(1, 2),
    ],
    "that is a Blob": [() => new Blob([Uint8Array.of(1, 2)]), Uint8Array.of(1, 2)],
    "that is an ArrayBuffer": [() => Uint8Array.of(1, 2).buffer, Uint8Array.of(1, 2)],
    "that is a view": [() => new Uint16Array([0x0201]), Uint8Array.of(1, 2)],
  };
  for (const [what, [response, value]] of Object.entries(same))
    for (const method of ["GET", "HEAD"])
      test(`${what} is sent like the value, with its ETag, its length, compression and 304, to ${method}`, async () => {
        const [expected, found] = [await like(value, method), await like(response, method)];
        assert.deepEqual(found, expected);
        assert.equal((found as unknown[][])[1]?.[0], 304);
      });

  test("CTX-005: of another library is accepted with its status, its fields, its cookies and its body", () =>
    serving(
      (app) => app.get("/", () => new Other()),
      async ({ app }) => {
        const response = await fetch(app.url);
        const cookies = response.headers.getSetCookie();
        const length = response.headers.get("content-length");
        assert.deepEqual(
          [response.status, cookies, length, await response.text()],
          [201, ["a=1", "b=2"], "5", "other"],
        );
      },
    ));

  test("that passes a decoded fetch body on is readable, with the fields of the middleware here", () =>
    serving(
      (app) =>
        app
          .use(new CompressionMiddleware())
          .use(new RequestIdMiddleware())
          .use(new CorsMiddleware({ allowOrigins: ["https://here.example"] }))
          .get("/long", () => long)
          .get("/direct", (ctx) => fetch(new URL("/long", `http://${ctx.host}`)))
          .get("/made", async (ctx) => {
            const upstream = await fetch(new URL("/long", `http://${ctx.host}`));
            const made = new Response(upstream.body, upstream);
            made.headers.set("Access-Control-Allow-Origin", "*");
            return made;
          }),
      async ({ app }) => {
        for (const path of ["direct", "made"]) {
          const headers = { "X-Request-Id": "mine", Origin: "https://other.example", "Accept-Encoding": "identity" };
          const response = await fetch(new URL(path, app.url), { headers });
          const fields = ["x-request-id", "access-control-allow-origin", "content-encoding", "vary"].map((name) =>
            response.headers.get(name),
          );
          assert.deepEqual(fields, ["mine", null, null, "Origin, Accept-Encoding"], path);
          assert.equal(await response.text(), long);
        }
      },
    ));

  test("with a short body that fails is an error that the middleware sees", () =>
    serving(
      (app) =>
        app
          .onResponse((ctx) => void ctx.setHeader("X-Hook", "ran"))
          .get("/", () => {
            const body = new ReadableStream({ pull: () => Promise.reject(new Error("it broke off")) });
            return new Response(body, { headers: { "Content-Length": "5", "Content-Type": "text/plain" } });
          }),
      async ({ app, errors }) => {
        const response = await fetch(app.url);
        assert.deepEqual([response.status, response.headers.get("x-hook")], [500, "ran"]);
        assert.deepEqual(
          errors.map(({ error }) => String(error)),
          ["Error: it broke off"],
        );
      },
    ));

  test("is cancelled when its client leaves during the read of its body", () => {
    let isAsked = false;
    let reason: unknown = "none";
    const source: UnderlyingDefaultSource = {
      pull: () => {
        isAsked = true;
        return new Promise(() => undefined);
      },
      cancel: () => {
        reason = "cancelled";
      },
    };
    const body = new ReadableStream(source, { highWaterMark: 0 }); // Nothing is requested before it is read.
    return serving(
      (app) => app.get("/", () => new Response(body, { headers: { "Content-Length": "5" } })),
      async ({ app }) => {
        const leaving = new AbortController();
        const left = fetch(app.url, { signal: leaving.signal }).catch(() => undefined);
        await until(() => isAsked);
        leaving.abort();
        await left;
        await until(() => reason === "cancelled");
      },
    );
  });

  test("sends its head before its first piece exists", () => {
    let send: ((text: string) => void) | undefined;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        send = (text) => {
          controller.enqueue(new TextEncoder().encode(text));
          controller.close();
        };
      },
    });
    return serving(
      (app) => app.get("/", () => new Response(body)),
      async ({ app }) => {
        const response = await fetch(app.url);
        send?.("later");
        assert.deepEqual([response.headers.get("content-length"), await response.text()], [null, "later"]);
      },
    );
  });
});
