/**
 * One app, its requests, and the expected response to each, the same on every engine.
 *
 * `except` holds differences forced by an engine's platform. docs/engines.md names each with its reason.
 */
import * as zlib from "node:zlib";
import { codingsWith } from "../http/content-coding.ts";
import { HttpError, type Context, type Framework } from "../index.ts";
import type { Seen, Sent } from "../testing/clients.testkit.ts";

/** Observations of one request: the response, and the arguments of onComplete (or onRejected). */
export interface Outcome extends Seen {
  readonly told: readonly unknown[];
}

/** One row of the table. */
export interface Case {
  readonly sent: Sent;
  readonly outcome: Outcome;
  readonly except?: Readonly<Record<string, Partial<Outcome>>>;
}

const text = "text/plain; charset=utf-8";
const pieces = async function* (...chunks: readonly string[]): AsyncGenerator<string> {
  yield* chunks;
};
/** Time for the first chunk to arrive before the connection may be cut. */
const slowly = async function* (first: string, second: string): AsyncGenerator<string> {
  yield first;
  await new Promise((resolve) => setTimeout(resolve, 10));
  yield second;
};
const forever = (): Promise<never> => new Promise(() => undefined);
const large = "0123456789abcdef".repeat(16_384);

/** Everything that the table requests. */
export function define(app: Framework): void {
  requests(app);
  responses(app);
  recordedStreams(app);
}

function requests(app: Framework): void {
  app
    .get("/params/{a}/{b}", (ctx) => ctx.json([ctx.pathParam("a"), ctx.pathParam("b"), ctx.url, ctx.path, ctx.route]))
    .get("/rest/*all", (ctx) => ctx.pathParam("all"))
    .get("/query", (ctx) => ctx.json({ ...ctx.query }))
    .put("/put", () => "put")
    .patch("/patch", () => "patch")
    .delete("/delete", () => "deleted")
    .get("/headers", (ctx) => ctx.json([ctx.header("x-dup"), ctx.headerValues("X-Dup"), ctx.header("X-None") ?? null]))
    .get("/cookies", (ctx) => ctx.json([ctx.cookie("a"), ctx.cookie("b"), ctx.headerValues("cookie")]))
    .get("/host", (ctx) => ctx.json([ctx.header("host")?.replace(/:\d+$/, ""), ctx.headerValues("host").length]))
    .get("/platform", (ctx) => ctx.json([ctx.scheme, ctx.httpVersion, ctx.peerAddress ?? null]))
    .post("/echo", (ctx) => ctx.bodyAsString())
    .post("/size", async (ctx) => ctx.json((await ctx.bodyAsBytes()).length))
    .post("/stream", (ctx) => ctx.send(ctx.bodyAsStream()))
    .post("/json", (ctx) => ctx.body())
    .post("/unread", () => "unread")
    .query("/search", { accept: ["application/json"] }, async (ctx) => ctx.json({ found: await ctx.body() }));
}

function responses(app: Framework): void {
  app
    .get("/text", () => "héllo")
    .get("/bytes", () => new Uint8Array([65, 66]))
    .get("/html", (ctx) => ctx.html("<p>"))
    .get("/null", () => null)
    .get("/headers/out", (ctx) =>
      ctx.status(201).setHeader("X-A", "1").appendHeader("X-A", "2").setHeader("X-B", "b").text("x"),
    )
    .get("/cookies/out", (ctx) => ctx.appendHeader("Set-Cookie", "a=1").appendHeader("Set-Cookie", "b=2").text("x"))
    .get("/204", (ctx) => ctx.status(204))
    .get("/304", (ctx) => ctx.status(304).setHeader("ETag", '"1"').text("never sent"))
    .get("/redirect", (ctx) => ctx.redirect("/text", 303))
    .get("/response", () => new Response("web", { status: 202, headers: { "X-Web": "1", "Content-Type": "text/x" } }))
    .get("/connection", (ctx) => ctx.setHeader("Keep-Alive", "timeout=5").setHeader("Upgrade", "h3").text("x"))
    .get("/length", (ctx) => ctx.setHeader("Content-Length", 99).text("short"))
    .get("/large", () => large)
    .get("/pieces", () => pieces("a", "b", "c"))
    .get("/pieces/none", () => pieces())
    .get("/pieces/web", () => new Response("ab").body)
    .get("/sse", (ctx) => ctx.sse(pieces("one", "two")))
    .get("/throw", () => Promise.reject(new Error("secret")))
    .get("/teapot", (ctx) => {
      ctx.setHeader("X-Kept", "1").setHeader("ETag", "dropped");
      throw new HttpError(409, "taken", { headers: { "Retry-After": "5" }, code: "taken" });
    })
    .get("/torn", () =>
      (async function* () {
        yield "begun";
        await new Promise((resolve) => setTimeout(resolve, 10));
        throw new Error("mid-stream");
      })(),
    )
    .get("/hang", forever)
    .get("/hang/stream", (ctx: Context) => {
      ctx.sse().send("first");
      return forever();
    });
}

