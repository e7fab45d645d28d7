/**
 * The interface between the framework and any HTTP server.
 *
 *   node:http · node:http2 · a host's (req, res) · a web Request
 *        └──▶ Exchange ──▶ EngineHandler.handle
 *
 * An engine makes an Exchange for every request and passes it on. All code above this file is the same on every engine. No Node
 * type appears here.
 *
 * Spec: spec/engines.md
 */

import type { HttpError } from "../internal/errors.ts";

/** The status that rejects a request which the parser accepted: malformed, an expectation, another version. */
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
  /** Why HTTP rejects this request although the parser accepted it. */
  readonly flaw?: Flaw | undefined;
  /** Do several Content-Type lines differ? `header` would show one of them. */
  readonly hasTwoTypes?: boolean | undefined;
  /** Has another consumer already read and decoded the body? Called only for a body with a Content-Encoding. */
  readonly isBodyDecoded?: boolean | undefined;
  /** The number of header lines received. */
  readonly headerCount: number;
  /** Bytes of their names and values, or 0 when the engine's parser has already enforced the limit. */
  readonly headerBytes: number;
  /** A request header by lower-case name. Repeated fields joined as RFC 9110 §5.3 says. */
  header(name: string): string | undefined;
  /** All header lines in order. Never used on the plain path. */
  headers(): Iterable<readonly [string, string]>;
  /** The whole body, once. Rejects with ContentTooLargeError or ClientGoneError. */
  read(limit: number): Promise<Uint8Array>;
  /** The body as a stream, once. Errors with ContentTooLargeError past the limit. */
  stream(limit: number): ReadableStream<Uint8Array>;
  /** Arms the engine's detection of a client that leaves. Called at most once. Without the call nothing is armed. */
  onGone(listener: GoneListener): void;
  /** For an engine that delays this while a handler is pending: the app needs it from now on. */
  watch?(): void;
  /** Has the client left? Cheap. */
  readonly gone: boolean;
  /**
   * The whole response in one write. The engine adds Content-Length and drops the body for HEAD, 204 and 304. Tells `delivery`
   * whether all bytes were passed on.
   */
  respond(status: number, headers: string[], body: string | Uint8Array | undefined, delivery: Delivery): void;
  /** The head now, the body in pieces. `bodyless`: nothing may follow (HEAD). */
  open(status: number, headers: string[], bodyless: boolean): Sink;
  /** Sends 103 with these links before the response. Absent on engines that cannot. Called before the head is sent. */
  earlyHints?(links: readonly string[]): void;
  /** Hosted engines only: lets the host respond. Returns false when no host waits. */
  pass?(headers: readonly string[], delivery: Delivery): boolean;
  /** The response cannot be completed after its head was sent, so this cuts the connection. */
  cut(): void;
  /**
   * Hands the connection over to another protocol. `take` gets it, sends the 101, and signals its end. Absent when the request
   * is not an upgrade, and on engines that cannot hand a connection over. Called instead of `respond` and `open`.
   */
  upgrade?: ((take: (connection: Upgraded) => void) => void) | undefined;
}

/** A connection that has left HTTP: its request, its socket, and the bytes after the request's head. */
export interface Upgraded {
  /**
   * An `IncomingMessage`, or the parts of one that a handshake reads for HTTP/2. A web `Request` when the host speaks WebSocket
   * itself.
   */
  readonly request: object;
  /**
   * A `Duplex` to write the 101 to, over HTTP/2 too. Nothing is read from it until it is taken. A `NativeUpgrade` when the host
   * speaks WebSocket itself.
   */
  readonly socket: object;
  readonly head: Uint8Array;
  /** Call it once, when all work for the connection is done. The engine waits for it when it stops. */
  over(): void;
}

/** Called when the client has left, or when the rest of its request is unusable. */
export interface GoneListener {
  gone(): void;
  /** The rest of the request is malformed or too late. This error is the response, unless one is on its way. */
  broken(error: HttpError): void;
}

/** Called once when a response is over, with its body bytes and whether it was cut short. */
export interface Delivery {
  /** Does a listener wait for the end? Otherwise an engine need not count bytes and may report 0. */
  readonly isWatched: boolean;
  delivered(bytes: number, aborted: boolean, status?: number): void;
}

/** A response body written in pieces. */
export interface Sink {
  /** Returns false when the client is slow. Then wait for `drained()`. */
  write(chunk: string | Uint8Array): boolean;
  /** Bytes accepted by `write` and not yet passed to the network. */
  readonly bufferedBytes: number;
  /** Has the network taken every byte so far? Absent when that is unknown. */
  readonly isOut?: boolean | undefined;
  /** Resolves when there is room again, or when the client has left. */
  drained(): Promise<void>;
  end(): void;
}

/** A request that the HTTP parser rejected. Only the engine saw it. */
export interface RejectedRequest {
  readonly status: number;
  /** Body bytes of the rejection. */
  readonly bytes: number;
  readonly durationMs: number;
  readonly remoteAddress: string | undefined;
  /** `https` when the connection is encrypted. */
  readonly scheme?: "http" | "https" | undefined;
}

/** Receives the requests of an engine. */
export interface EngineHandler {
  handle(exchange: Exchange): void;
  rejected(request: RejectedRequest): void;
}

/** The start options of an engine. Times in milliseconds, sizes in bytes. */
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
  /** Does a route accept WebSockets? Otherwise `Upgrade` is ignored (RFC 9110 §7.8) and costs nothing. */
  readonly upgrades?: boolean | undefined;
}

/** A started engine. */
export interface RunningEngine {
  readonly port: number;
  /** Does it speak TLS? Then `app.url` is an `https:` one. */
  readonly secure?: boolean | undefined;
  /** The listening host, when it is not the host it was started with. */
  readonly host?: string | undefined;
  /** The number of open connections, if it is known. */
  readonly connections?: number | undefined;
  /** Accepts no new requests, lets those in flight finish, and cuts the rest after `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

/** A server. @throws (rejects) with a sentence when it cannot listen. */
export interface ServerEngine {
  readonly name: string;
  start(config: EngineConfig, handler: EngineHandler): Promise<RunningEngine>;
}
