/**
 * NodeHttp2Engine: serves HTTP/2 over node:http2, and HTTP/1.1 to older clients.
 *
 *   TLS        ──▶ ALPN: h2 or http/1.1 ─┬─ h2 ──▶ Http2Sessions ──▶ Http2Exchange ─┐
 *   cleartext  ──▶ first bytes ──────────┴─ 1.1 ─▶ http1Server ────▶ NodeExchange ──┴──▶ handler
 *   a handshake that fails, or takes `headersMs` ──▶ the connection is cut
 *
 * Both halves share one port, one set of limits and timeouts, and one end. The time for a first head begins with the TCP
 * connection, including everything before that head.
 *
 * Spec: spec/engines.md
 */
import type { Server, ServerOpts, Socket } from "node:net";
import type { TlsOptions as NodeTlsOptions, TLSSocket } from "node:tls";
import type { EngineConfig, EngineHandler, RunningEngine, ServerEngine } from "../../http/exchange.ts";
import { http1Server, limitFirstHead, sendRejection } from "../node-http/http1-server.ts";
import { Http2Sessions } from "./http2-sessions.ts";
import { listen, nodeModule, stopListening } from "../listening.ts";
import { choosePrior } from "./preface.ts";
import { ResetBudget } from "./reset-budget.ts";
import { ConnectionTracker } from "../connection-tracker.ts";

type Pem = string | Uint8Array;

/** Options of TLS: `key` and `cert`, or `pfx`. Names and meanings are those of Node's `tls.createServer`. */
export interface TlsOptions {
  readonly key?: Pem | readonly Pem[] | undefined;
  readonly cert?: Pem | readonly Pem[] | undefined;
  readonly pfx?: Pem | undefined;
  readonly passphrase?: string | undefined;
  /** Authorities that client certificates are checked against. */
  readonly ca?: Pem | readonly Pem[] | undefined;
  readonly requestCert?: boolean | undefined;
  readonly rejectUnauthorized?: boolean | undefined;
  readonly ciphers?: string | undefined;
  readonly minVersion?: "TLSv1.2" | "TLSv1.3" | undefined;
  readonly maxVersion?: "TLSv1.2" | "TLSv1.3" | undefined;
}

/** Options of the HTTP/2 engine. */
export interface Http2Options {
  /**
   * Requests that the clients at one address may cancel each second, in addition to as many as get their response. 100 by
   * default. `Infinity` removes the bound. A burst may use ten seconds' worth. A client that cancels more loses the connections
   * that do it, and gets no new one for up to a second. Raise it behind a proxy that forwards many clients over HTTP/2.
   */
  readonly resetsPerSecond?: number | undefined;
}

interface NetModule {
  createServer(options: ServerOpts, listener: (socket: Socket) => void): Server;
}

interface TlsModule {
  createServer(options: NodeTlsOptions, listener: (socket: TLSSocket) => void): Server;
}

/** Serves a connection after its protocol was chosen. `since`: when it was accepted, by `performance.now()`. */
type Serve = (socket: Socket, isHttp2: boolean, since: number) => void;

/** HTTP/2: cleartext with prior knowledge, or over TLS when given a key and a certificate. */
export class NodeHttp2Engine implements ServerEngine {
  readonly name: string = "node-http2";
  readonly #tls: TlsOptions | undefined;
  readonly #resetsPerSecond: number;

  /** @throws TypeError when TLS options have no certificate, and when a rate is invalid. */
  constructor(tls?: TlsOptions, { resetsPerSecond = 100 }: Http2Options = {}) {
    if (!(resetsPerSecond > 0))
      throw new TypeError(`resetsPerSecond is ${String(resetsPerSecond)}: a number above 0 is allowed, and Infinity`);
    this.#resetsPerSecond = resetsPerSecond;
    if (tls !== undefined && tls.pfx === undefined && (tls.key === undefined || tls.cert === undefined))
      throw new TypeError("NodeHttp2Engine needs key and cert, or pfx, for TLS; without options it serves cleartext");
    this.#tls = tls;
  }

