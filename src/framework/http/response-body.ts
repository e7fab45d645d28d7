/**
 * The body of a web Response: read whole where it is there or short, so that it has a tag and a length as a value has.
 *
 *   text, bytes                ──▶ there at once ──▶ whole
 *   Content-Length ≤ 64 KiB    ──▶ waited for    ──▶ whole
 *   everything else            ──▶ in pieces, no faster than the client reads: first what has been read already
 *
 * A `Content-Encoding` that is not that of the bytes goes: whoever passes on what `fetch` gave passes on a header whose
 * coding `fetch` has undone.
 *
 * Spec: spec/context.md
 */
import { isWithoutContent } from "../internal/http-rules.ts";
import type { RecordedResponse, StreamBody } from "./context.ts";
import { fieldOf, withoutFields } from "./headers.ts";
import { lengthOf, rejection } from "./outgoing.ts";
import { hold, sourceOf } from "./streaming.ts";

/** Bytes that are held at most, but for a first piece: that is in memory already. */
const maxHeld = 65_536;
/** Pieces that are read at most without waiting. */
const maxPieces = 16;
/** Turns of the queue of promises in which a text or bytes are there, and nothing that comes over a network is. */
const maxTurns = 32;

type Piece = Uint8Array | string;
type Step = IteratorResult<Piece, unknown>;

/** A body that may be read whole, and otherwise is a stream like any other. */
export class ResponseBody implements AsyncIterable<Piece> {
  readonly #stream: StreamBody;
  #source: AsyncIterator<Piece, unknown> | undefined;
  /** Read, and not sent yet. */
  readonly #pieces: Uint8Array[] = [];
  #held = 0;
  /** Asked for, and not there yet. */
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

  /** Its first bytes, waited for: at least four, unless it has fewer. */
  async first(): Promise<Uint8Array> {
    while (!this.#isOver && this.#held < 4) this.#take(await this.#ask());
    return joined(this.#pieces);
  }

  /**
   * All of it, where that is there at once, or is as long as promised and short; undefined where it is to be sent in pieces.
   *
   * @param promised its Content-Length
   * @throws what its source fails with
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

/** Has it settled, or does so before anything else happens than what has been queued? */
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
 * A recorded response with its body read whole, where that can be, and without a coding that its bytes are not in;
 * undefined where it stays as it is.
 *
 * @throws what its source fails with
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

/** Can bytes that begin so be in that coding? Of several the last one is the outermost. */
function isIn(codings: string, bytes: Uint8Array): boolean {
  const coding = codings
    .slice(codings.lastIndexOf(",") + 1)
    .trim()
    .toLowerCase();
  const [first = 0, second = 0] = bytes;
  if (coding === "gzip" || coding === "x-gzip") return first === 0x1f && second === 0x8b;
  if (coding === "deflate") return (first & 15) === 8 && (first * 256 + second) % 31 === 0;
  if (coding === "zstd") return first === 0x28 && second === 0xb5;
  // A stream of Brotli has no mark of its own. That of no bytes is a semicolon.
  return coding !== "br" || (bytes.length === 1 && first === 0x3b) || !isText(bytes.subarray(0, 1_024));
}

/** Is that the beginning of a text? Some byte of what is compressed is none of UTF-8, or a control character. */
function isText(bytes: Uint8Array): boolean {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    // oxlint-disable-next-line no-control-regex -- they are what is looked for
    return !/[\0-\x08\x0e-\x1f\x7f]/.test(text);
  } catch {
    return false;
  }
}
