/**
 * Http2Exchange: a request and its response on one stream of HTTP/2.
 *
 *   stream opened ──▶ open on its socket ──▶ respond, or open … end ──▶ stream closed
 *                                   └─ closed before the response was whole ──▶ the client has left
 *
 * A reset of the stream replaces HTTP/1.1's close of the connection. Other streams are not affected.
 *
 * Spec: spec/engines.md
 */
import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import { ClientGoneError, ContentTooLargeError } from "../../internal/errors.ts";
import { isHost } from "../../http/authority.ts";
import type { Delivery, Exchange, Flaw, GoneListener, Sink } from "../../http/exchange.ts";
import { requestLineCount, requestLines, responseHead } from "./http2-head.ts";
import { LeavingClient } from "../leaving.ts";
import { differ } from "../lines.ts";
import { contentLength, readBody, sinkOver, streamBody, tooLarge } from "../node-streams.ts";
import type { OpenExchange, ConnectionTracker } from "../connection-tracker.ts";

/** RFC 9113 §7. */
const noError = 0;
const cancelled = 8;

/** Shared by all requests of a session. */
export interface Connection {
  readonly socket: Socket;
  readonly sockets: ConnectionTracker;
  readonly idleMs: number;
  /** Called for each request when it is over. Was its response sent whole, or did the client cancel it? */
  count(isWhole: boolean): void;
}

/** One request on one stream. */
export class Http2Exchange extends LeavingClient implements Exchange, OpenExchange {
  readonly #stream: ServerHttp2Stream;
  readonly #headers: IncomingHttpHeaders;
  readonly #raw: readonly string[];
  readonly #connection: Connection;
  readonly #startedAt: number;
  readonly method: string;
  readonly target: string;
  readonly httpVersion: string = "2";
  earlier: OpenExchange | undefined = undefined;
  later: OpenExchange | undefined = undefined;
  #hasResponded = false;
  #reading = false;
  /** Receives the response's end and its byte count. */
  #delivery: Delivery | undefined;
  #sent = 0;
  #isTimed = false;
  /** Did the application cut its response? */
  #isCut = false;

  constructor(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    raw: readonly string[],
    connection: Connection,
    startedAt: number,
  ) {
    super();
    this.#startedAt = startedAt;
    this.#stream = stream;
    this.#headers = headers;
    this.#raw = raw;
    this.#connection = connection;
    this.method = headers[":method"] ?? "";
    this.target = headers[":path"] ?? "/";
    connection.sockets.open(connection.socket, this);
    stream.on("close", () => this.closed());
  }