/** Streams and Responses, under a middleware that changes them after they were recorded. */
function recordedStreams(app: Framework): void {
  app
    .use("/late", async (ctx, next) => {
      await next();
      ctx.setHeader("X-Late", ctx.committed ? "committed" : "recorded");
    })
    .get("/late/pieces", () => pieces("a", "b"))
    .get("/late/web", () => new Response("ab").body)
    .get("/late/response", () => new Response("web", { status: 202, headers: { "Content-Type": "text/x" } }))
    .get("/late/json", () => Response.json({ a: 1 }))
    .get("/late/sse", (ctx) => ctx.sse(pieces("one")))
    .get("/late/error", (ctx) => {
      ctx.setHeader("ETag", "dropped").send(pieces("never sent"));
      throw new HttpError(409, "taken");
    })
    .get("/length/right", (ctx) => ctx.setHeader("Content-Length", 2).send(pieces("a", "b")))
    .get("/length/more", (ctx) => ctx.setHeader("Content-Length", 1).send(slowly("a", "b")))
    .get("/length/less", (ctx) => ctx.setHeader("Content-Length", 3).send(slowly("ab", "")))
    .get("/length/none", (ctx) => ctx.setHeader("Content-Length", "many").send(pieces("a", "b")))
    .get("/204/stream", (ctx) => ctx.status(204).send(pieces("never sent")))
    .get("/205", (ctx) => ctx.status(205).text("never sent"));
}

type Fields = Seen["headers"];

const response = (status: number, type: string | undefined, body: string, extra: Fields = {}): Outcome => {
  const length = Buffer.byteLength(body);
  const headers = {
    ...(type === undefined ? {} : { "content-type": type }),
    "content-length": String(length),
    ...extra,
  };
  return { status, headers, body, torn: false, told: [[status, length, false]] };
};
const plain = (body: string, extra: Fields = {}): Outcome => response(200, text, body, extra);
const json = (value: unknown, extra: Fields = {}): Outcome =>
  response(200, "application/json", JSON.stringify(value), extra);
const problem = (status: number, title: string, detail?: string, extra: Fields = {}): Outcome =>
  response(status, "application/problem+json", problemText(status, title, detail), extra);
const problemText = (status: number, title: string, detail?: string): string =>
  JSON.stringify({ type: "about:blank", title, status, ...(detail === undefined ? {} : { detail }) });
const streamed = (type: string, body: string, extra: Fields = {}): Outcome => ({
  status: 200,
  headers: { "content-type": type, ...extra },
  body,
  torn: false,
  told: [[200, body.length, false]],
});
const bodyless = (outcome: Outcome): Outcome => ({ ...outcome, body: "", told: [[outcome.status, 0, false]] });
const rejected = (status: number, title: string): Outcome => ({
  ...problem(status, title),
  told: [["rejected", status, Buffer.byteLength(problemText(status, title))]],
});
const left = (outcome: Partial<Outcome>): Outcome => ({
  status: 0,
  headers: {},
  body: "",
  torn: true,
  told: [[499, 0, true]],
  ...outcome,
});

