/**
 * Content codings: decodes a compressed body (RFC 9110 §8.4).
 *
 *   Content-Encoding: gzip ──▶ coding ──▶ decoder ──▶ pieces, at most `limit` bytes of them ──▶ whole, or a stream
 *   an unsupported coding ──▶ 415, Accept-Encoding           damaged or cut short ──▶ 400        a bomb ──▶ 413
 *
 * The decoded bytes are counted piece by piece, and a piece is made only after the one before it was consumed. So a body that
 * would swell to gigabytes costs no more than one of the limit's size.
 *
 * Spec: spec/errors.md
 */
import { joinedBytes } from "../internal/bytes.ts";
import { BadRequestError, ContentTooLargeError, HttpError, UnsupportedMediaTypeError } from "../internal/errors.ts";

/** A coding that this runtime can decode. */
export interface Coding {
  readonly name: string;
  /** A decoder for one body. */
  open(): Decoder;
}

/** Decodes one body. */
interface Decoder {
  readonly pieces: AsyncIterable<Uint8Array>;
  /** Resolves when the bytes were taken, or when the decoder has failed or was closed. */
  write(piece: Uint8Array): Promise<void>;
  /** Ends the input. */
  end(): void;
  /** Gives up in any state. `pieces` then fail with the error, if one is given. */
  close(error?: unknown): void;
  /** How many of these bytes belonged to the coding. Read after `pieces` have ended. */
  used(written: number): number;
}

/**
 * The coding to decode, or undefined when there is none (no field, `identity`).
 *
 * @throws UnsupportedMediaTypeError (415) naming the supported codings. Two nested codings are not supported, because a small
 *   bomb in a small bomb is a large one and no client is known to send them.
 */
export function codingOf(contentEncoding: string | undefined): Coding | undefined {
  if (contentEncoding === undefined) return undefined;
  const named = contentEncoding
    .toLowerCase()
    .split(",")
    .flatMap((name) => name.trim() || [])
    .filter((name) => name !== "identity");
  const [first] = named;
  if (first === undefined) return undefined;
  const known = codings();
  const coding = known.get(first === "x-gzip" ? "gzip" : first);
  if (coding !== undefined && named.length === 1) return coding;
  const decoded = [...known.keys()].join(", ");
  throw new UnsupportedMediaTypeError(
    `a body coded as ${named.join(", ").slice(0, 64)} is not decoded here: one of ${decoded || "no coding"} is allowed`,
    { headers: { "Accept-Encoding": decoded || "identity" } },
  );
}

/** @throws (rejects) BadRequestError (400) for damaged bytes, ContentTooLargeError (413) past `limit` decoded ones. */
export async function decodeBytes(bytes: Uint8Array, coding: Coding, limit: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of new Decoding(only(bytes), coding, limit).pieces()) {
    pieces.push(piece);
    size += piece.length;
  }
  return joinedBytes(pieces, size);
}

/** The decoded stream, read no faster than it is consumed. It fails with the same errors as `decodeBytes`. */
export function decodeStream(
  stream: ReadableStream<Uint8Array>,
  coding: Coding,
  limit: number,
): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  const decoding = new Decoding(read(reader), coding, limit);
  const pieces = decoding.pieces();
  const cancel = async (reason?: unknown): Promise<void> => {
    decoding.stop();
    await reader.cancel(reason);
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await pieces.next();
          if (done === true) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          controller.error(error);
          await cancel(error).catch(() => undefined);
        }
      },
      cancel,
    },
    { highWaterMark: 0 },
  );
}

// eslint-disable-next-line typescript/require-await
async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function* read(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
}

/** One body on its way through a decoder. */
class Decoding {
  readonly #source: AsyncIterable<Uint8Array>;
  readonly #coding: Coding;
  readonly #limit: number;
  #decoder: Decoder | undefined;
  /** Bytes handed to the decoder. */
  #written = 0;
  /** Has the source been read to its end? */
  #isWhole = false;
  #isStopped = false;
  /** The error of the source. */
  #failure: { readonly error: unknown } | undefined;

  constructor(source: AsyncIterable<Uint8Array>, coding: Coding, limit: number) {
    this.#source = source;
    this.#coding = coding;
    this.#limit = limit;
  }

