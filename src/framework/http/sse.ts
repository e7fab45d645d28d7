/**
 * Server-Sent Events: one open response, written event by event.
 *
 *   send({ event: "trace", id: "7", data }) ──▶ "event: trace\nid: 7\ndata: …\n\n" ──▶ Sink
 *
 * Data cannot break the framing: line ends in data become further `data:` lines, line ends elsewhere are rejected. A client
 * that reads too slowly cannot fill the memory, because events past the bound are not accepted.
 *
 * Spec: spec/stream.md; WHATWG HTML §9.2
 */
import { usageError } from "../internal/usage-errors.ts";
import type { Sink } from "./exchange.ts";

/** One event. `retry` in milliseconds. */
export interface SseEvent {
  /** Absent for an event of `retry` alone, which clients obey and do not dispatch. */
  readonly data?: string | undefined;
  readonly event?: string | undefined;
  readonly id?: string | undefined;
  readonly retry?: number | undefined;
}

/** An event that a route of these replies may send: the declared ones, or any. */
export type EventOf<R> = [DeclaredEventOf<R>] extends [never] ? SseEvent | string : DeclaredEventOf<R>;
type DeclaredEventOf<R> = R extends readonly [status: unknown, events: AsyncIterable<infer E>]
  ? E extends { readonly event: string }
    ? E
    : never
  : never;

/** Maximum bytes held for a client that does not read. */
const maxBufferedBytes = 4 * 1024 * 1024;

/** The text of an event. @throws TypeError when `event` or `id` hold a line end, or `id` a NUL, and when `data` is not text. */
export function formatEvent(event: SseEvent | string): string {
  if (typeof event === "string") return dataLines(event) + "\n";
  const { event: name, id, retry, data } = event;
  if (name !== undefined && /[\r\n]/.test(name)) throw new TypeError("an event's name cannot hold a line end");
  if (id !== undefined && /[\r\n\0]/.test(id)) throw new TypeError("an event's id cannot hold a line end or NUL");
  if (retry !== undefined && !(Number.isInteger(retry) && retry >= 0))
    throw new TypeError("retry is a whole number of milliseconds");
  const head =
    (name === undefined ? "" : `event: ${name}\n`) +
    (id === undefined ? "" : `id: ${id}\n`) +
    (retry === undefined ? "" : `retry: ${retry}\n`);
  return `${head}${data === undefined ? "" : dataLines(data)}\n`;
}

function dataLines(data: string): string {
  if (typeof data !== "string")
    throw usageError(
      "RESPONSE_VALUE",
      `an event's data are of type ${typeof data}: text is allowed, e.g. of JSON.stringify()`,
    );
  if (!data.includes("\n") && !data.includes("\r")) return `data: ${data}\n`;
  return data
    .split(/\r\n|[\r\n]/)
    .map((line) => `data: ${line}\n`)
    .join("");
}

/**
 * Events framed once, for any number of streams.
 *
 * @example
 * ```ts
 * const batch = new SseBatch([{ event: "price", data: "12.50" }, { event: "price", data: "12.60" }]);
 * app.get("/prices", (ctx) => void ctx.sse().send(batch));
 * ```
 */
export class SseBatch {
  /** The bytes as sent. */
  readonly bytes: Uint8Array;

  /** @throws TypeError when one of them cannot be framed. */
  constructor(events: readonly (SseEvent | string)[]) {
    this.bytes = new TextEncoder().encode(events.map(formatEvent).join(""));
  }
}

/** Returns the event to send for the app's. @throws Error when it must not be sent. */
export type PrepareEvent = (event: unknown) => SseEvent;

/** An open event stream. Ends by `close()`, when the client leaves, and when the app stops. */
export class SseStream<E = SseEvent | string> {
  readonly #sink: Sink;
  readonly #onClose: () => void;
  readonly #prepare: PrepareEvent | undefined;
  #open = true;
  /** Aborts when the client leaves, when the response is cut, when the app stops, and immediately for HEAD. */
  readonly signal: AbortSignal;
  /** `Last-Event-ID` of a client that reconnects. */
  readonly lastEventId: string | undefined;

  /** @param prepare the event as it is sent, for declared events */
  constructor(
    sink: Sink,
    signal: AbortSignal,
    lastEventId: string | undefined,
    onClose: () => void,
    prepare?: PrepareEvent,
  ) {
    this.#sink = sink;
    this.#prepare = prepare;
    this.signal = signal;
    this.lastEventId = lastEventId;
    this.#onClose = onClose;
  }

  /** Bytes accepted and not yet passed to the network. */
  get bufferedBytes(): number {
    return this.#sink.bufferedBytes;
  }

  /** Can events still be sent? */
  get isOpen(): boolean {
    return this.#open && !this.signal.aborted;
  }

  /**
   * Sends an event, or a whole batch in one write. Returns false when the client is slow (hold back), when 4 MiB are waiting
   * for it (the event was not accepted), and when the stream is over.
   *
   * @throws TypeError when the event cannot be framed. Error when the route's contract declares its events, not this one.
   */
  send(event: E | SseBatch): boolean {
    if (event instanceof SseBatch) return this.#write(event.bytes);
    return this.#write(formatEvent(this.#prepare === undefined ? (event as SseEvent | string) : this.#prepare(event)));
  }

  /** Sends a comment, which clients ignore: a heartbeat. Returns as `send` does. */
  comment(text: string): boolean {
    return this.#write(
      `${text
        .split(/\r\n|[\r\n]/)
        .map((line) => `: ${line}`)
        .join("\n")}\n\n`,
    );
  }

  /** Resolves when the client has caught up, and when it has left. */
  drained(): Promise<void> {
    return this.#sink.drained();
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    if (!this.signal.aborted) this.#sink.end();
    this.#onClose();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.close();
    return Promise.resolve();
  }

  #write(chunk: string | Uint8Array): boolean {
    if (!this.isOpen || this.#sink.bufferedBytes > maxBufferedBytes) return false;
    return this.#sink.write(chunk);
  }
}
