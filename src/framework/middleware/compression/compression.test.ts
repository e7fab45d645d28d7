/** Codings of responses: the choice for each client and response, and the unchanged rest (COMP). */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { describe, mock, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import * as zlib from "node:zlib";
import { created, until } from "../../testing/harness.testkit.ts";
import {
  type CodingName,
  CompressionMiddleware,
  type CompressionOptions,
  type Context,
  EtagMiddleware,
  Framework,
} from "../../index.ts";
import { codersOf, codersWith, type Coder } from "./coders.ts";

type Inflate = (bytes: Uint8Array) => Buffer;
const zstd = (zlib as { zstdDecompressSync?: Inflate }).zstdDecompressSync;
const inflate: Readonly<Record<string, Inflate>> = {
  br: zlib.brotliDecompressSync,
  gzip: zlib.gunzipSync,
  ...(zstd === undefined ? {} : { zstd }),
};
const here = Object.keys(inflate) as CodingName[];
const levels = { br: 4, zstd: 3, gzip: 6 };
const long = "a line that comes again\n".repeat(200);

/** An app with that handler for every path, and a client for it. */
function compressed(handler: (ctx: Context) => unknown, options?: CompressionOptions) {
  const { app, warnings, errors } = created();
  app.use(new CompressionMiddleware(options)).any("/", handler);
  const ask = async (accept?: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    if (accept !== undefined) headers.set("Accept-Encoding", accept);
    const response = await app.fetch(new Request("http://h/", { ...init, headers }));
    const bytes = Buffer.from(await response.arrayBuffer());
    const coding = response.headers.get("content-encoding");
    const text = coding === null || init.method === "HEAD" ? bytes.toString() : inflate[coding]?.(bytes).toString();
    return {
      status: response.status,
      coding,
      vary: response.headers.get("vary"),
      text,
      bytes,
      headers: response.headers,
    };
  };
  return { app, ask, warnings, errors };
}

async function* pieces(...all: readonly string[]): AsyncGenerator<string> {
  for (const piece of all) yield piece;
}

describe("CompressionMiddleware", () => {
  test("COMP-001: sends a whole body in every coding it has, and it decodes to the same body", async () => {
    const bodies: Readonly<Record<string, (ctx: Context) => unknown>> = {
      text: () => long,
      JSON: () => ({ long }),
      bytes: (ctx) => ctx.setHeader("Content-Type", "text/plain").send(Buffer.from(long)),
      "a text of a megabyte, by a thread": () => long.repeat(220),
    };
    for (const [name, handler] of Object.entries(bodies)) {
      const { ask } = compressed(handler);
      const plain = await ask();
      for (const coding of here) {
        const seen = await ask(coding);
        assert.equal(seen.coding, coding, name);
        assert.equal(seen.text, plain.text, name);
        assert.ok(seen.bytes.length < plain.bytes.length / 4, `${name}, ${coding}: ${seen.bytes.length} bytes`);
      }
    }
  });

  test("COMP-001: leaves a body unchanged that is shorter than the minimum in bytes", async () => {
    const sizes = async (options: CompressionOptions | undefined, ...texts: readonly string[]) =>
      Promise.all(texts.map(async (text) => (await compressed(() => text, options).ask("gzip")).coding));
    assert.deepEqual(await sizes(undefined, "x".repeat(1_023), "x".repeat(1_024)), [null, "gzip"]);
    // 342 characters of three bytes are 1,026.
    assert.deepEqual(await sizes(undefined, "€".repeat(341), "€".repeat(342)), [null, "gzip"]);
    assert.deepEqual(await sizes({ minBytes: 0 }, "x"), ["gzip"]);
    assert.deepEqual(await sizes({ minBytes: 1_026 }, "€".repeat(342), "€".repeat(343)), ["gzip", "gzip"]);
    const bytes = async (count: number) =>
      (await compressed((ctx) => ctx.setHeader("Content-Type", "text/css").send(new Uint8Array(count))).ask("gzip"))
        .coding;
    assert.deepEqual([await bytes(1_023), await bytes(1_024)], [null, "gzip"]);
    assert.equal((await compressed(() => "x").ask("*")).coding, null);
    // A client that accepts nothing else gets it compressed all the same.
    assert.equal((await compressed(() => "x").ask("gzip, identity;q=0")).coding, "gzip");
  });

  test("uses the client's favourite, and of equal ones its own", async () => {
    const { ask } = compressed(() => long);
    assert.deepEqual([(await ask("gzip, br")).coding, (await ask("gzip, br;q=0.5")).coding], ["br", "gzip"]);
    const own = compressed(() => long, { codings: ["gzip", "br"] });
    assert.deepEqual([(await own.ask("br, gzip")).coding, (await own.ask("*")).coding], ["gzip", "gzip"]);
    assert.equal((await compressed(() => long, { codings: ["gzip"] }).ask("br, deflate")).coding, null);
  });

  test("uses the configured levels", async () => {
    const words = Array.from({ length: 2_000 }, (_, n) => `${(n * 7919) % 1_000} and ${n % 13}`).join(" ");
    const sizeOf = async (coding: "br" | "gzip", level: number): Promise<number> =>
      (await compressed(() => words, { levels: { [coding]: level } }).ask(coding)).bytes.length;
    for (const [coding, most] of [
      ["br", 11],
      ["gzip", 9],
    ] as const)
      assert.ok((await sizeOf(coding, 1)) > (await sizeOf(coding, most)), coding);
  });

  test("COMP-002: sends Vary when the response could differ, in addition to the handler's", async () => {
    const { ask } = compressed((ctx) => ctx.setHeader("Vary", "Accept").text(long));
    assert.deepEqual(
      [(await ask("gzip")).vary, (await ask()).vary],
      ["Accept, Accept-Encoding", "Accept, Accept-Encoding"],
    );
    assert.equal((await compressed(() => "short").ask("gzip")).vary, "Accept-Encoding");
    const image = compressed((ctx) => ctx.setHeader("Content-Type", "image/png").send(Buffer.from(long)));
    assert.equal((await image.ask("gzip")).vary, null);
  });

  test("responds 406 to a client that rejects everything, if the request had no effect", async () => {
    const { ask } = compressed((ctx) => (ctx.queryParam("x") === undefined ? long : ctx.status(500).text(long)));
    const none = "identity;q=0, *;q=0";
    const statuses = [];
    for (const method of ["GET", "HEAD", "POST"]) statuses.push((await ask(none, { method })).status);
    assert.deepEqual(statuses, [406, 406, 200]);
    const { vary, text } = await ask(none);
    assert.equal(vary, "Accept-Encoding");
    const { detail } = JSON.parse(text ?? "") as { detail: string };
    assert.equal(detail, "Accept-Encoding rejects every coding that there is, and the response without one");
    assert.equal((await compressed((ctx) => ctx.status(300).text(long)).ask(none)).status, 300);
    assert.equal((await compressed((ctx) => ctx.status(500).text(long)).ask(none)).status, 500);
  });

  test("never compresses twice, and never a body that must not be transformed or would grow", async () => {
    const noise = randomBytes(4_096);
    const left: Readonly<Record<string, (ctx: Context) => unknown>> = {
      "coded by the handler": (ctx) =>
        ctx.setHeader("Content-Encoding", "gzip").setHeader("Content-Type", "text/plain").send(zlib.gzipSync(noise)),
      "no-transform": (ctx) => ctx.setHeader("Cache-Control", "public, no-transform").text(long),
      "an image": (ctx) => ctx.setHeader("Content-Type", "image/png").send(Buffer.from(long)),
      "no media type": (ctx) => ctx.setHeader("Content-Type", "text").send(Buffer.from(long)),
      "a part": (ctx) => ctx.status(206).text(long),
      "no body": (ctx) => ctx.setHeader("Content-Type", "text/plain").reply(200),
      "no content": (ctx) => ctx.status(204),
      "not modified": (ctx) => ctx.status(304),
    };
    const statuses: number[] = [];
    for (const [name, handler] of Object.entries(left)) {
      const types = name === "an image" ? undefined : (): boolean => true;
      const { headers, bytes, status } = await compressed(handler, { types }).ask("gzip, br");
      const coding = name === "coded by the handler" ? "gzip" : null;
      assert.equal(headers.get("content-encoding"), coding, name);
      statuses.push(status);
      if (coding !== null) assert.deepEqual(zlib.gunzipSync(bytes), noise, name);
      else if (status === 200) assert.equal(bytes.toString(), name === "no body" ? "" : long, name);
    }
    assert.deepEqual(statuses, [200, 200, 200, 200, 206, 200, 204, 304]);
    assert.equal((await compressed(() => long, { types: (type) => type === "text/html" }).ask("gzip")).coding, null);
    assert.equal(
      (await compressed((ctx) => ctx.html(long), { types: (type) => type === "text/html" }).ask("gzip")).coding,
      "gzip",
    );
  });

  test("weakens a strong tag, on the response and on its 304", async () => {
    const { app } = created();
    app
      .use(new CompressionMiddleware())
      .use(new EtagMiddleware({ strong: true }))
      .get("/", () => long);
    const ask = (headers: Record<string, string>) => app.fetch(new Request("http://h/", { headers }));
    const plain = (await ask({})).headers.get("etag") ?? "";
    assert.match(plain, /^"/);
    const coded = (await ask({ "Accept-Encoding": "gzip" })).headers.get("etag") ?? "";
    assert.equal(coded, `W/${plain}`);
    const again = await ask({ "Accept-Encoding": "gzip", "If-None-Match": coded });
    assert.deepEqual(
      [again.status, again.headers.get("etag"), again.headers.get("vary")],
      [304, coded, "Accept-Encoding"],
    );
    for (const headers of [{}, { "Accept-Encoding": "identity;q=0, *;q=0" }]) {
      const unzipped = await ask({ "If-None-Match": plain, ...headers });
      assert.deepEqual([unzipped.status, unzipped.headers.get("etag")], [304, plain]);
    }
  });

  test("leaves the tag of a 304 as it is when its 200 is never compressed", async () => {
    const never: Readonly<Record<string, (ctx: Context) => unknown>> = {
      "no-transform": (ctx) => ctx.setHeader("Cache-Control", "public, no-transform").text(long),
      "an image": (ctx) => ctx.setHeader("Content-Type", "image/png").send(Buffer.from(long)),
      short: () => "short",
    };
    for (const [name, handler] of Object.entries(never)) {
      const { app } = created();
      app.use(new CompressionMiddleware()).use(new EtagMiddleware());
      app.get("/", (ctx) => handler(ctx.setHeader("ETag", '"v7"')));
      const ask = async (headers: Record<string, string>): Promise<Response> =>
        app.request("/", { headers: { "Accept-Encoding": "gzip", ...headers } });
      assert.equal((await ask({})).headers.get("etag"), '"v7"', name);
      for (const list of ['"v7"', 'W/"v6", "v7"']) {
        const { status, headers } = await ask({ "If-None-Match": list });
        assert.deepEqual([status, headers.get("etag")], [304, '"v7"'], name);
        assert.equal(headers.get("vary"), name === "no-transform" ? null : "Accept-Encoding", name);
      }
    }
  });

  test("weakens the tag of a 304 for clients that have not sent the strong one", async () => {
    const { app } = created();
    app.use(new CompressionMiddleware()).use(new EtagMiddleware());
    const date = "Tue, 01 Sep 2026 10:00:00 GMT";
    app.get("/", (ctx) => ctx.setHeader("ETag", '"v7"').setHeader("Last-Modified", date).text(long));
    for (const [name, value] of [
      ["If-None-Match", 'W/"v7"'],
      ["If-None-Match", "*"],
      ["If-Modified-Since", date],
    ] as const) {
      const response = await app.request("/", { headers: { "Accept-Encoding": "gzip", [name]: value } });
      assert.deepEqual([response.status, response.headers.get("etag")], [304, 'W/"v7"'], value);
    }
  });

  test("sends the compressed length, and no field about the original bytes", async () => {
    const { ask } = compressed((ctx) =>
      ctx
        .setHeader("Content-Length", "4800")
        .setHeader("Accept-Ranges", "bytes")
        .setHeader("Content-Digest", "sha-256=:x:")
        .setHeader("X-Own", "kept")
        .text(long),
    );
    const { headers, bytes } = await ask("gzip");
    assert.deepEqual(Object.fromEntries(headers), {
      "content-encoding": "gzip",
      "content-length": String(bytes.length),
      "content-type": "text/plain; charset=utf-8",
      vary: "Accept-Encoding",
      "x-own": "kept",
    });
    const streamed = compressed((ctx) =>
      ctx.setHeader("Content-Length", "4800").setHeader("Content-Type", "text/plain").send(pieces(long)),
    );
    const seen = await streamed.ask("gzip");
    assert.deepEqual([seen.headers.get("content-length"), seen.text, streamed.errors], [null, long, []]);
  });

  test("is annotated with the coding, and with the sizes before and after of a whole body", async () => {
    const bodies: Readonly<Record<string, readonly [handler: (ctx: Context) => unknown, bytes: number]>> = {
      text: [() => "é".repeat(1_000), 2_000],
      bytes: [(ctx) => ctx.setHeader("Content-Type", "text/plain").send(new TextEncoder().encode(long)), long.length],
    };
    for (const [name, [handler, before]] of Object.entries(bodies)) {
      const { app, ask } = compressed(handler);
      const heard: unknown[] = [];
      app.observe({ annotation: (_ctx, what, value) => void heard.push([what, value]) });
      await ask();
      const after = (await ask("gzip")).bytes.length;
      assert.deepEqual(heard, [["compression", { coding: "gzip", before, after }]], name);
    }
    const { app, ask } = compressed((ctx) => ctx.setHeader("Content-Type", "text/plain").send(pieces(long)));
    const heard: unknown[] = [];
    app.observe({ annotation: (_ctx, what, value) => void heard.push([what, value]) });
    await ask("gzip");
    await ask("gzip", { method: "HEAD" }); // Has no pieces.
    assert.deepEqual(heard, [["compression", { coding: "gzip", inPieces: true }]]);
  });

  test("leaves out each field that describes the original bytes", async () => {
    const names = ["Content-Length", "Content-MD5", "Content-Digest", "Digest", "Accept-Ranges"];
    const { ask } = compressed((ctx) => {
      for (const name of names) ctx.setHeader(name, "4800");
      return ctx.text(long);
    });
    const { headers, bytes } = await ask("gzip");
    assert.deepEqual(
      names.map((name) => headers.get(name)),
      [String(bytes.length), null, null, null, null],
    );
  });

  test("sends HEAD the same headers as GET", async () => {
    for (const handler of [
      () => long,
      (ctx: Context) => ctx.setHeader("Content-Type", "text/plain").send(pieces(long)),
    ]) {
      const { ask } = compressed(handler);
      const [get, head] = [await ask("gzip"), await ask("gzip", { method: "HEAD" })];
      assert.equal(head.coding, "gzip");
      assert.deepEqual([...head.headers], [...get.headers]);
      assert.equal(head.bytes.length, 0);
    }
  });

  test("compresses errors", async () => {
    const { ask } = compressed(() => {
      throw Object.assign(new TypeError("x"), {});
    });
    assert.equal((await ask("gzip")).coding, null); // A short problem.
    const app = Framework.create()
      .use(new CompressionMiddleware())
      .onStatus(404, (ctx) => ctx.html(long));
    const missing = await app.fetch(new Request("http://h/none", { headers: { "Accept-Encoding": "gzip" } }));
    assert.deepEqual([missing.status, missing.headers.get("content-encoding")], [404, "gzip"]);
  });

  test("sends a body as it is when a check or the compressor fails", async () => {
    const { ask, warnings } = compressed(() => long, {
      types: () => {
        throw new Error("my types");
      },
    });
    assert.deepEqual([(await ask("gzip")).text, (await ask("gzip")).coding], [long, null]);
    assert.deepEqual(warnings, [
      "CompressionMiddleware sent a body as it is because compressing it failed: my types (further faults are only counted)",
    ]);
    const rejecting = compressed(() => long, { types: (() => Promise.reject(new Error("late"))) as never });
    assert.equal((await rejecting.ask("gzip")).coding, null);
    assert.match(rejecting.warnings.join(), /compressing it failed: late/);
  });

  for (const [how, body, method, fail] of [
    ["at once", long, "gzipSync", () => assert.fail("the compressor")],
    [
      "by a thread",
      "x".repeat(65_536),
      "gzip",
      (_body: unknown, _options: unknown, done: (error: Error) => void) => done(new Error("the compressor")),
    ],
  ] as const)
    test(`sends a body as it is when compressing it fails ${how}`, async () => {
      const failing = mock.method(process.getBuiltinModule("node:zlib"), method, fail as never);
      try {
        const { ask, warnings } = compressed(() => body);
        const { status, coding, text } = await ask("gzip");
        assert.deepEqual([status, coding, text === body, failing.mock.callCount()], [200, null, true, 1]);
        assert.deepEqual(warnings, [
          "CompressionMiddleware sent a body as it is because compressing it failed: the compressor (further faults are only counted)",
        ]);
      } finally {
        failing.mock.restore();
      }
    });

  test("rejects invalid options", () => {
    const wrong: Readonly<Record<string, unknown>> = {
      'codings is ["deflate"]; a list of "br", "zstd", "gzip" is allowed': { codings: ["deflate"] },
      'codings is ["br","deflate"]; a list of "br", "zstd", "gzip" is allowed': { codings: ["br", "deflate"] },
      'codings is []; a list of "br", "zstd", "gzip" is allowed': { codings: [] },
      "minBytes is -1; a whole number from 0 is allowed": { minBytes: -1 },
      'types is "text"; a function (mediaType) => boolean is allowed': { types: "text" },
      "levels.br is 12; a whole number from 0 to 11 is allowed": { levels: { br: 12 } },
      "minBytes is NaN; a whole number from 0 is allowed": { minBytes: Number.NaN },
      'codings is "br"; a list of "br", "zstd", "gzip" is allowed': { codings: "br" },
      "levels.br is -1; a whole number from 0 to 11 is allowed": { levels: { br: -1 } },
      "levels.zstd is 0; a whole number from 1 to 22 is allowed": { levels: { zstd: 0 } },
      "levels.zstd is 23; a whole number from 1 to 22 is allowed": { levels: { zstd: 23 } },
      "levels.gzip is 0; a whole number from 1 to 9 is allowed": { levels: { gzip: 0 } },
      "levels.gzip is 1.5; a whole number from 1 to 9 is allowed": { levels: { gzip: 1.5 } },
      'levels is {"toString":1}; an object of br, zstd and gzip is allowed': { levels: { toString: 1 } },
      'levels is {"deflate":1}; an object of br, zstd and gzip is allowed': { levels: { deflate: 1 } },
    };
    for (const [sentence, options] of Object.entries(wrong))
      assert.throws(() => new CompressionMiddleware(options as CompressionOptions), {
        code: "CONFIG_INVALID",
        message: `CompressionMiddleware: ${sentence}`,
      });
    const unknown = { threshold: 0 } as CompressionOptions;
    assert.throws(() => new CompressionMiddleware(unknown), {
      code: "CONFIG_INVALID",
      message: "CompressionMiddleware has no option threshold: codings, minBytes, types, levels can be set",
    });
    const undefinedLevels = { br: undefined, zstd: undefined, gzip: undefined } as unknown as { br: number };
    for (const levels of [{ br: 0, zstd: 1, gzip: 1 }, { br: 11, zstd: 22, gzip: 9 }, undefinedLevels, {}])
      assert.doesNotThrow(() => new CompressionMiddleware({ levels, minBytes: 0 }));
  });
});

/** The output of a stream that a decoder reads as it arrives. */
function decoding(coding: string, stream: AsyncIterable<Uint8Array>): AsyncIterator<Buffer> {
  const decoder = coding === "br" ? zlib.createBrotliDecompress() : zlib.createUnzip();
  const source =
    coding === "zstd" ? (zlib as never as { createZstdDecompress(): zlib.Unzip }).createZstdDecompress() : decoder;
  const coded = Readable.from(stream).on("error", () => undefined); // Cut, because this test has seen enough.
  return coded.pipe(source)[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
}

describe("CompressionMiddleware, in pieces", () => {
  for (const coding of here)
    test(`sends each event as it comes, in ${coding}`, async () => {
      const gates: ((event: string) => void)[] = [];
      async function* events(): AsyncGenerator<string> {
        for (;;) yield await new Promise<string>((resolve) => void gates.push(resolve));
      }
      const { app } = created();
      app.use(new CompressionMiddleware()).get("/", (ctx) => ctx.sse(events()));
      const leaving = new AbortController();
      const request = new Request("http://h/", { headers: { "Accept-Encoding": coding }, signal: leaving.signal });
      const response = await app.fetch(request);
      assert.equal(response.headers.get("content-encoding"), coding);
      const text = decoding(coding, response.body as unknown as AsyncIterable<Uint8Array>);
      for (const event of ["one", "two", "three"]) {
        await until(() => gates.length > 0);
        gates.shift()?.(event);
        const { value } = await text.next(); // The next event is not there yet, and this one is.
        assert.equal(String(value), `data: ${event}\n\n`);
      }
      leaving.abort();
      await text.return?.();
    });

  test("sends a stream whole, in pieces of any size", async () => {
    const all = Array.from({ length: 300 }, (_, n) => `${n} ${"é".repeat(n * 7)}\n`);
    const { ask } = compressed((ctx) => ctx.setHeader("Content-Type", "text/plain").send(Readable.from(all)));
    for (const coding of here) assert.equal((await ask(coding)).text, all.join(""));
    const empty = compressed((ctx) => ctx.setHeader("Content-Type", "text/plain").send(pieces()));
    assert.equal((await empty.ask("gzip")).text, "");
  });

  test("releases compressor and source when the client leaves, also while the source is idle", async () => {
    let ended = 0;
    const destroyed: boolean[] = [];
    const source = (): AsyncIterable<string> => ({
      [Symbol.asyncIterator]: () => {
        let sent = 0;
        return {
          next: () =>
            sent++ === 0 ? Promise.resolve({ done: false, value: "x" }) : new Promise<never>(() => undefined),
          return: () => {
            ended += 1;
            return Promise.resolve({ done: true, value: undefined });
          },
        };
      },
    });
    const watched = {
      ...zlib,
      createGzip: (options: zlib.ZlibOptions) => {
        const stream = zlib.createGzip(options);
        stream.once("close", () => void destroyed.push(stream.destroyed));
        return stream;
      },
    };
    const { pieces: compress } = codersWith(watched as never, levels).get("gzip") as Coder;
    assert.ok(compress !== undefined);
    const iterator = compress(source())[Symbol.asyncIterator]();
    assert.ok(((await iterator.next()).value as Uint8Array).length > 0);
    const waiting = iterator.next().then(
      () => "over",
      () => "over",
    );
    await iterator.return?.();
    assert.equal(await waiting, "over");
    await until(() => destroyed.length === 1);
    assert.deepEqual([ended, destroyed], [1, [true]]);
    assert.equal((await iterator.next()).done, true);
    // An unread one makes no compressor.
    const unread = compress(source())[Symbol.asyncIterator]();
    await unread.return?.();
    assert.equal((await unread.next()).done, true);
    for (const one of [iterator, unread]) await one.return?.(); // Once is enough.
    assert.deepEqual([ended, destroyed.length], [2, 1]);
  });

  test("stops reading an endless source when the client has left", async () => {
    let asked = 0;
    let give = (): void => undefined;
    const endless = {
      [Symbol.asyncIterator]: () => ({
        next: () =>
          new Promise<IteratorResult<string>>((resolve) => {
            asked += 1;
            give = () => resolve({ done: false, value: "x" });
            if (asked === 1) give();
          }),
      }),
    };
    // A compressor that reports immediately when there is nothing left to flush.
    const answering = {
      ...zlib,
      createGzip: (options: zlib.ZlibOptions) => {
        const stream = zlib.createGzip(options);
        const flush = stream.flush.bind(stream);
        stream.flush = ((kind: number, flushed: () => void) =>
          stream.destroyed ? flushed() : flush(kind, flushed)) as typeof flush;
        return stream;
      },
    };
    const { pieces: compress } = codersWith(answering as never, levels).get("gzip") as Coder;
    const iterator = compress?.(endless)[Symbol.asyncIterator]();
    await iterator?.next();
    await until(() => asked === 2);
    await iterator?.return?.();
    give();
    for (let turns = 0; turns < 20; turns += 1) await turn();
    assert.equal(asked, 2);
  });

  test("passes a source's failure on, and the response is cut", async () => {
    async function* failing(): AsyncGenerator<string> {
      yield "begun";
      await turn();
      throw new Error("the disk");
    }
    const { app, errors } = created();
    app.use(new CompressionMiddleware()).get("/", (ctx) => ctx.setHeader("Content-Type", "text/plain").send(failing()));
    const response = await app.fetch(new Request("http://h/", { headers: { "Accept-Encoding": "gzip" } }));
    await assert.rejects(response.arrayBuffer());
    assert.deepEqual(
      errors.map(({ line }) => line),
      ["GET / failed while its response was streamed"],
    );
  });

  test("ends compressed events with the app, with a complete coding", async () => {
    async function* events(): AsyncGenerator<string> {
      yield "one";
      await new Promise(() => undefined);
    }
    const { app } = created();
    app.use(new CompressionMiddleware()).get("/", (ctx) => ctx.sse(events()));
    await app.start(0);
    const response = await fetch(app.url, { headers: { "Accept-Encoding": "gzip" } });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const decoder = new TextDecoder();
    let text = decoder.decode((await reader.read()).value);
    const began = performance.now();
    const stopping = app.stop({ graceMs: 5_000 });
    for (let step = await reader.read(); !step.done; step = await reader.read()) text += decoder.decode(step.value);
    await stopping;
    assert.equal(text, "data: one\n\n"); // fetch has decoded it, and would have rejected a truncated coding.
    assert.ok(performance.now() - began < 4_000, "the stop waited for its grace");
  });

  test("without node:zlib whole bodies are gzip by web streams, and streams are not compressed", async () => {
    const coders = codersWith(undefined, levels);
    assert.deepEqual([...coders.keys()], ["gzip"]);
    const gzip = coders.get("gzip") as Coder;
    assert.equal(gzip.pieces, undefined);
    for (const body of [long, new TextEncoder().encode(long)])
      assert.equal(zlib.gunzipSync(await gzip.whole(body)).toString(), long);
  });

  test("uses only those codings that this platform has", async () => {
    const hidden = mock.method(process, "getBuiltinModule", () => undefined);
    try {
      const { ask } = compressed((ctx) =>
        ctx.method === "GET" ? long : ctx.setHeader("Content-Type", "text/plain").send(pieces(long)),
      );
      const [whole, inPieces] = [await ask("br, gzip"), await ask("br, gzip", { method: "POST" })];
      assert.deepEqual(
        [whole.coding, whole.text === long, inPieces.status, inPieces.coding, inPieces.text === long],
        ["gzip", true, 200, null, true],
      );
    } finally {
      hidden.mock.restore();
    }
  });

  test("works without a process, and without its modules", () => {
    const own = Object.getOwnPropertyDescriptor(globalThis, "process") ?? {};
    for (const value of [undefined, {}])
      try {
        Object.defineProperty(globalThis, "process", { value, configurable: true });
        assert.deepEqual([...codersOf(levels).keys()], ["gzip"]);
      } finally {
        Object.defineProperty(globalThis, "process", own);
      }
  });

  test("without either nothing is compressed", () => {
    const { CompressionStream } = globalThis;
    try {
      Reflect.deleteProperty(globalThis, "CompressionStream");
      assert.deepEqual([...codersWith(undefined, levels)], []);
    } finally {
      Object.assign(globalThis, { CompressionStream });
    }
  });
});

describe("codersWith", () => {
  /** The arguments of each function of `node:zlib`, for the existing codings. */
  function noting() {
    const given: Record<string, unknown> = {};
    const noted = Object.entries(zlib).map(([name, value]) => [
      name,
      typeof value !== "function"
        ? value
        : (...of: readonly unknown[]) => {
            given[name] = of.find((one) => typeof one === "object");
            return (value as (...of: readonly unknown[]) => unknown)(...of);
          },
    ]);
    return { given, coders: codersWith(Object.fromEntries(noted) as never, { br: 5, zstd: 7, gzip: 8 }) };
  }

  test("passes each coding its level, and streams of br and zstd a window of 512 KiB", async () => {
    const { given, coders } = noting();
    for (const { whole, pieces: inPieces } of coders.values()) {
      await whole("x".repeat(65_535));
      await whole("x".repeat(65_536));
      for await (const piece of inPieces?.(pieces("x")) ?? []) assert.ok(piece.length > 0);
    }
    const { constants } = zlib as { constants: Record<string, number> };
    const quality = { [Number(constants["BROTLI_PARAM_QUALITY"])]: 5 };
    const level = { [Number(constants["ZSTD_c_compressionLevel"])]: 7 };
    const expected: Record<string, unknown> = {
      brotliCompressSync: { params: quality },
      brotliCompress: { params: quality },
      createBrotliCompress: { params: { ...quality, [Number(constants["BROTLI_PARAM_LGWIN"])]: 19 } },
      gzipSync: { level: 8 },
      gzip: { level: 8 },
      createGzip: { level: 8 },
    };
    if (coders.has("zstd"))
      Object.assign(expected, {
        zstdCompressSync: { params: level },
        zstdCompress: { params: level },
        createZstdCompress: { params: { ...level, [Number(constants["ZSTD_c_windowLog"])]: 19 } },
      });
    assert.deepEqual(given, expected);
  });

  test("uses zstd of node:zlib by its own names", async () => {
    const given: unknown[] = [];
    const constants = { ...zlib.constants, ZSTD_e_flush: zlib.constants.Z_SYNC_FLUSH };
    const having = {
      ...zlib,
      constants: { ...constants, ZSTD_c_compressionLevel: 100, ZSTD_c_windowLog: 101 },
      zstdCompressSync: (body: string, options: object) => (given.push(options), zlib.gzipSync(body)),
      zstdCompress: (body: string, options: object, done: zlib.CompressCallback) => {
        given.push(options);
        zlib.gzip(body, done);
      },
      createZstdCompress: (options: object) => {
        given.push(options);
        const stream = zlib.createGzip();
        const flush = stream.flush.bind(stream);
        stream.flush = ((kind: number, flushed: () => void) => {
          given.push(kind);
          flush(kind, flushed);
        }) as typeof flush;
        return stream;
      },
    };
    const coder = codersWith(having as never, { ...levels, zstd: 7 }).get("zstd") as Coder;
    for (const text of ["x", "x".repeat(65_536)])
      assert.equal(zlib.gunzipSync(await coder.whole(text)).toString(), text);
    const streamed: Uint8Array[] = [];
    for await (const piece of coder.pieces?.(pieces("a", "b")) ?? []) streamed.push(piece);
    assert.equal(zlib.gunzipSync(Buffer.concat(streamed)).toString(), "ab");
    const whole = { params: { 100: 7 } };
    const kind = zlib.constants.Z_SYNC_FLUSH;
    assert.deepEqual(given, [whole, whole, { params: { 100: 7, 101: 19 } }, kind, kind]);
  });

  test("leaves out the coding that this node:zlib lacks", () => {
    const older = { ...zlib, createZstdCompress: undefined };
    assert.deepEqual([...codersWith(older as never, levels).keys()], ["br", "gzip"]);
  });
});
