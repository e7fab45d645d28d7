/** Content codings: each one that this runtime can decode, with node:zlib and with web streams (ERR). */
import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { describe, it } from "node:test";
import * as zlib from "node:zlib";
import { codingOf, codingsWith, decodeBytes, decodeStream, type Coding } from "./content-coding.ts";
import { BadRequestError, ClientGoneError, ContentTooLargeError, HttpError } from "../internal/errors.ts";

type Zlib = NonNullable<Parameters<typeof codingsWith>[0]>;

const node = zlib as unknown as Zlib;
const known = codingsWith(node);
const encoders: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  gzip: (bytes) => zlib.gzipSync(bytes),
  deflate: (bytes) => zlib.deflateSync(bytes),
  br: (bytes) => zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 5 } }),
  zstd: (bytes) => (Reflect.get(zlib, "zstdCompressSync") as (bytes: Uint8Array) => Uint8Array)(bytes),
};
/** Every decoder here: its name, its encoder, and the coding. */
const ways = [
  ...[...known].map(([name, coding]) => ["node:zlib", name, coding] as const),
  ...[...codingsWith(undefined)].map(([name, coding]) => ["the web's streams", name, coding] as const),
];

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const plain = '{"a":[1,2,3],"text":"' + "all work and no play ".repeat(50) + '"}';
const large = 1_000_000;

const streamOf = (pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> => {
  const left = [...pieces];
  return new ReadableStream({
    pull(controller) {
      const next = left.shift();
      if (next === undefined) controller.close();
      else controller.enqueue(next);
    },
  });
};

async function collected(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of stream) text += decoder.decode(piece, { stream: true });
  return text;
}

const is400 = (error: unknown): boolean =>
  error instanceof BadRequestError && error.headers["Connection"] === "close" && /is not valid/.test(error.message);
const is413 = (error: unknown): boolean => error instanceof ContentTooLargeError;

it("ERR-023: gzip, deflate and br are decoded on every Node, zstd from 24", (t) => {
  t.diagnostic(`${process.version} decodes ${[...known.keys()].join(", ")}`);
  const zstd = Number.parseInt(process.versions.node, 10) >= 24 ? ["zstd"] : [];
  assert.deepEqual([...known.keys()], ["gzip", "deflate", "br", ...zstd]);
  assert.deepEqual([...codingsWith(undefined).keys()], ["gzip", "deflate"]);
});

