/**
 * Coders: compress a body on this platform, whole or piece by piece.
 *
 *   node:zlib ──▶ br, zstd (if Node has it), gzip; whole or a stream that is flushed after every piece
 *   the web's CompressionStream ──▶ gzip of whole bodies alone: it cannot be flushed, and events would be held back
 *   neither ──▶ nothing is compressed
 *
 * A large body is compressed on a libuv thread, so that only its own client waits for it.
 *
 * Spec: spec/compression.md
 */
import type { StreamBody } from "../../http/context.ts";
import { quietly, sourceOf } from "../../http/streaming.ts";

/**
 * The codings that a client may be sent. `deflate` is left out, because half of its implementations mean zlib and the others do
 * not.
 */
export type CodingName = "br" | "zstd" | "gzip";

/** The effort of each coding. */
export interface Levels {
  /** 0 to 11. */
  readonly br: number;
  /** 1 to 22. */
  readonly zstd: number;
  /** 1 to 9. */
  readonly gzip: number;
}

/** Compresses with one coding. */
export interface Coder {
  /** A whole body, synchronously or on a thread if that is worth it. */
  whole(body: string | Uint8Array): Uint8Array | Promise<Uint8Array>;
  /** A body in pieces, or undefined when this platform cannot flush each piece as it comes. */
  readonly pieces: ((body: StreamBody) => AsyncIterable<Uint8Array>) | undefined;
}

/** The part of a compressing stream of `node:zlib` that is used. */
interface Compressor extends AsyncIterable<Uint8Array> {
  write(piece: string | Uint8Array): unknown;
  flush(kind: number, flushed: () => void): unknown;
  end(): unknown;
  destroy(error?: unknown): unknown;
  on(event: "error", listener: () => void): unknown;
}

type AtOnce = (body: string | Uint8Array, options: unknown) => Uint8Array;
type Later = (
  body: string | Uint8Array,
  options: unknown,
  done: (error: Error | null, compressed: Uint8Array) => void,
) => void;

/** The part of `node:zlib` that is used. */
type Zlib = Readonly<Record<string, unknown>> & { readonly constants: Readonly<Record<string, number>> };

/** A coding, and its names in `node:zlib`: a stream, synchronous, on a thread, and the flush constant. */
const ofNode = [
  ["br", "createBrotliCompress", "brotliCompressSync", "brotliCompress", "BROTLI_OPERATION_FLUSH"],
  ["zstd", "createZstdCompress", "zstdCompressSync", "zstdCompress", "ZSTD_e_flush"],
  ["gzip", "createGzip", "gzipSync", "gzip", "Z_SYNC_FLUSH"],
] as const;

/** The size from which a thread is worth its wake-up. Below it, compressing takes a millisecond at most, and half the CPU. */
const threadedFrom = 65_536;

/** The coders of this platform. */
export function codersOf(levels: Levels): ReadonlyMap<CodingName, Coder> {
  return codersWith(globalThis.process?.getBuiltinModule?.("node:zlib"), levels);
}

/** The coders of `zlib`, or without it of web streams. */
export function codersWith(zlib: Zlib | undefined, levels: Levels): ReadonlyMap<CodingName, Coder> {
  if (zlib === undefined) return new Map(hasGzipStream() ? [["gzip", { whole: gzipOfTheWeb, pieces: undefined }]] : []);
  const found = new Map<CodingName, Coder>();
  for (const [name, create, atOnce, later, flush] of ofNode) {
    const open = zlib[create] as ((options: unknown) => Compressor) | undefined;
    if (open === undefined) continue;
    const [sync, threaded] = [zlib[atOnce] as AtOnce, zlib[later] as Later];
    const { whole, streamed } = optionsOf(name, levels, zlib.constants);
    const kind = zlib.constants[flush] ?? 0;
    found.set(name, {
      whole: (body) => (body.length < threadedFrom ? sync(body, whole) : byThread(threaded, body, whole)),
      pieces: (body) => ({ [Symbol.asyncIterator]: () => new Compressing(body, () => open(streamed), kind) }),
    });
  }
  return found;
}

/** Options for whole bodies, and for streams. Many streams may be open at a time, so theirs have a window of 512 KiB at most. */
function optionsOf(
  name: CodingName,
  levels: Levels,
  constants: Zlib["constants"],
): { readonly whole: unknown; readonly streamed: unknown } {
  if (name === "gzip") return { whole: { level: levels.gzip }, streamed: { level: levels.gzip } };
  const [level, window] =
    name === "br" ? ["BROTLI_PARAM_QUALITY", "BROTLI_PARAM_LGWIN"] : ["ZSTD_c_compressionLevel", "ZSTD_c_windowLog"];
  const params = { [Number(constants[level])]: levels[name] };
  return { whole: { params }, streamed: { params: { ...params, [Number(constants[window])]: 19 } } };
}

const byThread = (compress: Later, body: string | Uint8Array, options: unknown): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    compress(body, options, (error, compressed) => (error === null ? resolve(compressed) : reject(error)));
  });

/**
 * A body on its way through a compressor. The compressor is made for the first piece and released at any end.
 *
 *   source ──▶ piece ──▶ write, flush ──▶ output ──▶ next()
 *   return() ──▶ the source is ended, the compressor destroyed
 */
class Compressing implements AsyncIterator<Uint8Array, undefined> {
  readonly #source: AsyncIterator<Uint8Array | string, unknown>;
  readonly #open: () => Compressor;
  readonly #flush: number;
  #compressor: Compressor | undefined;
  #pieces: AsyncIterator<Uint8Array> | undefined;
  #isOver = false;

  constructor(body: StreamBody, open: () => Compressor, flush: number) {
    this.#source = sourceOf<Uint8Array | string>(body);
    this.#open = open;
    this.#flush = flush;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.#isOver) return over;
    const step = await (this.#pieces ??= this.#start()).next();
    return step.done === true ? over : step;
  }

  return(): Promise<IteratorReturnResult<undefined>> {
    if (!this.#isOver) {
      this.#isOver = true;
      quietly(this.#source);
      this.#compressor?.destroy();
    }
    return Promise.resolve(over);
  }

  #start(): AsyncIterator<Uint8Array> {
    const compressor = (this.#compressor = this.#open());
    // An error goes to the reader of the pieces. Without a reader it is ignored.
    compressor.on("error", () => undefined);
    this.#feed(compressor).catch((error: unknown) => void compressor.destroy(error));
    return compressor[Symbol.asyncIterator]();
  }

  /** Passes the source to the compressor, a piece after the output of the one before was taken. Stops when it was destroyed. */
  async #feed(compressor: Compressor): Promise<void> {
    for (;;) {
      const { done, value } = await this.#source.next();
      if (this.#isOver) return;
      if (done === true) return void compressor.end();
      await new Promise<void>((resolve) => {
        compressor.write(value);
        compressor.flush(this.#flush, resolve);
      });
    }
  }
}

const over: IteratorReturnResult<undefined> = { done: true, value: undefined };

function hasGzipStream(): boolean {
  try {
    void new CompressionStream("gzip");
    return true;
  } catch {
    return false;
  }
}

async function gzipOfTheWeb(body: string | Uint8Array): Promise<Uint8Array> {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : Uint8Array.from(body);
  const compressed = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(compressed).arrayBuffer());
}
