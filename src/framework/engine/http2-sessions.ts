/**
 * The HTTP/2 sessions of a server: their requests, their time limits, their end.
 *
 *   socket ──▶ session ──▶ stream ──▶ Http2Exchange ──▶ handler
 *                 └─ every checkMs: idle too long ──▶ GOAWAY, closed · request too slow ──▶ 408
 *
 * Node closes idle sessions with their server from version 24 on only, so it is done here on all of them.
 *
 * Spec: spec/engines.md (ENGINE), spec/lifecycle.md (LIFE)
 */
import type {
  Http2Server,
  IncomingHttpHeaders,
  ServerHttp2Session,
  ServerHttp2Stream,
  ServerOptions,
} from "node:http2";
import type { Socket } from "node:net";
import type { EngineConfig, EngineHandler } from "./exchange.ts";
import { closeWhole, Http2Exchange } from "./http2-exchange.ts";
import { headRefusal } from "./http2-head.ts";
import { refusalOf } from "./refusal.ts";
import type { SocketBook } from "./sockets.ts";

/** Header bytes up to which a request is answered, with 431 if need be; beyond them its stream is reset. */
const headerCeiling = 65_536;

/** Requests that one connection may have open at once. */
const concurrentStreams = 128;

interface Http2Module {
  createServer(options: ServerOptions): Http2Server;
}

/** What a session's "stream" event passes; the types of Node 20 leave the last out. */
type StreamListener = (
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  flags: number,
  raw: readonly string[],
) => void;

interface Entry {
  readonly session: ServerHttp2Session;
  /** When it was last seen busy. */
  busyAt: number;
  /** Has it had a request? */
  used: boolean;
  closing: boolean;
}

/** All sessions of one engine. */
export class Http2Sessions {
  readonly #server: Http2Server;
  readonly #timeouts: EngineConfig["timeouts"];
  readonly #handler: EngineHandler;
  readonly #sockets: SocketBook;
  readonly #entries: Map<Socket, Entry> = new Map();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(http2: Http2Module, { timeouts, limits }: EngineConfig, handler: EngineHandler, sockets: SocketBook) {
    this.#timeouts = timeouts;
    this.#handler = handler;
    this.#sockets = sockets;
    const ceiling = Math.max(headerCeiling, limits.headerBytes);
    this.#server = http2.createServer({
      settings: { maxHeaderListSize: ceiling, maxConcurrentStreams: concurrentStreams },
      maxHeaderListPairs: Math.max(ceiling >> 5, limits.headerCount + 4),
    });
  }

  /** Starts the clock of the time limits. */
  watch(): void {
    this.#timer = setInterval(() => this.#check(performance.now()), this.#timeouts.checkMs);
    this.#timer.unref();
  }

  /** Serves HTTP/2 on a socket whose client has chosen it. */
  take(socket: Socket): void {
    this.#sockets.add(socket);
    this.#sockets.entrust(socket);
    this.#server.once("session", (session) => this.#admit(session, socket));
    this.#server.emit("connection", socket);
  }

  /** Every session takes no new request from now on, and closes when the last one is answered. */
  drain(): void {
    clearInterval(this.#timer);
    for (const { session } of this.#entries.values()) session.close();
  }

  #admit(session: ServerHttp2Session, socket: Socket): void {
    const entry: Entry = { session, busyAt: performance.now(), used: false, closing: false };
    this.#entries.set(socket, entry);
    if (this.#sockets.draining) session.close();
    socket.once("close", () => this.#entries.delete(socket));
    const { idleMs } = this.#timeouts;
    const connection = { socket, sockets: this.#sockets, idleMs };
    const onStream: StreamListener = (stream, headers, _flags, raw) => {
      entry.busyAt = performance.now();
      entry.used = true;
      this.#serve(stream, headers, raw, connection, entry.busyAt);
    };
    session.on("stream", onStream as () => void);
  }

  #serve(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    raw: readonly string[],
    connection: { readonly socket: Socket; readonly sockets: SocketBook; readonly idleMs: number },
    startedAt: number,
  ): void {
    stream.on("error", ignore);
    const refusal = headRefusal(headers);
    if (refusal === undefined) this.#handler.handle(new Http2Exchange(stream, headers, raw, connection, startedAt));
    else this.#refuse(stream, refusal, connection.socket);
  }

  #refuse(stream: ServerHttp2Stream, status: number, socket: Socket): void {
    if (stream.destroyed || stream.closed) return;
    const { body, bytes } = refusalOf(status);
    stream.respond({ ":status": status, "content-type": "application/problem+json", "content-length": bytes });
    if (!stream.writableEnded) stream.end(body, () => closeWhole(stream));
    this.#handler.refused({ status, bytes, durationMs: 0, remoteAddress: socket.remoteAddress });
  }

  #check(now: number): void {
    const { headersMs, idleMs } = this.#timeouts;
    for (const [socket, entry] of this.#entries) {
      if (entry.closing) {
        socket.destroy();
      } else if (!this.#sockets.isIdle(socket)) {
        entry.busyAt = now;
        this.#expire(socket, now);
      } else if (now - entry.busyAt > (entry.used ? idleMs : headersMs)) {
        entry.closing = true;
        entry.session.close();
      }
    }
  }

  #expire(socket: Socket, now: number): void {
    for (const exchange of [...this.#sockets.on(socket)]) {
      if (!(exchange instanceof Http2Exchange)) continue;
      if (exchange.isLate(now, this.#timeouts.requestMs)) exchange.expire();
      else exchange.watch();
    }
  }
}

/** A stream that is reset says so twice: its "close" is what counts. */
const ignore = (): void => undefined;
