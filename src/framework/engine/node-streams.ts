/**
 * Node's streams as an exchange needs them: reading a request, and writing a response in pieces or whole.
 *
 *   Readable ──▶ readBody: all bytes, within a limit  ·  streamBody: as a web stream
 *   Writable ◀── sinkOver: pieces, with back-pressure  ·  awaitDelivery: the last byte, or the connection's end
 *
 * IncomingMessage and ServerResponse of HTTP/1.1 and the streams of HTTP/2 are all of these.
 *
 * Spec: spec/engines.md, spec/errors.md
 */
import type { Readable, Writable } from "node:stream";
import { ClientGoneError, ContentTooLargeError } from "../internal/errors.ts";
import { stateError } from "../internal/usage-errors.ts";
import type { Sink } from "../http/exchange.ts";

/**
 * Content-Length of a whole response's body in bytes. Undefined for a status without a body, and for a HEAD without a body,
 * because GET's response may have one (RFC 9110 §8.6).
 */
export function contentLength(
  method: string,
  status: number,
  body: string | Uint8Array | undefined,
): number | undefined {
  if (status === 204 || status === 304) return undefined;
  if (body === undefined) return method === "HEAD" ? undefined : 0;
  return typeof body === "string" ? Buffer.byteLength(body) : body.length;
}

/** A body being read. It settles once: with all of its bytes, at the limit, or when it breaks off. */
export class BodyCollection {
  readonly #chunks: Uint8Array[] = [];
  readonly #limit: number;
  readonly #resolve: (bytes: Uint8Array) => void;
  readonly #reject: (error: Error) => void;
  #size = 0;
  #isSettled = false;

  constructor(limit: number, resolve: (bytes: Uint8Array) => void, reject: (error: Error) => void) {
    this.#limit = limit;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Takes a chunk. False when it is too much. */
  add(chunk: Uint8Array): boolean {
    this.#size += chunk.length;
    if (this.#size <= this.#limit) return this.#chunks.push(chunk) > 0;
    this.#isSettled = true;
    this.#reject(new ContentTooLargeError(this.#limit));
    return false;
  }

  end(): void {
    this.#isSettled = true;
    const [first] = this.#chunks;
    this.#resolve(this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks, this.#size));
  }

  /** Every request closes in the end, and an error's stack costs as much as the rest. */
  breakOff(): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#reject(new ClientGoneError());
  }
}

/**
 * The whole body. Over the limit the rest is left unread.
 *
 * @throws (rejects) ContentTooLargeError past `limit` bytes, ClientGoneError when it breaks off.
 */
export function readBody(source: Readable, limit: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    if (source.readableDidRead) return reject(readElsewhere());
    if (source.readableEnded) return resolve(new Uint8Array());
    if (source.destroyed) return reject(new ClientGoneError());
    const body = new BodyCollection(limit, resolve, reject);
    const onData = (chunk: Uint8Array): void => {
      if (body.add(chunk)) return;
      source.off("data", onData);
      source.pause();
    };
    const onTorn = (): void => body.breakOff();
    source
      .on("data", onData)
      .on("end", () => (isTorn(source) ? onTorn() : body.end()))
      .on("error", onTorn)
      .on("close", onTorn);
  });
}

/** Half a body must not be read as a whole one. */
const readElsewhere = (): Error =>
  stateError(
    "BODY_READ",
    "the body was read already, by code that has req itself: what it kept is there, e.g. in req.body",
  );

/** Has that source broken off? A reset stream of HTTP/2 also says that it has ended, before it says anything else. */
const isTorn = (source: Readable & { readonly aborted?: boolean }): boolean =>
  source.destroyed || source.aborted === true;

