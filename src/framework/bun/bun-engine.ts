/**
 * BunEngine: serves with `Bun.serve`.
 *
 *   Bun.serve ──▶ Request ──▶ fetchHandler ──▶ Response
 *                    └─ app.ws ──▶ server.upgrade ──▶ BunPeer ──▶ framework/websocket
 *   stop ──▶ no new connection ──▶ requests in flight, within the grace ──▶ the rest is cut
 *
 * Bun's own router is not used, because its routes would bypass middleware, response hooks and the access log.
 *
 * Spec: spec/engines.md, spec/websocket.md
 */
import { fetchHandler } from "../engine/fetch/fetch.ts";
import type { EngineConfig, EngineHandler, RunningEngine, ServerEngine } from "../http/exchange.ts";
import type { NativeHandshake, NativeSocket, NativeUpgrade } from "../http/native-socket.ts";
import { sentence } from "../internal/listen-errors.ts";
import { BunPeer } from "./bun-peer.ts";
import type { BunRuntime, BunServeConfig, BunServer, BunSocketHandlers, BunTls } from "./platform.ts";

/** Options of `Bun.serve` in addition to the app's. Sizes in bytes. */
export interface BunEngineOptions {
  /** The listening host. Default: the app's `host`, else every address of this machine. */
  readonly hostname?: string | undefined;
  /** A certificate, or several by name, as `Bun.serve` takes them. */
  readonly tls?: BunTls | readonly BunTls[] | undefined;
  /** Bun rejects a longer body before the app sees it. Default: Bun's own, 128 MiB. */
  readonly maxRequestBodySize?: number | undefined;
  /** Bun rejects a longer WebSocket message. Routes have their own, lower limits. Default: 16 MiB. */
  readonly maxPayloadLength?: number | undefined;
  /** Do several processes listen on one port? Default: false. */
  readonly reusePort?: boolean | undefined;
}

/** The longest idle timeout that Bun takes, in seconds. */
const longestIdleS = 255;

/** The polling interval for requests in flight while stopping, in milliseconds. */
const askMs = 10;

/** Bun's own server. */
export class BunEngine implements ServerEngine {
  readonly name: string = "bun";
  readonly #options: BunEngineOptions;

  constructor(options: BunEngineOptions = {}) {
    this.#options = options;
  }

  // eslint-disable-next-line typescript/require-await -- what it throws rejects
  async start(config: EngineConfig, handler: EngineHandler): Promise<RunningEngine> {
    const bun = (globalThis as { Bun?: BunRuntime }).Bun;
    if (bun === undefined)
      throw new Error("framework/bun needs Bun: on Node call app.start(), elsewhere use app.fetch");
    const host = this.#options.hostname ?? config.host;
    const server = listening(() => bun.serve(this.#configOf(config, host, handler)), config.port, host);
    return {
      port: server.port ?? config.port,
      host,
      secure: this.#options.tls !== undefined,
      stop: (graceMs) => stopServing(server, graceMs),
    };
  }

  #configOf({ port, timeouts }: EngineConfig, host: string | undefined, handler: EngineHandler): BunServeConfig {
    const { tls, maxRequestBodySize, maxPayloadLength = 16_777_216, reusePort = false } = this.#options;
    const respond = fetchHandler(() => handler);
    return {
      port,
      ...(host === undefined ? {} : { hostname: host }),
      ...(tls === undefined ? {} : { tls }),
      ...(maxRequestBodySize === undefined ? {} : { maxRequestBodySize }),
      reusePort, // Bun's own default is true in production, so a second process would silently listen on the same port.
      idleTimeout: Math.min(longestIdleS, Math.ceil(timeouts.idleMs / 1_000)),
      development: false,
      fetch: (request, server) => respond(request, new BunRequest(request, server), server),
      // A response that could not be made. The app has logged why, or its client has left.
      error: () => new Response(null, { status: 500 }),
      websocket: { ...socketHandlers, maxPayloadLength },
    };
  }
}

/** Bun's data about one request, read only when needed. */
class BunRequest implements NativeUpgrade {
  readonly #request: Request;
  readonly #server: BunServer;

  constructor(request: Request, server: BunServer) {
    this.#request = request;
    this.#server = server;
  }

  get peerAddress(): string | undefined {
    return this.#server.requestIP(this.#request)?.address;
  }

  get webSocket(): NativeUpgrade {
    return this;
  }

  open({ protocol, headers: lines }: NativeHandshake): NativeSocket | undefined {
    const peer = new BunPeer(protocol);
    const headers = new Headers();
    for (let at = 0; at + 1 < lines.length; at += 2) headers.append(lines[at] ?? "", lines[at + 1] ?? "");
    if (protocol !== undefined) headers.set("Sec-WebSocket-Protocol", protocol);
    if (!this.#server.upgrade(this.#request, { data: peer, headers })) return undefined;
    return { peer, response: new Response(null) }; // Bun sends the 101 itself, and ignores the response then.
  }
}

/** Each route has its own pings and limits. */
const socketHandlers: Omit<BunSocketHandlers, "maxPayloadLength"> = {
  open: (socket) => socket.data.opened(socket),
  message: ({ data }, message) => data.emit("message", message, typeof message !== "string"),
  drain: ({ data }) => data.drained(),
  ping: ({ data }) => data.emit("ping"),
  pong: ({ data }) => data.emit("pong"),
  close({ data }, code, reason) {
    data.drained();
    data.emit("close", code, reason);
  },
  idleTimeout: 0,
  sendPings: false,
  backpressureLimit: 2 ** 31 - 1,
  perMessageDeflate: false,
};

/** @throws Error with a sentence when it cannot listen */
function listening(serve: () => BunServer, port: number, host: string | undefined): BunServer {
  try {
    return serve();
  } catch (error) {
    throw sentence(error, port, host);
  }
}

/** Accepts no new connection, waits until nothing is in flight or `graceMs` are over, then closes the rest. */
async function stopServing(server: BunServer, graceMs: number): Promise<void> {
  const until = performance.now() + graceMs;
  const stopped = server.stop();
  while (server.pendingRequests + server.pendingWebSockets > 0 && performance.now() < until)
    await new Promise((resolve) => setTimeout(resolve, askMs));
  await server.stop(true);
  await stopped;
}
