/**
 * The HTTP/2 sessions of a server: their requests, their time limits, their end.
 *
 *   socket ──▶ a few each turn ──▶ session ──▶ stream ──▶ Http2Exchange ──▶ handler
 *      └─ its address has spent its ResetBudget ──▶ closed     └─ taken back ──▶ ResetBudget ──▶ GOAWAY, closed
 *                                  └─ an extended CONNECT ──▶ ConnectExchange
 *                 └─ every checkMs: idle too long ──▶ GOAWAY, closed · request too slow ──▶ 408
 *                                   nothing came for too long ──▶ PING ──▶ still nothing came ──▶ closed
 *
 * Node closes idle sessions with their server only from version 24 on, so all versions do it here.
 *
 * Spec: spec/engines.md
 */
import type {
  Http2Server,
  IncomingHttpHeaders,
  ServerHttp2Session,
  ServerHttp2Stream,
  ServerOptions,
} from "node:http2";
import type { Socket } from "node:net";
import type { EngineConfig, EngineHandler } from "../../http/exchange.ts";
import { ignore } from "../../internal/thenable.ts";
import { closeWhole, Http2Exchange, type Connection } from "./http2-exchange.ts";
import { ConnectExchange } from "./connect-exchange.ts";
import { headRejection, opensWebSocket } from "./http2-head.ts";
import { rejectionOf } from "../rejection.ts";
import { accountOf, type ResetBudget, type Tally } from "./reset-budget.ts";
import { schemeOf, type ConnectionTracker } from "../connection-tracker.ts";
import { Turns } from "../turns.ts";

/** Up to this number of header bytes a request gets a response, 431 if needed. Beyond it its stream is reset. */
const headerCeiling = 65_536;

/** Maximum simultaneous requests of one connection. */
const concurrentStreams = 128;

/**
 * New sessions in one turn of the event loop. A session reads all that its client has sent, perhaps a thousand cancelled
 * requests, before they can be counted.
 */
const perTurn = 2;

/** RFC 9113 §7. */
const enhanceYourCalm = 11;

interface Http2Module {
  createServer(options: ServerOptions): Http2Server;
}

/** The arguments of a session's "stream" event. The types of Node 20 lack the last one. */
type StreamListener = (
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  flags: number,
  raw: readonly string[],
) => void;

interface Entry extends Tally {
  readonly session: ServerHttp2Session;
  /** When it was last busy. Before its first request, when its connection was accepted. */
  busyAt: number;
  /** Bytes received at the last check, and the time of the last new ones. */
  read: number;
  heardAt: number;
  /** Has its client been sent a PING since? */
  isPinged: boolean;
  /** Has it had a request? */
  used: boolean;
  closing: boolean;
}