/** The body as a web stream, read no faster than it is consumed. One piece may wait. Errors as `readBody` rejects. */
export function streamBody(source: Readable, limit: number): ReadableStream<Uint8Array> {
  if (source.readableDidRead) throw readElsewhere();
  if (source.readableEnded) return new ReadableStream({ start: (controller) => controller.close() });
  if (source.destroyed) return new ReadableStream({ start: (controller) => controller.error(new ClientGoneError()) });
  let size = 0;
  let isOver = false;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const close = (error?: Error): void => {
        if (isOver) return;
        isOver = true;
        if (error === undefined) controller.close();
        else controller.error(error);
      };
      const onTorn = (): void => close(new ClientGoneError());
      const onData = (chunk: Uint8Array): void => {
        if (isOver) return;
        size += chunk.length;
        if (size > limit) close(new ContentTooLargeError(limit));
        else controller.enqueue(ownBytes(chunk));
        if (isOver || controller.desiredSize === 0) source.pause();
      };
      source
        .on("data", onData)
        .on("end", () => (isTorn(source) ? onTorn() : close()))
        .on("error", onTorn)
        .on("close", onTorn);
    },
    pull: () => void source.resume(),
    cancel() {
      isOver = true;
      source.pause();
    },
  });
}

/** A body already known to be too large. It is not read. */
export const tooLarge = (limit: number): ReadableStream<Uint8Array> =>
  new ReadableStream({ start: (controller) => controller.error(new ContentTooLargeError(limit)) });

/** Plain bytes with a separate buffer, copied when the buffer also holds other bytes. */
const ownBytes = (chunk: Uint8Array): Uint8Array =>
  chunk.byteLength === chunk.buffer.byteLength ? new Uint8Array(chunk.buffer) : new Uint8Array(chunk);

/** A sink that can be released when no client reads the rest. */
export interface StreamSink extends Sink {
  /** The client has left. A response that waits for another one gets no event of that. */
  release(): void;
}

/**
 * A sink that writes to `target`. `ended` runs when the last byte was passed on.
 *
 * @param connection its transport. After that was cut, Node reports every piece as written
 */
export function sinkOver(target: Writable, connection: Ending, ended: () => void): StreamSink {
  let full = false;
  let isReleased = false;
  /** Pieces that the network has not taken yet. Those lost with the connection keep counting. */
  let pending = 0;
  const taken = (error?: Error | null): void => {
    if (!error && !isCut(connection)) pending -= 1;
  };
  const waiting: (() => void)[] = [];
  const wake = (): void => {
    full = false;
    for (const resolve of waiting.splice(0)) resolve();
  };
  target
    .on("error", () => undefined)
    .on("drain", wake)
    .on("close", wake);
  return {
    write(chunk) {
      pending += 1;
      full = !target.write(chunk, taken);
      return !full;
    },
    get isOut() {
      return pending === 0;
    },
    get bufferedBytes() {
      return target.writableLength;
    },
    drained: () =>
      full && !isReleased && !target.destroyed
        ? new Promise((resolve) => void waiting.push(resolve))
        : Promise.resolve(),
    end() {
      target.once("finish", ended); // Not end(ended), because a host's compressor would take it for a chunk.
      target.end();
    },
    release() {
      isReleased = true;
      wake();
    },
  };
}

/**
 * The client reads slowly. Calls `over` when the last byte was passed on, or the connection closed before.
 *
 * @param sent how many bytes there are in total
 * @param connection its transport. A target that finishes after that was cut has not sent everything
 * @returns call it when the client has left, because a response that waits for another one gets no event of that
 */
export function awaitDelivery(
  target: Writable,
  sent: number,
  over: (bytes: number, aborted: boolean) => void,
  connection: Ending,
): () => void {
  let told = false;
  const finish = (delivered: boolean): void => {
    if (told) return;
    told = true;
    over(delivered ? sent : Math.max(0, sent - target.writableLength), !delivered);
  };
  target.once("finish", () => finish(!isCut(connection)));
  target.once("close", () => finish(false));
  return () => finish(false);
}

/** The state of a connection's end. */
interface Ending {
  readonly errored?: Error | null;
  readonly destroyed: boolean;
}

/** Has the client reset this connection? A response being written then calls itself finished, too. */
export function isReset(socket: Ending): boolean {
  return Boolean(socket.errored);
}

/** Is this connection cut? A response that was still in it calls itself finished, too. */
const isCut = (socket: Ending): boolean => socket.destroyed || isReset(socket);