for (const [where, name, coding] of ways) {
  const encoded = (text: string | Uint8Array): Uint8Array =>
    encoders[name]?.(typeof text === "string" ? bytesOf(text) : text) ?? new Uint8Array();
  const sent = encoded(plain);
  // The web streams of Node 20 do not report trailing data, so node:zlib is used there.
  const noticesMore = where === "node:zlib" || Number.parseInt(process.versions.node, 10) >= 22;
  describe(`${name} by ${where}`, () => {
    it("ERR-023: is decoded whole and as a stream, split at one byte or at every byte", async () => {
      assert.equal(textOf(await decodeBytes(sent, coding, large)), plain);
      const splits = Array.from(sent, (_, at) => [sent.subarray(0, at), sent.subarray(at)]);
      for (const pieces of [...splits, Array.from(sent, (byte) => Uint8Array.of(byte))])
        assert.equal(await collected(decodeStream(streamOf(pieces), coding, large)), plain);
    });

    it("ERR-023: accepts exactly as many bytes as the limit, and responds 413 to one more", async () => {
      const bytes = new Uint8Array(70_000);
      assert.equal((await decodeBytes(encoded(bytes), coding, bytes.length)).length, bytes.length);
      await assert.rejects(decodeBytes(encoded(bytes), coding, bytes.length - 1), is413);
      await assert.rejects(decodeBytes(encoded("x"), coding, 0), is413);
      assert.equal((await decodeBytes(encoded(""), coding, 0)).length, 0);
    });

    it("ERR-025: responds 400 to data that is cut short, damaged or followed by more", async () => {
      for (let length = 1; length < sent.length; length += 1)
        await assert.rejects(decodeBytes(sent.subarray(0, length), coding, large), is400, `${length} bytes`);
      const longer = [Uint8Array.of(...sent, 120, 120), Uint8Array.of(...sent, 0, 0, 0, 0)];
      const others = [bytesOf("this is not coded"), Uint8Array.of(0), ...(noticesMore ? longer : [])];
      for (const [at, bytes] of others.entries()) {
        await assert.rejects(decodeBytes(bytes, coding, large), is400, `number ${at}`);
        await assert.rejects(collected(decodeStream(streamOf([bytes]), coding, large)), is400, `number ${at}`);
      }
      await assert.rejects(decodeBytes(sent.subarray(0, 9), coding, large), {
        message: `the body is not valid ${name}: it is cut short or malformed`,
      });
      if (!noticesMore) return;
      const why = where === "node:zlib" ? "something follows it" : "it is cut short or malformed";
      await assert.rejects(decodeBytes(Uint8Array.of(...sent, 0, 0, 0, 0), coding, large), {
        message: `the body is not valid ${name}: ${why}`,
      });
      const followed = decodeStream(streamOf([sent, bytesOf("xx"), bytesOf("yy")]), coding, large);
      await assert.rejects(collected(followed), is400);
    });

    it("is empty when no byte was sent", async () => {
      assert.equal((await decodeBytes(new Uint8Array(), coding, large)).length, 0);
      assert.equal(await collected(decodeStream(streamOf([]), coding, large)), "");
    });

    it("ERR-024: stops a bomb of 60 MB at the limit without using more memory", async () => {
      const bomb = encoded(new Uint8Array(60_000_000));
      const before = process.memoryUsage().rss;
      let peak = before;
      const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 1);
      await assert.rejects(decodeBytes(bomb, coding, large), is413);
      let taken = 0;
      const reading = (async () => {
        for await (const piece of decodeStream(streamOf([bomb]), coding, large)) taken += piece.length;
      })();
      await assert.rejects(reading, is413);
      clearInterval(watch);
      assert.ok(taken <= large, `${taken} bytes were handed on`);
      assert.ok(Math.max(peak, process.memoryUsage().rss) - before < 30_000_000, `${peak - before} bytes`);
    });

    it("fails when its source fails", async () => {
      const pieces = [sent.subarray(0, 20)];
      const source = new ReadableStream<Uint8Array>({
        pull(controller) {
          const next = pieces.shift();
          if (next === undefined) controller.error(new ClientGoneError());
          else controller.enqueue(next);
        },
      });
      await assert.rejects(collected(decodeStream(source, coding, large)), ClientGoneError);
    });

    it("releases its source when the consumer stops reading, also while the source is idle", async () => {
      const text = encoded(new Uint8Array(300_000).map((_, at) => (at * 2_654_435_761) >>> 13));
      const cancelled: unknown[] = [];
      const source = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(text.subarray(0, text.length >> 1)),
        cancel: (reason) => void cancelled.push(reason),
      });
      const reader = decodeStream(source, coding, large).getReader();
      assert.ok(((await reader.read()).value?.length ?? 0) > 0);
      await reader.cancel("enough");
      assert.deepEqual(cancelled, ["enough"]);
      const idle = new ReadableStream<Uint8Array>({ cancel: (reason) => void cancelled.push(reason) });
      const waiting = decodeStream(idle, coding, large).getReader();
      const read = waiting.read();
      await waiting.cancel("left");
      assert.deepEqual([await read, cancelled], [{ done: true, value: undefined }, ["enough", "left"]]);
    });

    it("reads nothing before it is read", async () => {
      let pulled = 0;
      const source = new ReadableStream<Uint8Array>({ pull: () => void (pulled += 1) }, { highWaterMark: 0 });
      decodeStream(source, coding, large);
      for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      assert.equal(pulled, 0);
    });
  });
}