const tooLong: Outcome = {
  ...streamed("application/octet-stream", "a", { "content-length": "1" }),
  torn: true,
  told: [[200, 1, true]],
};
const late = { "x-late": "recorded" };
const events = { "cache-control": "no-store", "x-accel-buffering": "no" };
const typed = (type: string): readonly (readonly [string, string])[] => [["Content-Type", type]];
const tooLarge = problem(413, "Content Too Large", "the body may have at most 300000 bytes");
const malformed = problem(400, "Bad Request", "the path holds a malformed percent-escape or a dot segment");
const missing = (path: string): Outcome => problem(404, "Not Found", `nothing is registered at ${path}`);
const flawed = problem(
  400,
  "Bad Request",
  "one Host is needed, a host with or without a port, and no fragment in the target",
);
const unmet = problem(417, "Expectation Failed", "100-continue is the only expectation that is met here");
const all = "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT, QUERY";
const decodable = [...codingsWith(zlib as never).keys()].join(", ");
const notGzip = problem(400, "Bad Request", "the body is not valid gzip: it is cut short or malformed");
const unknownCoding = problem(
  415,
  "Unsupported Media Type",
  `a body coded as gzip, br is not decoded here: one of ${decodable} is allowed`,
  { "accept-encoding": decodable },
);
const coded = (coding: string, type = text): readonly (readonly [string, string])[] => [
  ["Content-Encoding", coding],
  ...typed(type),
];
const acceptQuery = { "accept-query": "application/json" };
const nearest = ["127.0.0.1"];

/** The engine has reset the HTTP/2 stream before there was a request. */
const reset: Outcome = { status: 0, headers: {}, body: "", torn: true, told: [] };