  /** Listens. @throws (rejects) with a sentence: port in use, a key that does not fit its certificate. */
  async start(config: EngineConfig, handler: EngineHandler): Promise<RunningEngine> {
    const sockets = new ConnectionTracker(config.timeouts.idleMs);
    const older = http1Server(this.name, config, handler, sockets);
    if (this.#tls === undefined)
      older.prependListener("clientError", (error, socket) => {
        if (isInvalidPreface(error) && !sockets.hasBegun(socket as Socket)) socket.destroy();
      });
    const budget = new ResetBudget(this.#resetsPerSecond);
    const sessions = new Http2Sessions(nodeModule("node:http2", this.name), config, handler, sockets, budget);
    const serve: Serve = (socket, isHttp2, since) => {
      if (isHttp2) return sessions.take(socket, since);
      older.emit("connection", socket);
      limitFirstHead(older, socket, sockets, config.timeouts, since);
    };
    const server =
      this.#tls === undefined
        ? this.#cleartext(config, handler, sockets, serve)
        : this.#secure(this.#tls, config, sockets, serve);
    const port = await listen(server, config);
    older.emit("listening"); // Starts its clock. It gets its connections from here and never listens itself.
    sessions.watch();
    return {
      port,
      secure: this.#tls !== undefined,
      get connections() {
        return sockets.size;
      },
      stop(graceMs) {
        older.close();
        sessions.drain();
        return stopListening(server, sockets, graceMs);
      },
    };
  }

  #cleartext({ timeouts }: EngineConfig, handler: EngineHandler, sockets: ConnectionTracker, serve: Serve): Server {
    // Same as the HTTP/1.1 server for its own connections: it responds to a client that has ended its side.
    const options = { noDelay: true, allowHalfOpen: true };
    return nodeModule<NetModule>("node:net", this.name).createServer(options, (socket) => {
      const since = performance.now();
      sockets.add(socket);
      choosePrior(socket, timeouts.headersMs, {
        chosen(isHttp2) {
          socket.allowHalfOpen = !isHttp2;
          serve(socket, isHttp2, since);
        },
        unfinished: (status) => sendRejection(socket, status, handler),
      });
    });
  }

  #secure(tls: TlsOptions, { timeouts }: EngineConfig, sockets: ConnectionTracker, serve: Serve): Server {
    const protocols = { ALPNProtocols: ["h2", "http/1.1"], noDelay: true };
    const options = { ...tls, ...protocols, handshakeTimeout: timeouts.headersMs };
    const { createServer } = nodeModule<TlsModule>("node:tls", this.name);
    /** When a connection was accepted, by its two ends, because Node does not say which one a TLS socket is on. */
    const accepted = new Map<string, number>();
    const server = usable(() =>
      createServer(options as NodeTlsOptions, (socket) => {
        socket.on("error", () => undefined);
        serve(socket, socket.alpnProtocol === "h2", accepted.get(endsOf(socket)) ?? performance.now());
      }),
    );
    server.on("connection", (socket) => {
      const ends = endsOf(socket);
      accepted.set(ends, performance.now());
      socket.once("close", () => accepted.delete(ends));
      sockets.add(socket);
      sockets.handOff(socket);
    });
    // Node only reports a failed or late handshake, and leaves the connection open.
    server.on("tlsClientError", (_error, socket: TLSSocket) => socket.destroy());
    return server;
  }
}

/**
 * Are those the first bytes of a client, without a method or the name of HTTP in their places? On a cleartext port that is an
 * invalid preface of HTTP/2, after which a connection ends without a response (RFC 9113 §3.4).
 */
const isInvalidPreface = ({ code, rawPacket }: NodeJS.ErrnoException & { readonly rawPacket?: Buffer }): boolean =>
  code === "HPE_INVALID_METHOD" && /^\S+ \S+ (?!HTTP\/)/.test(String(rawPacket?.subarray(0, 1_024)));

const endsOf = ({ remoteAddress, remotePort, localAddress }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localAddress}`;

/** @throws Error that names the key or the certificate. */
function usable(create: () => Server): Server {
  try {
    return create();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`the TLS key or certificate cannot be used: ${reason}`, { cause: error });
  }
}
