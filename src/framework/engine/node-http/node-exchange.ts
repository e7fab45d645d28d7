/**
 * NodeExchange: a request and its response on node:http.
 *
 * Hot path: `respond` is one `writeHead` with a flat list and one `end`.
 *
 * Spec: spec/engines.md
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { ContentTooLargeError } from "../../internal/errors.ts";
import { countHosts, isSoundTarget } from "../../http/authority.ts";
import type { Delivery, Exchange, Flaw, GoneListener, Sink } from "../../http/exchange.ts";
import type { Incoming } from "./incoming.ts";
import { LeavingClient } from "../leaving.ts";
import { differ } from "../lines.ts";
import { awaitDelivery, contentLength, readBody, sinkOver, streamBody, tooLarge } from "../node-streams.ts";
import type { Connections, OpenExchange } from "../connection-tracker.ts";

/** One request on node:http. */
export class NodeExchange extends LeavingClient implements Exchange, OpenExchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Cached, because Node takes `req.socket` away when an iteration over the body is aborted. */
  protected readonly socket: Socket;
  readonly #sockets: Connections;
  readonly method: string;
  readonly target: string;
  earlier: OpenExchange | undefined = undefined;
  later: OpenExchange | undefined = undefined;
  /** Set while a response is being sent, since it is not whole yet. */
  protected lost: (() => void) | undefined = undefined;

  constructor(req: IncomingMessage, res: ServerResponse, sockets: Connections) {
    super();
    this.req = req;
    this.res = res;
    this.socket = req.socket;
    this.#sockets = sockets;
    this.method = req.method ?? "";
    this.target = req.url ?? "/";
    sockets.open(req.socket, this);
  }

  get peer(): string | undefined {
    return this.socket.remoteAddress;
  }

  override onGone(listener: GoneListener): void {
    void this.peer; // Node knows it of a closed socket only when it was read before.
    super.onGone(listener);
  }

  get httpVersion(): string {
    return this.req.httpVersion;
  }

  get secure(): boolean {
    return "encrypted" in this.socket;
  }

  get platform(): readonly unknown[] {
    return [this.req, this.res];
  }

  /** The parser has enforced their limit. */
  get headerBytes(): number {
    return 0;
  }

  get hasTwoTypes(): boolean {
    return differ(this.req.rawHeaders, "content-type");
  }

  get headerCount(): number {
    return this.req.rawHeaders.length >> 1;
  }

  header(name: string): string | undefined {
    const value: unknown = this.req.headers[name];
    return typeof value === "string" ? value : Array.isArray(value) ? value.join(", ") : undefined;
  }

  headers(): Iterable<readonly [string, string]> {
    const raw = this.req.rawHeaders;
    const lines: (readonly [string, string])[] = [];
    for (let i = 0; i + 1 < raw.length; i += 2) lines.push([raw[i] ?? "", raw[i + 1] ?? ""]);
    return lines;
  }

  read(limit: number): Promise<Uint8Array> {
    const { req } = this;
    if (Number(req.headers["content-length"]) > limit) return Promise.reject(new ContentTooLargeError(limit));
    return collected(req, limit) ?? readBody(req, limit);
  }

  stream(limit: number): ReadableStream<Uint8Array> {
    if (Number(this.req.headers["content-length"]) > limit) return tooLarge(limit);
    return streamBody(this.req, limit);
  }

  /**
   * Why HTTP rejects this request although the parser accepted it (RFC 9112 §2.3, §3.2), or undefined when it is valid. It
   * needs exactly one valid Host, which HTTP/1.0 may omit.
   */
  get flaw(): Flaw | undefined {
    const { httpVersion, rawHeaders } = this.req;
    if (httpVersion !== "1.1" && httpVersion !== "1.0") return 505;
    const hosts = countHosts(rawHeaders);
    const isRight = hosts === 1 || (hosts === 0 && httpVersion === "1.0");
    return isRight && isSoundTarget(this.target) ? undefined : 400;
  }

  earlyHints(links: readonly string[]): void {
    const { res } = this;
    if (!res.headersSent && !this.socket.destroyed) res.writeEarlyHints({ link: [...links] });
  }

  respond(status: number, headers: string[], body: string | Uint8Array | undefined, delivery: Delivery): void {
    const { res } = this;
    const length = contentLength(this.method, status, body);
    if (length !== undefined) headers.push("Content-Length", String(length));
    const sent = length === undefined || this.method === "HEAD" ? 0 : length;
    this.#writeHead(status, headers);
    endWith(res, sent === 0 ? undefined : body);
    // A Connect middleware may delay the end (express-session saves first).
    if (res.writableLength > 0 || !res.writableEnded) return this.#await(sent, delivery);
    this.close();
    delivery.delivered(sent, false);
  }

  /** The head. It closes the connection when the server wants that, or the app. */
  #writeHead(status: number, headers: string[]): void {
    const { socket } = this;
    // A client that was not asked for a body may send it or not, so the next bytes are ambiguous (RFC 9110 §10.1.1).
    const isUnasked = (this.req as Partial<Incoming>).expecting !== undefined;
    if (isUnasked || this.#sockets.closesAfter(socket, this)) headers.push("Connection", "close");
    this.res.writeHead(status, headers);
    if (saysClose(headers)) this.#sockets.finish(socket);
  }

  /** Tells `delivery` when the response is out, or cut. */
  #await(sent: number, delivery: Delivery): void {
    const { socket } = this;
    this.#sockets.guard(socket);
    const over = (bytes: number, aborted: boolean): void => {
      this.close();
      delivery.delivered(bytes, aborted);
    };
    this.lost = awaitDelivery(this.res, sent, over, socket);
  }

  open(status: number, headers: string[], bodyless: boolean): Sink {
    const { res } = this;
    this.#sockets.guard(this.socket);
    this.#writeHead(status, headers);
    if (!bodyless) res.flushHeaders();
    const sink = sinkOver(res, this.socket, () => this.close());
    this.lost = () => sink.release();
    return sink;
  }

  cut(): void {
    this.close();
    this.socket.destroy();
  }

  /** Without this a handler that waits for the rest would wait for ever, with its open resources. */
  override spoil(status: number): boolean {
    const isTold = super.spoil(status);
    if ("breakOff" in this.req && this.req.socket?.destroyed === false) (this.req as Incoming).breakOff();
    return isTold;
  }

  override leave(): void {
    this.close();
    super.leave();
    this.lost?.();
  }

  /** The response is over, so the exchange is no longer open on its socket. */
  protected close(): void {
    this.#sockets.close(this.socket, this);
  }
}

const isClose = /\bclose\b/i;

/** Is there a Connection field with the option "close"? */
function saysClose(headers: readonly string[]): boolean {
  for (let at = 0; at < headers.length; at += 2)
    if (
      headers[at]?.length === 10 &&
      headers[at]?.toLowerCase() === "connection" &&
      isClose.test(headers[at + 1] ?? "")
    )
      return true;
  return false;
}

/** Until Node 24 `end(body)` combines head and body with an empty piece after them, which takes the system longer. */
const isGathered = Number.parseInt(globalThis.process?.versions?.node ?? "", 10) < 24;

/** Ends `res`, head and body in one plain write. A response that waits for an earlier one has no socket yet. */
function endWith(res: ServerResponse, body: string | Uint8Array | undefined): void {
  const { socket } = res;
  if (!isGathered || body === undefined || socket === null) return void res.end(body);
  socket.cork();
  res.write(body);
  socket.uncork();
  res.end();
}

/** The body, from this server's own class of requests. */
const collected = (req: IncomingMessage, limit: number): Promise<Uint8Array> | undefined =>
  "collect" in req ? (req as Incoming).collect(limit) : undefined;