describe("a decoder", () => {
  /** A coding with a decoder that yields that piece, and a log of its calls. */
  function ownCoding(piece: Uint8Array): { coding: Coding; calls: string[] } {
    const calls: string[] = [];
    let taken = (): void => undefined;
    const pieces = (async function* () {
      yield piece;
      taken();
    })();
    const write = (): Promise<void> => (calls.push("write"), new Promise((resolve) => (taken = resolve)));
    const close = (): void => (calls.push("close"), taken());
    const decoder = { pieces, write, close, end: () => void calls.push("end"), used: (written: number) => written };
    return { coding: { name: "own", open: () => decoder }, calls };
  }
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it("ERR-024: is closed at the limit, not ended as if the data were complete", async () => {
    const { coding, calls } = ownCoding(bytesOf("abc"));
    await assert.rejects(decodeBytes(bytesOf("coded"), coding, 2), is413);
    await turn();
    assert.deepEqual(calls, ["write", "close"]);
  });

  it("ERR-025: responds 400 when the coding ends before the body does", async () => {
    const { coding } = ownCoding(bytesOf("abc"));
    const decoder = { ...coding.open(), write: () => new Promise<void>(() => undefined) };
    const own = { name: "own", open: () => decoder };
    await assert.rejects(decodeBytes(bytesOf("coded"), own, large), {
      message: "the body is not valid own: something follows it",
    });
  });

  it("passes no empty piece on", async () => {
    const pieces = (async function* () {
      yield new Uint8Array();
      yield bytesOf("abc");
    })();
    const decoder = { ...ownCoding(new Uint8Array()).coding.open(), pieces };
    const stream = decodeStream(streamOf([bytesOf("coded")]), { name: "own", open: () => decoder }, large);
    assert.equal(textOf((await stream.getReader().read()).value ?? new Uint8Array()), "abc");
  });

  it("is not blocked by a pending write when it is closed or fails", async () => {
    for (const [name, coding] of known) {
      const closed = coding.open();
      const waiting = closed.write(encoders[name]?.(new Uint8Array(large)) ?? new Uint8Array());
      closed.close();
      await waiting;
      const failing = coding.open();
      await failing.write(bytesOf("this is not coded"));
      await assert.rejects(failing.pieces[Symbol.asyncIterator]().next());
    }
  });

  it("gives a web stream at most one kilobyte in each write", async (t) => {
    const { DecompressionStream } = globalThis;
    t.after(() => void Reflect.set(globalThis, "DecompressionStream", DecompressionStream));
    const sizes: number[] = [];
    class Passing extends TransformStream<Uint8Array, Uint8Array> {
      constructor() {
        super({ transform: (piece, controller) => (sizes.push(piece.length), controller.enqueue(piece)) });
      }
    }
    Reflect.set(globalThis, "DecompressionStream", Passing);
    const coding = codingsWith(undefined).get("gzip") ?? assert.fail("no gzip");
    for (const size of [2_048, 2_500])
      assert.equal((await decodeBytes(new Uint8Array(size), coding, large)).length, size);
    assert.deepEqual(sizes, [1_024, 1_024, 1_024, 1_024, 452]);
  });

  it("is closed, not ended, when the consumer stops reading", async () => {
    const { coding, calls } = ownCoding(bytesOf("abc"));
    const reader = decodeStream(streamOf([bytesOf("coded"), bytesOf("more")]), coding, large).getReader();
    assert.equal(textOf((await reader.read()).value ?? new Uint8Array()), "abc");
    await reader.cancel();
    await turn();
    assert.deepEqual(calls, ["write", "close"]);
  });
});