  /** The decoded source, once. An empty source gives nothing, even if it declares a coding. */
  async *pieces(): AsyncGenerator<Uint8Array> {
    const decoder = (this.#decoder = this.#coding.open());
    this.#feed(decoder).catch((error: unknown) => {
      this.#failure = { error };
      decoder.close(error);
    });
    let size = 0;
    try {
      for await (const piece of decoder.pieces) {
        size += piece.length;
        if (size > this.#limit) throw new ContentTooLargeError(this.#limit);
        if (piece.length > 0) yield new Uint8Array(piece.buffer, piece.byteOffset, piece.length);
      }
      if (!this.#isWhole || decoder.used(this.#written) !== this.#written) throw this.#damaged("something follows it");
    } catch (error) {
      if (error instanceof HttpError) throw error;
      if (this.#failure !== undefined) throw this.#failure.error;
      if (!this.#isWhole || this.#written > 0) throw this.#damaged("it is cut short or malformed", error);
    } finally {
      this.stop();
    }
  }

  /** The consumer stops reading. */
  stop(): void {
    this.#isStopped = true;
    this.#decoder?.close();
  }

  /** Writes the source to the decoder until one of them ends. */
  async #feed(decoder: Decoder): Promise<void> {
    for await (const piece of this.#source) {
      this.#written += piece.length;
      await decoder.write(piece);
      if (this.#isStopped) return;
    }
    this.#isWhole = true;
    decoder.end();
  }

  /** The rest of such a body is not read, so its connection closes. */
  #damaged(why: string, cause?: unknown): BadRequestError {
    const headers = { Connection: "close" };
    return new BadRequestError(`the body is not valid ${this.#coding.name}: ${why}`, { cause, headers });
  }
}

/** The part of a stream of `node:zlib` that is used. */
interface Inflater extends AsyncIterable<Uint8Array> {
  readonly bytesWritten: number;
  write(piece: Uint8Array, written: () => void): unknown;
  end(): unknown;
  destroy(error?: unknown): unknown;
  on(event: "error" | "close", listener: () => void): Inflater;
}

/** The part of `node:zlib` that is used. An older Node lacks zstd. */
type Zlib = Readonly<Record<string, ((first?: unknown, options?: unknown) => unknown) | undefined>> & {
  readonly constants: Readonly<Record<string, number>>;
};

/** RFC 9659: a window of more than 8 MiB need not be accepted, because a few bytes would allocate it. */
const largestWindow = 23;

/** A coding, its decoder in `node:zlib`, its synchronous form, the first byte of such a body, and options. */
const ofNode = [
  ["gzip", "createGunzip", "gunzipSync", 0x1f],
  ["deflate", "createInflate", "inflateSync", 0x78],
  ["br", "createBrotliDecompress", "brotliDecompressSync", 0x0b],
  ["zstd", "createZstdDecompress", "zstdDecompressSync", 0x28],
] as const;

let known: ReadonlyMap<string, Coding> | undefined;

/** The supported codings, determined once. */
function codings(): ReadonlyMap<string, Coding> {
  known ??= codingsWith(globalThis.process?.getBuiltinModule?.("node:zlib") as unknown as Zlib | undefined);
  return known;
}

/** The codings that `zlib` can decode, or web streams without it. */
export function codingsWith(zlib: Zlib | undefined): ReadonlyMap<string, Coding> {
  const found = zlib === undefined ? ofTheWeb() : ofZlib(zlib);
  return new Map(found.map((coding) => [coding.name, coding]));
}

function ofZlib(zlib: Zlib): readonly Coding[] {
  const window = zlib.constants["ZSTD_d_windowLogMax"];
  const options = { zstd: window === undefined ? undefined : { params: { [window]: largestWindow } } };
  return ofNode.flatMap(([name, create, atOnce, first]) => {
    const open = zlib[create];
    if (open === undefined || !noticesTheEnd(zlib[atOnce], first)) return [];
    return [{ name, open: () => inflating(open(name === "zstd" ? options.zstd : undefined) as Inflater) }];
  });
}

/**
 * Does the decoder report a truncated body? Zstandard in Node 22 and Bun, and brotli in Deno, accept half a body as whole, and
 * the application would get different data.
 */
function noticesTheEnd(atOnce: Zlib[string], first: number): boolean {
  try {
    atOnce?.(Uint8Array.of(first));
    return false;
  } catch {
    return true;
  }
}

function inflating(inflater: Inflater): Decoder {
  let release = (): void => undefined;
  // A pending write at a failure, and data after the end of the coding, are never reported as written.
  inflater.on("error", () => undefined).on("close", () => release());
  return {
    pieces: inflater,
    write: (piece) =>
      new Promise((resolve) => {
        release = resolve;
        inflater.write(piece, resolve);
      }),
    end: () => void inflater.end(),
    close: (error) => void inflater.destroy(error),
    used: () => inflater.bytesWritten,
  };
}

/** Bytes given to a web stream in one write, because it may expand them a thousand times in one step. */
const slice = 1_024;

function ofTheWeb(): readonly Coding[] {
  return (["gzip", "deflate"] as const).flatMap((name) => {
    try {
      void new DecompressionStream(name);
      return [{ name, open: () => decompressing(new DecompressionStream(name)) }];
    } catch {
      return [];
    }
  });
}

function decompressing({ readable, writable }: DecompressionStream): Decoder {
  const writer = writable.getWriter();
  const quietly = (): void => undefined;
  return {
    pieces: read((readable as ReadableStream<Uint8Array>).getReader()),
    async write(piece) {
      for (let at = 0; at < piece.length; at += slice) await writer.write(piece.slice(at, at + slice)).catch(quietly);
    },
    end: () => void writer.close().catch(quietly),
    close: (reason) => void writer.abort(reason).catch(quietly),
    used: (written) => written, // It rejects trailing data on its own.
  };
}
