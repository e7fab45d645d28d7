/**
 * The body of a web Response. It is read whole when it is in memory or short, so that it gets an ETag and a length like a
 * value.
 *
 *   text, bytes                ──▶ there at once ──▶ whole
 *   Content-Length ≤ 64 KiB    ──▶ waited for    ──▶ whole
 *   everything else            ──▶ in pieces, no faster than the client reads: first what has been read already
 *
 * A `Content-Encoding` that the bytes do not have is dropped, because code that passes a `fetch` response on also passes on the
 * header of a coding that `fetch` has decoded.
 *
 * Spec: spec/context.md
 */
import { isWithoutContent } from "../internal/http-rules.ts";
import type { RecordedResponse, StreamBody } from "./context.ts";
import { fieldOf, withoutFields } from "./headers.ts";
import { lengthOf, rejection } from "./outgoing.ts";
import { hold, sourceOf } from "./streaming.ts";

/** Maximum bytes held, except for a first piece, which is in memory already. */
const maxHeld = 65_536;
/** Maximum pieces read without waiting. */
const maxPieces = 16;
/** Turns of the microtask queue within which a text or bytes arrive, and no data from a network. */
const maxTurns = 32;

type Piece = Uint8Array | string;
type Step = IteratorResult<Piece, unknown>;

/** A body that may be read whole. Otherwise it is an ordinary stream. */
export class ResponseBody implements AsyncIterable<Piece> {
  readonly #stream: StreamBody;
  #source: AsyncIterator<Piece, unknown> | undefined;
  /** Pieces read and not sent yet. */
  readonly #pieces: Uint8Array[] = [];
  #held = 0;
  /** A read that is still pending. */
  #asked: Promise<Step> | undefined;
  #isOver = false;

  constructor(stream: StreamBody) {
    hold(stream);
    this.#stream = stream;
  }

  [Symbol.asyncIterator](): AsyncIterator<Piece, unknown> {
    return {
      next: () => {
        const value = this.#pieces.shift();
        if (value !== undefined) return Promise.resolve({ done: false, value });
        const asked = this.#ask();
        this.#asked = undefined;
        return asked;
      },
      return: async () => {
        this.#pieces.length = 0;
        await this.#open().return?.();
        return { done: true, value: undefined };
      },
    };
  }

  /** Its first bytes, at least four unless it has fewer. Waits for them. */
  async first(): Promise<Uint8Array> {
    while (!this.#isOver && this.#held < 4) this.#take(await this.#ask());
    return joined(this.#pieces);
  }

  /**
   * The whole body if it is available immediately, or short and as long as promised. Undefined when it is to be sent in pieces.
   *
   * @param promised its Content-Length
   * @throws the error of its source
   */
  async whole(promised: number | undefined): Promise<Uint8Array | undefined> {
    const awaited = promised !== undefined && promised <= maxHeld ? promised : -1;
    while (!this.#isOver) {
      const isAwaited = this.#held <= awaited;
      if (!isAwaited && this.#isFull()) return undefined;
      const asked = this.#ask();
      if (!isAwaited && !(await isThere(asked))) return undefined;
      this.#take(await asked);
    }
    return joined(this.#pieces);
  }

  #isFull(): boolean {
    return this.#pieces.length >= maxPieces || (this.#pieces.length > 1 && this.#held > maxHeld);
  }

  #open(): AsyncIterator<Piece, unknown> {
    return (this.#source ??= sourceOf<Piece>(this.#stream));
  }

  #ask(): Promise<Step> {
    return (this.#asked ??= Promise.resolve(this.#open().next()));
  }

  #take(step: Step): void {
    this.#asked = undefined;
    if (step.done === true) {
      this.#isOver = true;
      return;
    }
    const bytes = typeof step.value === "string" ? new TextEncoder().encode(step.value) : step.value;
    if (!(bytes instanceof Uint8Array)) throw rejection("a stream", bytes, "bytes or text");
    if (bytes.length === 0) return;
    this.#pieces.push(bytes);
    this.#held += bytes.length;
  }
}

/** Has it settled, or will it settle within the microtasks queued so far? */
async function isThere(promise: Promise<unknown>): Promise<boolean> {
  const state = { isSettled: false };
  const settle = (): void => {
    state.isSettled = true;
  };
  promise.then(settle, settle);
  for (let turn = 0; turn < maxTurns && !state.isSettled; turn += 1) await Promise.resolve();
  return state.isSettled;
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [first = new Uint8Array()] = pieces;
  if (pieces.length < 2) return first;
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/**
 * A recorded response with its body read whole if possible, and without a coding that its bytes do not have. Undefined when it
 * is unchanged.
 *
 * @throws the error of its source
 */
export async function withWholeBody(
  { status, headers, body }: RecordedResponse,
  unread: ResponseBody,
): Promise<RecordedResponse | undefined> {
  if (body !== unread || isWithoutContent(status)) return undefined;
  const coding = fieldOf(headers, "content-encoding");
  const isFalse = coding !== undefined && !isIn(coding, await unread.first());
  const sound = isFalse
    ? withoutFields(headers, (name) => name === "content-encoding" || name === "content-length")
    : headers;
  const whole = await unread.whole(lengthOf(fieldOf(sound, "content-length") ?? ""));
  return whole === undefined && !isFalse ? undefined : { status, headers: sound, body: whole ?? body };
}

/** Can bytes with this beginning be in that coding? The last of several is the outermost. */
function isIn(codings: string, bytes: Uint8Array): boolean {
  const coding = codings
    .slice(codings.lastIndexOf(",") + 1)
    .trim()
    .toLowerCase();
  const [first = 0, second = 0] = bytes;
  if (coding === "gzip" || coding === "x-gzip") return first === 0x1f && second === 0x8b;
  if (coding === "deflate") return (first & 15) === 8 && (first * 256 + second) % 31 === 0;
  if (coding === "zstd") return first === 0x28 && second === 0xb5;
  // A Brotli stream has no magic number. An empty one is a semicolon.
  return coding !== "br" || (bytes.length === 1 && first === 0x3b) || !isText(bytes.subarray(0, 1_024));
}

/** Does a text begin like that? Compressed bytes contain a byte that is invalid in UTF-8, or a control character. */
function isText(bytes: Uint8Array): boolean {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    // oxlint-disable-next-line no-control-regex -- they are what is looked for
    return !/[\0-\x08\x0e-\x1f\x7f]/.test(text);
  } catch {
    return false;
  }
}