describe("codingOf", () => {
  const nameOf = (field: string | undefined): string | undefined => codingOf(field)?.name;

  it("returns none without a header, and ignores case", () => {
    for (const field of [undefined, "", " ", "identity", "Identity, ,identity"]) assert.equal(nameOf(field), undefined);
    assert.deepEqual(["gzip", "GZip ", "x-gzip", "identity, deflate", "br,"].map(nameOf), [
      "gzip",
      "gzip",
      "gzip",
      "deflate",
      "br",
    ]);
  });

  it("ERR-027: responds 415 to any other coding and to two codings, and lists the supported ones", () => {
    const decoded = [...known.keys()].join(", ");
    for (const field of [
      "compress",
      "gzip, br",
      "gzip, gzip",
      "aes128gcm",
      "gzip;q=1",
      "x".repeat(10_000),
      "__proto__",
    ])
      assert.throws(
        () => codingOf(field),
        (error: unknown) =>
          error instanceof HttpError &&
          error.status === 415 &&
          error.headers["Accept-Encoding"] === decoded &&
          error.message.length < 200,
      );
    assert.throws(() => codingOf("gzip, Br,identity"), {
      message: `a body coded as gzip, br is not decoded here: one of ${decoded} is allowed`,
    });
  });
});

describe("codingsWith", () => {
  it("leaves out codings that are missing or accept half a body as whole", () => {
    const lenient = { ...node, brotliDecompressSync: () => new Uint8Array(), createInflate: undefined };
    const namesWith = (zlibs: object): readonly string[] =>
      [...codingsWith(zlibs as unknown as Zlib).keys()].filter((name) => name !== "zstd");
    assert.deepEqual(namesWith(lenient), ["gzip"]);
    assert.deepEqual(namesWith({ ...node, gunzipSync: undefined }), ["deflate", "br"]);
  });

  it("is empty when the runtime has neither", (t) => {
    const { DecompressionStream } = globalThis;
    t.after(() => void Reflect.set(globalThis, "DecompressionStream", DecompressionStream));
    Reflect.set(globalThis, "DecompressionStream", undefined);
    assert.deepEqual([...codingsWith(undefined)], []);
  });

  it("ERR-027: responds 415 to every coding, and asks for none", async (t) => {
    const { DecompressionStream } = globalThis;
    const { getBuiltinModule } = process;
    t.after(() => {
      Reflect.set(globalThis, "DecompressionStream", DecompressionStream);
      Reflect.set(process, "getBuiltinModule", getBuiltinModule);
    });
    Reflect.set(globalThis, "DecompressionStream", undefined);
    Reflect.set(process, "getBuiltinModule", undefined);
    const url = new URL("content-coding.js?without", import.meta.url).href;
    const fresh = (await import(url)) as { readonly codingOf: typeof codingOf };
    assert.throws(() => fresh.codingOf("gzip"), {
      status: 415,
      message: "a body coded as gzip is not decoded here: one of no coding is allowed",
      headers: { "Accept-Encoding": "identity" },
    });
  });

  it("bounds the window of Zstandard alone, when zlib has the option", () => {
    for (const [constants, expected] of [
      [{ ZSTD_d_windowLogMax: 100 }, { params: { 100: 23 } }],
      [{}, undefined],
    ] as const) {
      const opened: unknown[] = [];
      const create = (options: unknown): PassThrough => (opened.push(options), new PassThrough());
      const atOnce = (): never => assert.fail("half a body");
      const ofZstd = { createZstdDecompress: create, zstdDecompressSync: atOnce };
      const zlibs = { constants, ...ofZstd, createGunzip: create, gunzipSync: atOnce } as unknown as Zlib;
      for (const name of ["zstd", "gzip"]) codingsWith(zlibs).get(name)?.open();
      assert.deepEqual(opened, [expected, undefined]);
    }
  });

  it("accepts a Zstandard window of up to 8 MiB and no larger one", async (t) => {
    const zstd: Coding | undefined = known.get("zstd");
    if (zstd === undefined) return t.skip(`${process.version} has no decoder of Zstandard that notices a cut`);
    // Magic, no content size, a window of 2^exponent, then one block of one byte.
    const frame = (exponent: number): Uint8Array =>
      Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0, (exponent - 10) << 3, 9, 0, 0, 120);
    assert.equal(textOf(await decodeBytes(frame(23), zstd, large)), "x");
    await assert.rejects(decodeBytes(frame(24), zstd, large), is400);
    return undefined;
  });
});