  /** Its stream is closed. */
  protected closed(): void {
    const { sockets, socket, count } = this.#connection;
    sockets.close(socket, this);
    const whole = isWhole(this.#stream);
    const isLost = !this.#hasResponded || !whole;
    if (!this.gone && !this.#isCut) count(!isLost);
    if (isLost) this.leave();
    this.#delivered(whole);
  }

  get peer(): string | undefined {
    return this.#connection.socket.remoteAddress;
  }

  override onGone(listener: GoneListener): void {
    void this.peer; // Node knows it of a closed socket only when it was read before.
    super.onGone(listener);
  }

  get secure(): boolean {
    return "encrypted" in this.#connection.socket;
  }

  get platform(): readonly unknown[] {
    return [this.#stream];
  }

  /** Same as over HTTP/1.1. Node resets an invalid path and a missing authority. */
  get flaw(): Flaw | undefined {
    const { ":authority": authority, host = "", expect } = this.#headers;
    if (!isHost(authority ?? host) || this.target.includes("#")) return 400;
    return expect === undefined || expect === "" || isContinue.test(expect) ? undefined : 417;
  }

  get hasTwoTypes(): boolean {
    return differ(this.#raw, "content-type");
  }

  get headerCount(): number {
    return requestLineCount(this.#headers, this.#raw);
  }

  get headerBytes(): number {
    return this.#raw.reduce((bytes, text) => bytes + text.length, 0);
  }

  header(name: string): string | undefined {
    if (name.startsWith(":")) return undefined;
    const value = this.#headers[name] ?? (name === "host" ? this.#headers[":authority"] : undefined);
    return Array.isArray(value) ? value.join(", ") : value;
  }

  headers(): Iterable<readonly [string, string]> {
    return requestLines(this.#headers, this.#raw);
  }

  read(limit: number): Promise<Uint8Array> {
    if (Number(this.#headers["content-length"]) > limit) return Promise.reject(new ContentTooLargeError(limit));
    this.#takeBody();
    return readBody(this.#stream, limit);
  }

  stream(limit: number): ReadableStream<Uint8Array> {
    if (Number(this.#headers["content-length"]) > limit) return tooLarge(limit);
    this.#takeBody();
    return streamBody(this.#stream, limit);
  }

  earlyHints(links: readonly string[]): void {
    const stream = this.#stream;
    if (!stream.headersSent && !stream.closed && !stream.destroyed)
      stream.additionalHeaders({ ":status": 103, link: links.join(", ") });
  }

  respond(status: number, headers: string[], body: string | Uint8Array | undefined, delivery: Delivery): void {
    const stream = this.#stream;
    const length = contentLength(this.method, status, body);
    if (length !== undefined) headers.push("Content-Length", String(length));
    const sent = length === undefined || this.method === "HEAD" ? 0 : length;
    if (!this.#head(status, headers, sent === 0)) return delivery.delivered(0, true);
    if (sent === 0) {
      this.#discardRest();
      return delivery.delivered(0, false);
    }
    this.#delivery = delivery;
    this.#sent = sent;
    stream.end(body);
    // A stream that ended on the client's side closes with its last byte, otherwise only on `close()`.
    if (!stream.endAfterHeaders) stream.once("finish", () => this.#delivered(true));
  }

  /** The response is out, or cut. Called once. */
  #delivered(whole: boolean): void {
    const delivery = this.#delivery;
    if (delivery === undefined) return;
    this.#delivery = undefined;
    this.#discardRest();
    delivery.delivered(whole ? this.#sent : Math.max(0, this.#sent - this.#stream.writableLength), !whole);
  }

  open(status: number, headers: string[], bodyless: boolean): Sink {
    this.#head(status, headers, bodyless);
    return sinkOver(this.#stream, this.#stream, () => this.#discardRest());
  }

  cut(): void {
    this.#isCut = true;
    this.#stream.setTimeout(0); // After its destruction Node lets no code end its timer, which keeps all of it.
    // Not close(), because that would end the body first, and half a response would look like a whole one.
    this.#stream.destroy(new Error("the response cannot be completed"));
  }

  /** Has the request taken longer than `requestMs`? Called by a timer, never on the plain path. */
  isLate(now: number, requestMs: number): boolean {
    if (now - this.#startedAt <= requestMs || this.#stream.readableEnded || this.#stream.endAfterHeaders) return false;
    return this.#stream.state.remoteClose !== 1;
  }

  /** Gives a late request up. It gets 408 if it has no response yet, else its stream is closed. */
  expire(): void {
    if (!this.#hasResponded && this.spoil(408)) return;
    this.leave();
    this.#stream.close(cancelled);
  }

  /** Sends the head. False when the stream is closed already. */
  #head(status: number, headers: readonly string[], endStream: boolean): boolean {
    const stream = this.#stream;
    if (this.#hasResponded || stream.destroyed || stream.closed) return false;
    this.#hasResponded = true;
    stream.respond(responseHead(status, headers), { endStream });
    return true;
  }

  /** Its response is still being sent. From now on its client has to take part of it every `idleMs`. */
  watch(): void {
    if (!this.#hasResponded || this.#isTimed) return;
    this.#isTimed = true;
    const stream = this.#stream;
    stream.setTimeout(this.#connection.idleMs, () => {
      if (stream.writableLength > 0) stream.close(cancelled);
    });
  }

  /** The handler wants the body, so a client that waits for 100 gets it. */
  #takeBody(): void {
    const stream = this.#stream;
    this.#reading = true;
    const waits = isContinue.test(this.#headers.expect ?? "");
    if (waits && !stream.headersSent && !stream.closed) stream.additionalHeaders({ ":status": 100 });
  }

  /**
   * The response is out. A client that still sends is asked to stop, and a reader learns that no more comes. Node discards an
   * unread body.
   */
  #discardRest(): void {
    const stream = this.#stream;
    if (!this.#reading || stream.readableEnded) return;
    if (stream.state.remoteClose !== 1) stream.emit("error", new ClientGoneError());
    closeWhole(stream);
  }
}

const isContinue = /^100-continue$/i;

/** Were all bytes sent? Node may close a stream that ended on both sides before it says "finish". */
const isWhole = (stream: ServerHttp2Stream): boolean =>
  !stream.aborted && (stream.writableFinished || (stream.writableEnded && stream.rstCode === noError));

/** Closes a stream after its response was sent, and discards its unread bytes. */
export function closeWhole(stream: ServerHttp2Stream): void {
  stream.close(noError);
  stream.resume(); // A stream with unread bytes would stay open.
}