/** Each request with its expected response. The app accepts bodies of 300,000 bytes and heads of 12,000. */
export const cases: Readonly<Record<string, Case>> = {
  "path parameters, decoded once": {
    sent: { target: "/params/a%2Fb/caf%C3%A9?x=1" },
    outcome: json(["a/b", "café", "/params/a%2Fb/caf%C3%A9", "/params/a%2Fb/café", "/params/{a}/{b}"]),
  },
  "a wildcard": { sent: { target: "/rest/a/b%20c" }, outcome: plain("a/b c") },
  "a query": { sent: { target: "/query?a=1&a=2&b=%26+x&c" }, outcome: json({ a: ["1", "2"], b: ["& x"], c: [""] }) },
  "a malformed escape": { sent: { target: "/params/%zz/b" }, outcome: malformed },
  "dot segments": { sent: { target: "/text/../text" }, outcome: malformed, except: { "app.fetch": plain("héllo") } },
  "an empty segment": { sent: { target: "/text//" }, outcome: missing("/text//") },
  "repeated header lines": {
    sent: {
      target: "/headers",
      headers: [
        ["X-Dup", "a"],
        ["X-Dup", "b"],
      ],
    },
    outcome: json(["a, b", ["a", "b"], null]),
    except: { "app.fetch": json(["a, b", ["a, b"], null]) },
  },
  cookies: {
    sent: { target: "/cookies", headers: [["Cookie", "a=1; b=%20x"]] },
    outcome: json(["1", " x", ["a=1; b=%20x"]]),
  },
  "the host": { sent: { target: "/host" }, outcome: json(["localhost", 1]) },
  "what the platform tells": {
    sent: { target: "/platform" },
    outcome: json(["http", "1.1", ...nearest]),
    except: {
      h2c: json(["http", "2", ...nearest]),
      "h2 over TLS": json(["https", "2", ...nearest]),
      "HTTP/1.1 over TLS": json(["https", "1.1", ...nearest]),
      "app.fetch": json(["http", "1.1", null]),
    },
  },
  "a body": { sent: { method: "POST", target: "/echo", body: "héllo" }, outcome: plain("héllo") },
  "an empty body": { sent: { method: "POST", target: "/echo", body: "" }, outcome: plain("") },
  "no body": { sent: { method: "POST", target: "/echo" }, outcome: plain("") },
  "a body without a length": {
    sent: { method: "POST", target: "/echo", body: ["a", "b", "c"] },
    outcome: plain("abc"),
  },
  "a large body": { sent: { method: "POST", target: "/size", body: large }, outcome: json(262_144) },
  "a large body without a length": {
    sent: { method: "POST", target: "/size", body: [large, "x"] },
    outcome: json(262_145),
  },
  "a body over the limit": { sent: { method: "POST", target: "/size", body: large + large }, outcome: tooLarge },
  "a body over the limit without a length": {
    sent: { method: "POST", target: "/size", body: [large, large] },
    outcome: tooLarge,
  },
  "a body as a stream": {
    sent: { method: "POST", target: "/stream", body: "in and out" },
    outcome: streamed("application/octet-stream", "in and out"),
  },
  "a body in gzip": {
    sent: { method: "POST", target: "/echo", headers: coded("gzip"), body: zlib.gzipSync("héllo") },
    outcome: plain("héllo"),
  },
  "a body in deflate, as a stream": {
    sent: { method: "POST", target: "/stream", headers: coded("Deflate"), body: zlib.deflateSync("in and out") },
    outcome: streamed("application/octet-stream", "in and out"),
  },
  "a JSON body in brotli": {
    sent: {
      method: "POST",
      target: "/json",
      headers: coded("br", "application/json"),
      body: zlib.brotliCompressSync('{"a":[1]}'),
    },
    outcome: json({ a: [1] }),
  },
  "a QUERY in gzip": {
    sent: {
      method: "QUERY",
      target: "/search",
      headers: coded("x-gzip", "application/json"),
      body: zlib.gzipSync('{"q":1}'),
    },
    outcome: json({ found: { q: 1 } }, acceptQuery),
  },
  "a body over the limit once it is decoded": {
    sent: { method: "POST", target: "/size", headers: coded("gzip"), body: zlib.gzipSync(new Uint8Array(300_001)) },
    outcome: tooLarge,
  },
  "a body within the limit once it is decoded": {
    sent: { method: "POST", target: "/size", headers: coded("gzip"), body: zlib.gzipSync(new Uint8Array(300_000)) },
    outcome: json(300_000),
  },
  "half a body in gzip": {
    sent: { method: "POST", target: "/echo", headers: coded("gzip"), body: zlib.gzipSync("héllo").subarray(0, -1) },
    outcome: notGzip,
  },
  "a body that is not in gzip": {
    sent: { method: "POST", target: "/echo", headers: coded("gzip"), body: ["not", "coded"] },
    outcome: notGzip,
  },
  "a body in no coding": {
    sent: { method: "POST", target: "/echo", headers: coded("identity"), body: "héllo" },
    outcome: plain("héllo"),
  },
  "a body in two codings": {
    sent: { method: "POST", target: "/echo", headers: coded("gzip, br"), body: "x" },
    outcome: unknownCoding,
  },
  "a body nobody reads": { sent: { method: "POST", target: "/unread", body: large }, outcome: plain("unread") },
  "a JSON body": {
    sent: { method: "POST", target: "/json", headers: typed("application/json"), body: '{"a":[1]}' },
    outcome: json({ a: [1] }),
  },
  "a JSON body of another type": {
    sent: { method: "POST", target: "/json", headers: typed("text/plain"), body: "{}" },
    outcome: problem(415, "Unsupported Media Type", "a JSON body was expected, not text/plain"),
  },
  QUERY: {
    sent: { method: "QUERY", target: "/search", headers: typed("application/json"), body: '{"q":1}' },
    outcome: json({ found: { q: 1 } }, acceptQuery),
  },
  "QUERY of another type": {
    sent: { method: "QUERY", target: "/search", headers: typed("text/csv"), body: "a" },
    outcome: problem(415, "Unsupported Media Type", "QUERY takes application/json here, not text/csv", acceptQuery),
  },
  HEAD: { sent: { method: "HEAD", target: "/text" }, outcome: bodyless(plain("héllo")) },
  "HEAD of a stream": {
    sent: { method: "HEAD", target: "/pieces" },
    outcome: bodyless(streamed("application/octet-stream", "")),
  },
  OPTIONS: {
    sent: { method: "OPTIONS", target: "/text" },
    outcome: { status: 204, headers: { allow: "GET, HEAD, OPTIONS" }, body: "", torn: false, told: [[204, 0, false]] },
  },
  "OPTIONS *": {
    sent: { method: "OPTIONS", target: "*" },
    outcome: { status: 204, headers: { allow: all }, body: "", torn: false, told: [[204, 0, false]] },
    except: { "app.fetch": missing("/") },
  },
  "a Host that is none": { sent: { target: "/text", headers: [["Host", "user@host"]] }, outcome: flawed },
  "a Host that is a part of a URL": {
    sent: { target: "/text", headers: [["Host", "host/headers/out?"]] },
    outcome: flawed,
    except: { h2c: reset, "h2 over TLS": reset },
  },
  "two Hosts": {
    sent: {
      target: "/text",
      headers: [
        ["Host", "a"],
        ["Host", "a"],
      ],
    },
    outcome: flawed,
    except: { h2c: plain("héllo"), "h2 over TLS": plain("héllo") },
  },
  "a fragment in the target": {
    sent: { target: "/text#x" },
    outcome: flawed,
    except: { "app.fetch": plain("héllo"), "app.listener": missing("/text#x") },
  },
  "an expectation that is not met": {
    sent: { target: "/text", headers: [["Expect", "x"]] },
    outcome: unmet,
    except: {
      "app.fetch": plain("héllo"),
      "app.listener": { status: 417, headers: {}, body: "", torn: false, told: [] },
    },
  },
  "another method": {
    sent: { method: "DELETE", target: "/text" },
    outcome: problem(405, "Method Not Allowed", "allowed here: GET, HEAD, OPTIONS", { allow: "GET, HEAD, OPTIONS" }),
  },
  "nothing there": { sent: { target: "/none" }, outcome: missing("/none") },
  "a long URL": { sent: { target: `/text?${"x".repeat(9_000)}` }, outcome: rejected(414, "URI Too Long") },
  "many header lines": {
    sent: { target: "/text", headers: Array.from({ length: 101 }, (_, i) => [`x-${i}`, "1"] as const) },
    outcome: rejected(431, "Request Header Fields Too Large"),
  },
  "large headers": {
    sent: { target: "/text", headers: [["X-Large", "x".repeat(13_000)]] },
    outcome: rejected(431, "Request Header Fields Too Large"),
  },

  text: { sent: { target: "/text" }, outcome: plain("héllo") },
  bytes: { sent: { target: "/bytes" }, outcome: response(200, "application/octet-stream", "AB") },
  html: { sent: { target: "/html" }, outcome: response(200, "text/html; charset=utf-8", "<p>") },
  "null as JSON": { sent: { target: "/null" }, outcome: json(null) },
  "status and headers": {
    sent: { target: "/headers/out" },
    outcome: response(201, text, "x", { "x-a": ["1", "2"], "x-b": "b" }),
    except: joined(),
  },
  "two cookies": { sent: { target: "/cookies/out" }, outcome: plain("x", { "set-cookie": ["a=1", "b=2"] }) },
  "204": {
    sent: { target: "/204" },
    outcome: { status: 204, headers: {}, body: "", torn: false, told: [[204, 0, false]] },
  },
  "304": {
    sent: { target: "/304" },
    outcome: {
      status: 304,
      headers: { "content-type": text, etag: '"1"' },
      body: "",
      torn: false,
      told: [[304, 0, false]],
    },
  },
  "a redirect": { sent: { target: "/redirect" }, outcome: response(303, undefined, "", { location: "/text" }) },
  "a web Response": { sent: { target: "/response" }, outcome: response(202, "text/x", "web", { "x-web": "1" }) },
  "fields of the connection": {
    sent: { target: "/connection" },
    outcome: plain("x", { upgrade: "h3" }),
    except: { h2c: plain("x"), "h2 over TLS": plain("x") },
  },
  "a wrong Content-Length": { sent: { target: "/length" }, outcome: plain("short") },
  "a large response": { sent: { target: "/large" }, outcome: plain(large) },
  "a response in pieces": { sent: { target: "/pieces" }, outcome: streamed("application/octet-stream", "abc") },
  "a response of no pieces": { sent: { target: "/pieces/none" }, outcome: streamed("application/octet-stream", "") },
  "a response of a web stream": {
    sent: { target: "/pieces/web" },
    outcome: streamed("application/octet-stream", "ab"),
  },
  "an event stream": {
    sent: { target: "/sse" },
    outcome: streamed("text/event-stream", "data: one\n\ndata: two\n\n", events),
  },
  "a header set after a stream": {
    sent: { target: "/late/pieces" },
    outcome: streamed("application/octet-stream", "ab", late),
  },
  "a header set after a web stream": {
    sent: { target: "/late/web" },
    outcome: streamed("application/octet-stream", "ab", late),
  },
  "a header set after a Response": {
    sent: { target: "/late/response" },
    outcome: response(202, "text/x", "web", late),
  },
  "a header set after a Response of JSON": { sent: { target: "/late/json" }, outcome: json({ a: 1 }, late) },
  "a header set after events": {
    sent: { target: "/late/sse" },
    outcome: streamed("text/event-stream", "data: one\n\n", { ...events, ...late }),
  },
  "an error instead of a recorded stream": {
    sent: { target: "/late/error" },
    outcome: problem(409, "Conflict", "taken"),
  },
  "a stream of the length that was promised": {
    sent: { target: "/length/right" },
    outcome: streamed("application/octet-stream", "ab", { "content-length": "2" }),
  },
  "a stream longer than promised": {
    sent: { target: "/length/more" },
    outcome: tooLong,
    except: { "node:http": { torn: false }, "HTTP/1.1 over TLS": { torn: false }, "app.listener": { torn: false } },
  },
  "a stream shorter than promised": {
    sent: { target: "/length/less" },
    outcome: {
      ...streamed("application/octet-stream", "ab", { "content-length": "3" }),
      torn: true,
      told: [[200, 2, true]],
    },
  },
  "a Content-Length that is no length": {
    sent: { target: "/length/none" },
    outcome: streamed("application/octet-stream", "ab"),
  },
  "a stream under 204": {
    sent: { target: "/204/stream" },
    outcome: {
      status: 204,
      headers: { "content-type": "application/octet-stream" },
      body: "",
      torn: false,
      told: [[204, 0, false]],
    },
  },
  "text under 205": { sent: { target: "/205" }, outcome: { ...response(205, text, ""), told: [[205, 0, false]] } },
  "an unexpected error": { sent: { target: "/throw" }, outcome: problem(500, "Internal Server Error") },
  "an HttpError": {
    sent: { target: "/teapot" },
    outcome: response(
      409,
      "application/problem+json",
      '{"type":"about:blank","title":"Conflict","status":409,"detail":"taken","code":"taken"}',
      { "retry-after": "5", "x-kept": "1" },
    ),
  },
  "an error in mid-stream": {
    sent: { target: "/torn" },
    outcome: { ...streamed("application/octet-stream", "begun"), torn: true, told: [[200, 5, true]] },
  },
  "a client that leaves before the head": { sent: { target: "/hang", leaveAfter: "" }, outcome: left({}) },
  "a client that leaves in mid-stream": {
    sent: { target: "/hang/stream", leaveAfter: "first\n\n" },
    outcome: left({
      status: 200,
      headers: { "content-type": "text/event-stream", ...events },
      body: "data: first\n\n",
      told: [[200, 13, true]],
    }),
  },
};

/** Header lines that HTTP/2 and fetch join into one. */
function joined(): Readonly<Record<string, Partial<Outcome>>> {
  const one = response(201, text, "x", { "x-a": "1, 2", "x-b": "b" });
  return { h2c: one, "h2 over TLS": one, "app.fetch": one };
}