/** All sessions of one engine. */
export class Http2Sessions {
  readonly #server: Http2Server;
  readonly #timeouts: EngineConfig["timeouts"];
  readonly #handler: EngineHandler;
  readonly #sockets: ConnectionTracker;
  readonly #entries: Map<Socket, Entry> = new Map();
  readonly #budget: ResetBudget;
  readonly #turns: Turns = new Turns(perTurn);
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(
    http2: Http2Module,
    { timeouts, limits, upgrades }: EngineConfig,
    handler: EngineHandler,
    sockets: ConnectionTracker,
    budget: ResetBudget,
  ) {
    this.#budget = budget;
    this.#timeouts = timeouts;
    this.#handler = handler;
    this.#sockets = sockets;
    const ceiling = Math.max(headerCeiling, limits.headerBytes);
    this.#server = http2.createServer({
      settings: {
        maxHeaderListSize: ceiling,
        maxConcurrentStreams: concurrentStreams,
        ...(upgrades === true ? { enableConnectProtocol: true } : {}),
      },
      maxHeaderListPairs: Math.max(ceiling >> 5, limits.headerCount + 4),
    });
  }

  /** Starts the clock of the time limits. */
  watch(): void {
    this.#timer = setInterval(() => this.#check(performance.now()), this.#timeouts.checkMs);
    this.#timer.unref();
  }

  /**
   * Serves HTTP/2 on a socket whose client has chosen it, in a later turn when many arrive together. Its client has `headersMs`
   * from `since` on for its first request.
   */
  take(socket: Socket, since: number): void {
    this.#sockets.add(socket);
    this.#sockets.handOff(socket);
    this.#turns.run(() => this.#open(socket, since));
  }

  /** Begins the session. False when there is none to begin. */
  #open(socket: Socket, since: number): boolean {
    if (socket.destroyed) return false;
    const address = accountOf(socket.remoteAddress);
    if (this.#budget.isSpent(address, performance.now())) {
      socket.destroy();
      return false;
    }
    this.#server.once("session", (session) => this.#admit(session, socket, address, since));
    this.#server.emit("connection", socket);
    return true;
  }

  /** From now on every session accepts no new request, and closes when the last one has its response. */
  drain(): void {
    clearInterval(this.#timer);
    for (const { session } of this.#entries.values()) session.close();
  }

  #admit(session: ServerHttp2Session, socket: Socket, address: string, since: number): void {
    const tally: Tally = { address, resets: 0, whole: 0, credited: 0 };
    const times = { busyAt: since, read: 0, heardAt: performance.now(), isPinged: false };
    const entry: Entry = { ...tally, ...times, session, used: false, closing: false };
    this.#entries.set(socket, entry);
    if (this.#sockets.draining) session.close();
    socket.once("close", () => this.#entries.delete(socket));
    const { idleMs } = this.#timeouts;
    const count = (isWhole: boolean): void => this.#count(entry, socket, isWhole);
    const connection = { socket, sockets: this.#sockets, idleMs, count };
    const onStream: StreamListener = (stream, headers, _flags, raw) => {
      entry.busyAt = performance.now();
      if (entry.closing) return void stream.on("error", ignore);
      entry.used = true;
      this.#serve(stream, headers, raw, connection, entry.busyAt);
    };
    session.on("stream", onStream as () => void);
  }

  #serve(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    raw: readonly string[],
    connection: Connection,
    startedAt: number,
  ): void {
    stream.on("error", ignore); // A reset stream reports it twice, and its "close" is the one that counts.
    const rejection = headRejection(headers);
    const Kind = opensWebSocket(headers) ? ConnectExchange : Http2Exchange;
    if (rejection === undefined) this.#handler.handle(new Kind(stream, headers, raw, connection, startedAt));
    else if (stream.destroyed || stream.closed) connection.count(false);
    else this.#reject(stream, rejection, connection.socket);
  }

  #reject(stream: ServerHttp2Stream, status: number, socket: Socket): void {
    const { body, bytes } = rejectionOf(status);
    stream.respond({ ":status": status, "content-type": "application/problem+json", "content-length": bytes });
    if (!stream.writableEnded) stream.end(body, () => closeWhole(stream));
    this.#handler.rejected({
      status,
      bytes,
      durationMs: 0,
      remoteAddress: socket.remoteAddress,
      scheme: schemeOf(socket),
    });
  }

  /** A request of that session is over. A cancelled one may end the session. */
  #count(entry: Entry, socket: Socket, isWhole: boolean): void {
    if (isWhole) entry.whole += 1;
    else if (this.#budget.charge(entry, performance.now())) this.#calm(entry, socket);
  }

  /** Ends a session that cancels too much, with the reason, unless its client has ended it, including the requests in it. */
  #calm(entry: Entry, socket: Socket): void {
    if (entry.closing || entry.session.destroyed) return;
    entry.closing = true;
    entry.session.goaway(enhanceYourCalm);
    setImmediate(() => socket.destroy()); // By then it has been sent, if it could be.
    this.#handler.rejected({
      status: 429,
      bytes: 0,
      durationMs: 0,
      remoteAddress: socket.remoteAddress,
      scheme: schemeOf(socket),
    });
  }

  #check(now: number): void {
    this.#budget.sweep(now);
    const { headersMs, idleMs } = this.#timeouts;
    for (const [socket, entry] of this.#entries) {
      if (entry.closing) {
        socket.destroy();
      } else if (!this.#sockets.isIdle(socket)) {
        entry.busyAt = now;
        if (isSilent(entry, socket, now, idleMs)) socket.destroy();
        else this.#expire(socket, now);
      } else if (now - entry.busyAt > (entry.used ? idleMs : headersMs)) {
        entry.closing = true;
        entry.session.close();
      }
    }
  }

  #expire(socket: Socket, now: number): void {
    for (const exchange of Array.from(this.#sockets.on(socket))) {
      if (!(exchange instanceof Http2Exchange)) continue;
      if (exchange.isLate(now, this.#timeouts.requestMs)) exchange.expire();
      else exchange.watch();
    }
  }
}

/**
 * Has no data come for `idleMs`, and again none after a PING, which every client responds to (RFC 9113 §6.7)? A client that
 * waits for a response is as silent as one that is gone. After a session has broken off, Node 20 also reads nothing more, not
 * even the connection's end.
 */
function isSilent(entry: Entry, socket: Socket, now: number, idleMs: number): boolean {
  if (socket.bytesRead !== entry.read) {
    entry.read = socket.bytesRead;
    entry.heardAt = now;
    entry.isPinged = false;
  }
  if (now - entry.heardAt <= idleMs) return false;
  if (entry.isPinged || entry.session.destroyed) return true;
  entry.isPinged = true;
  entry.heardAt = now;
  entry.session.ping(ignore);
  return false;
}
