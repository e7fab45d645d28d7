/**
 * The seam between the framework and whatever serves HTTP.
 *
 *   node:http · node:http2 · a host's (req, res) · a web Request
 *        └──▶ Exchange ──▶ EngineHandler.handle
 *
 * An engine makes an Exchange for every request and hands it over; everything above this file is the same on
 * every engine. No Node type appears here.
 *
 * Spec: spec/engines.md
 */

import type { HttpError } from "../internal/errors.ts";

/** The status by which HTTP rejects a request that the parser let pass: malformed, an expectation, another version. */
export type Flaw = 400 | 417 | 505;

/** One request and the one response to it. */
export interface Exchange {
  /** The method as received. */
  readonly method: string;
  /** The request target as received: `/path?query`, undecoded. */
  readonly target: string;
  /** The socket's address, never a header's. */
  readonly peer: string | undefined;
  readonly httpVersion: string;
  /** Did the request arrive over TLS at this process? */
  readonly secure: boolean;
  readonly platform: readonly unknown[];
  /** Why HTTP rejects this request although the parser let it pass. */
  readonly flaw?: Flaw | undefined;
  /** Are there several Content-Type lines that say different things? `header` would show one of them. */
  readonly hasTwoTypes?: boolean | undefined;
  /** Has somebody else read the body, and undone its Content-Encoding? Asked only where there is one. */
  readonly isBodyDecoded?: boolean | undefined;
  /** How many header lines came. */
  readonly headerCount: number;
  /** Bytes of their names and values; 0 where the engine's parser has held them to the limit already. */
  readonly headerBytes: number;
  /** A request header by lower-case name; repeated fields joined as RFC 9110 §5.3 says. */
  header(name: string): string | undefined;
  /** All header lines in order. Never used on the plain path. */
  headers(): Iterable<readonly [string, string]>;
  /** The whole body, once. Rejects with ContentTooLargeError or ClientGoneError. */
  read(limit: number): Promise<Uint8Array>;
  /** The body as a stream, once. Errors with ContentTooLargeError past the limit. */
  stream(limit: number): ReadableStream<Uint8Array>;
  /** Arms whatever the engine needs to notice that the client leaves. Called at most once; not called = nothing armed. */
  onGone(listener: GoneListener): void;
  /** Where an engine puts that off while a handler is pending: the app has to know from now on. */
  watch?(): void;
  /** Has the client left? Cheap. */
  readonly gone: boolean;
  /**
   * The whole response in one write. The engine adds Content-Length and drops the body for HEAD, 204 and 304.
   * Tells `delivery` when the bytes were handed over whole, or that they were not.
   */
  respond(status: number, headers: string[], body: string | Uint8Array | undefined, delivery: Delivery): void;
  /** The head now, the body in pieces. `bodyless`: nothing may follow (HEAD). */
  open(status: number, headers: string[], bodyless: boolean): Sink;
  /** Hosted engines only: lets the host respond. Returns false where no host waits. */
  pass?(headers: readonly string[], delivery: Delivery): boolean;
  /** The head is out and the response cannot be completed: cut the connection. */
  cut(): void;
  /**
   * The connection leaves HTTP: `take` gets it, sends the 101, and says when it is over. Not there where the request is no
   * upgrade, and on engines that cannot hand a connection over. Called instead of `respond` and `open`.
   */
  upgrade?: ((take: (connection: Upgraded) => void) => void) | undefined;
}

/** A connection that has left HTTP: its request, its socket, and what came behind the request's head. */
export interface Upgraded {
  /**
   * An `IncomingMessage`, or what a handshake reads of one where it came over HTTP/2; a web `Request` where a host speaks
   * WebSocket itself.
   */
  readonly request: object;
  /**
   * A `Duplex` to write the 101 to, over HTTP/2 too, from which nothing is read until it is taken; a `NativeUpgrade` where a
   * host speaks WebSocket itself.
   */
  readonly socket: object;
  readonly head: Uint8Array;
  /** To be called once, when nothing more is to be done for the connection: the engine waits for that when it stops. */
  over(): void;
}

/** Called when the client has left, or when what it still sends cannot be used. */
export interface GoneListener {
  gone(): void;
  /** The rest of the request is malformed or too late: this error responds, unless a response is on its way. */
  broken(error: HttpError): void;
}

/** Called once when a response is over, with its body bytes and whether it was cut short. */
export interface Delivery {
  /** Does anybody listen for the end? Where nobody does, an engine need not count bytes: it may say 0. */
  readonly isWatched: boolean;
  delivered(bytes: number, aborted: boolean, status?: number): void;
}

/** A response body written in pieces. */
export interface Sink {
  /** Returns false when the client is slow: wait for `drained()`. */
  write(chunk: string | Uint8Array): boolean;
  /** Bytes accepted by `write` and not yet handed to the network. */
  readonly bufferedBytes: number;
  /** Has the network taken every byte so far? Not there where that cannot be known. */
  readonly isOut?: boolean | undefined;
  /** Resolves when there is room again, and when the client has left. */
  drained(): Promise<void>;
  end(): void;
}

/** A request that the HTTP parser rejected: nothing above the engine ever saw it. */
export interface RejectedRequest {
  readonly status: number;
  /** Body bytes of the rejection. */
  readonly bytes: number;
  readonly durationMs: number;
  readonly remoteAddress: string | undefined;
  /** `https` where the connection is encrypted. */
  readonly scheme?: "http" | "https" | undefined;
}

/** What an engine hands requests to. */
export interface EngineHandler {
  handle(exchange: Exchange): void;
  rejected(request: RejectedRequest): void;
}

/** What an engine is started with. Times in milliseconds, sizes in bytes. */
export interface EngineConfig {
  readonly port: number;
  readonly host: string | undefined;
  readonly limits: { readonly headerBytes: number; readonly headerCount: number };
  readonly timeouts: {
    readonly headersMs: number;
    readonly requestMs: number;
    readonly idleMs: number;
    readonly checkMs: number;
  };
  /** Does a route take WebSockets? Without one an `Upgrade` is ignored (RFC 9110 §7.8), and costs nothing. */
  readonly upgrades?: boolean | undefined;
}

/** A started engine. */
export interface RunningEngine {
  readonly port: number;
  /** Does it speak TLS? Then `app.url` is an `https:` one. */
  readonly secure?: boolean | undefined;
  /** Where it listens, when that is not the host it was started with. */
  readonly host?: string | undefined;
  /** Takes no new request, lets those in flight finish, cuts what is left after `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

/** A server. @throws (rejects) with a sentence when it cannot listen. */
export interface ServerEngine {
  readonly name: string;
  start(config: EngineConfig, handler: EngineHandler): Promise<RunningEngine>;
}
