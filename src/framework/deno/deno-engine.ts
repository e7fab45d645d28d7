/**
 * DenoEngine: serves with `Deno.serve`.
 *
 *   Deno.serve ──▶ Request ──▶ fetchHandler ──▶ Response
 *                     └─ app.ws ──▶ Deno.upgradeWebSocket ──▶ DenoPeer ──▶ framework/websocket
 *   stop ──▶ no new connection ──▶ requests in flight, within the grace ──▶ the rest is cut
 *
 * Spec: spec/engines.md, spec/websocket.md
 */
import { fetchHandler } from "../engine/fetch/fetch.ts";
import type { EngineConfig, EngineHandler, RunningEngine, ServerEngine } from "../http/exchange.ts";
import type { NativeHandshake, NativeSocket, NativeUpgrade } from "../http/native-socket.ts";
import { sentence } from "../internal/listen-errors.ts";
import { DenoPeer } from "./deno-peer.ts";
import type { DenoRuntime, DenoServeConfig, DenoServeInfo, DenoServer } from "./platform.ts";

/** Options of `Deno.serve` in addition to the app's. */
export interface DenoEngineOptions {
  /** The listening host. Default: the app's `host`, else every address of this machine. */
  readonly hostname?: string | undefined;
  /** A certificate and its key, in PEM: HTTP/2 and HTTP/1.1 over TLS. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** Do several processes listen on one port? Default: false. */
  readonly reusePort?: boolean | undefined;
}

/** Deno's own server. */
export class DenoEngine implements ServerEngine {
  readonly name: string = "deno";
  readonly #options: DenoEngineOptions;

  constructor(options: DenoEngineOptions = {}) {
    this.#options = options;
  }

  // eslint-disable-next-line typescript/require-await -- what it throws rejects
  async start(config: EngineConfig, handler: EngineHandler): Promise<RunningEngine> {
    const deno = (globalThis as { Deno?: DenoRuntime }).Deno;
    if (deno === undefined)
      throw new Error("framework/deno needs Deno: on Node call app.start(), elsewhere use app.fetch");
    const { hostname: host = config.host, tls, reusePort } = this.#options;
    const cutting = new AbortController();
    const options: DenoServeConfig = {
      port: config.port,
      ...(host === undefined ? {} : { hostname: host }),
      ...tls,
      ...(reusePort === undefined ? {} : { reusePort }),
      signal: cutting.signal,
      onListen: () => undefined,
      // A response that could not be made. The app has logged why, or its client has left.
      onError: () => new Response(null, { status: 500 }),
    };
    const server = listening(() => deno.serve(options, handlerOf(deno, handler)), config.port, host);
    return {
      port: server.addr.port ?? config.port,
      host,
      secure: tls !== undefined,
      stop: (graceMs) => stopServing(server, cutting, graceMs),
    };
  }
}

type DenoHandler = (request: Request, info: DenoServeInfo) => Response | Promise<Response>;

function handlerOf(deno: DenoRuntime, handler: EngineHandler): DenoHandler {
  const respond = fetchHandler(() => handler);
  return (request, info) =>
    isWithoutHost(request)
      ? new Response(null, { status: 400, headers: { Connection: "close" } })
      : respond(request, new DenoRequest(deno, request, info), info);
}

/**
 * Deno accepts an HTTP/1.1 request without Host, which must be rejected (RFC 9112 §3.2), and invents one. An HTTP/2 request has
 * none either. Without TLS, if its authority is this name, the two cannot be distinguished. The headers are read only then,
 * since Deno creates them on access, which takes as long as a whole response.
 */
const isWithoutHost = (request: Request): boolean =>
  request.url.startsWith("http://localhost") && !request.headers.has("host");

/** Deno's data about one request, read only when needed. */
class DenoRequest implements NativeUpgrade {
  readonly #deno: DenoRuntime;
  readonly #request: Request;
  readonly #info: DenoServeInfo;

  constructor(deno: DenoRuntime, request: Request, info: DenoServeInfo) {
    this.#deno = deno;
    this.#request = request;
    this.#info = info;
  }

  get peerAddress(): string | undefined {
    return this.#info.remoteAddr.hostname;
  }

  get webSocket(): NativeUpgrade {
    return this;
  }

  open({ protocol, headers, pingMs }: NativeHandshake): NativeSocket {
    const idleTimeout = pingMs === 0 ? 0 : Math.max(1, Math.round(pingMs / 1_000));
    const { socket, response } = this.#deno.upgradeWebSocket(this.#request, { idleTimeout });
    // Its own option accepts a list of protocols only with a blank after each comma.
    if (protocol !== undefined) response.headers.set("Sec-WebSocket-Protocol", protocol);
    for (let at = 0; at + 1 < headers.length; at += 2)
      response.headers.append(headers[at] ?? "", headers[at + 1] ?? "");
    return { peer: new DenoPeer(socket, protocol), response };
  }
}

/** @throws Error with a sentence when it cannot listen */
function listening(serve: () => DenoServer, port: number, host: string | undefined): DenoServer {
  try {
    return serve();
  } catch (error) {
    throw sentence(error, port, host);
  }
}

/** Accepts no new connection, waits until nothing is in flight or `graceMs` are over, then closes the rest. */
async function stopServing(server: DenoServer, cutting: AbortController, graceMs: number): Promise<void> {
  const cut = setTimeout(() => cutting.abort(), graceMs);
  await Promise.race([server.shutdown(), server.finished]);
  clearTimeout(cut);
}
