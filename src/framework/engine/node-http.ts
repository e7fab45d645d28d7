/**
 * NodeHttpEngine: serves over node:http.
 *
 *   listen ──▶ request ──▶ NodeExchange ──▶ handler
 *         ├──▶ a request the parser refuses, or without exactly one Host ──▶ problem+json, closed, `refused` told
 *         └──▶ a request whose body breaks off ──▶ its exchange answers, so that it is told of once
 *
 * Timeouts and limits stay on. Node's modules are taken when the engine starts, so that importing the framework
 * needs none of them.
 *
 * Spec: spec/lifecycle.md (LIFE)
 */
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { reasonPhrase } from "../errors.ts";
import type { EngineConfig, EngineHandler, RunningEngine, ServerEngine } from "./exchange.ts";
import { listen, nodeModule, stopListening } from "./listening.ts";
import { NodeExchange } from "./node-exchange.ts";
import { refusalOf } from "./refusal.ts";
import { SocketBook } from "./sockets.ts";

interface HttpModule {
  createServer(options: ServerOptions, listener: (req: IncomingMessage, res: ServerResponse) => void): Server;
}

/** The default engine. */
export class NodeHttpEngine implements ServerEngine {
  readonly name: string = "node-http";

  async start(config: EngineConfig, handler: EngineHandler): Promise<RunningEngine> {
    const sockets = new SocketBook();
    const server = http1Server(this.name, config, handler, sockets);
    const port = await listen(server, config);
    return { port, stop: (graceMs) => stopListening(server, sockets, graceMs) };
  }
}

/** An HTTP/1.1 server with the limits of `config`, not listening yet. `sockets` gets to know its connections. */
export function http1Server(engine: string, config: EngineConfig, handler: EngineHandler, sockets: SocketBook): Server {
  const { limits, timeouts } = config;
  const server = nodeModule<HttpModule>("node:http", engine).createServer(
    {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: timeouts.headersMs,
      requestTimeout: timeouts.requestMs,
      keepAliveTimeout: timeouts.idleMs,
      connectionsCheckingInterval: timeouts.checkMs,
      requireHostHeader: false, // Node's own answer is bare, and nobody hears of it.
      ...{ optimizeEmptyRequests: true },
    },
    (req, res) => {
      const socket: Carrying = req.socket;
      socket[newest] = req;
      if (isHostRight(req)) handler.handle(new NodeExchange(req, res, sockets));
      else refuseHost(res, handler);
    },
  );
  server.maxHeadersCount = limits.headerCount + 1;
  server.timeout = timeouts.idleMs;
  server.on("timeout", (socket: Socket) => {
    if (socket.writableLength > 0 || sockets.isIdle(socket)) socket.destroy();
  });
  server.on("connection", (socket: Socket) => sockets.add(socket));
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    const status = statusOf[error.code ?? ""] ?? 400;
    if (error.code === "ECONNRESET" || !socket.writable || socket.destroyed) socket.destroy();
    else if (!spoilBody(status, socket, sockets)) refuse(status, socket, handler);
  });
  return server;
}

const newest: unique symbol = Symbol("newest request");

type Carrying = Socket & { [newest]?: IncomingMessage | undefined };

/** RFC 9112 §3.2: exactly one Host, which HTTP/1.0 may leave out. */
function isHostRight({ rawHeaders, httpVersionMinor }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  return hosts === 1 || (hosts === 0 && httpVersionMinor === 0);
}

function refuseHost(res: ServerResponse, handler: EngineHandler): void {
  const { body, bytes } = refusalOf(400);
  const remoteAddress = res.socket?.remoteAddress;
  res.writeHead(400, { "Content-Type": "application/problem+json", "Content-Length": bytes, Connection: "close" });
  res.end(body);
  handler.refused({ status: 400, bytes, durationMs: 0, remoteAddress });
}

/**
 * What breaks off in a body belongs to a request that the handler knows: that one's exchange answers. Where its answer
 * is out already nobody needs another. False when it is the head of a new request.
 */
function spoilBody(status: number, socket: Carrying, sockets: SocketBook): boolean {
  const req = socket[newest];
  if (req === undefined || req.complete) return false;
  for (const exchange of sockets.on(socket))
    if (exchange instanceof NodeExchange && exchange.req === req && exchange.spoil(status)) return true;
  socket.destroySoon();
  return true;
}

/** What the parser's error codes mean; anything else is 400. */
const statusOf: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

function refuse(status: number, socket: Socket, handler: EngineHandler): void {
  const { body, bytes } = refusalOf(status);
  socket.end(
    `HTTP/1.1 ${status} ${reasonPhrase(status)}\r\nContent-Type: application/problem+json\r\n` +
      `Content-Length: ${bytes}\r\nConnection: close\r\n\r\n${body}`,
    () => socket.destroySoon(),
  );
  handler.refused({ status, bytes, durationMs: 0, remoteAddress: socket.remoteAddress });
}
