/**
 * NodeHttpEngine: serves over node:http.
 *
 *   listen ──▶ request ──▶ NodeExchange ──▶ handler
 *         └──▶ a request the parser refuses ──▶ problem+json, closed, reported by `refused`
 *
 * Timeouts and limits stay on. Node's modules are taken when the engine starts, so that importing the framework
 * needs none of them.
 *
 * Spec: spec/engines.md (ENGINE), spec/lifecycle.md (LIFE)
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
    const sockets = new SocketBook(config.timeouts.idleMs);
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
      headersTimeout: Math.min(timeouts.headersMs, timeouts.requestMs), // The headers are part of the request.
      requestTimeout: timeouts.requestMs,
      keepAliveTimeout: timeouts.idleMs,
      connectionsCheckingInterval: timeouts.checkMs,
      ...{ optimizeEmptyRequests: true },
    },
    (req, res) => handler.handle(new NodeExchange(req, res, sockets)),
  );
  server.maxHeadersCount = limits.headerCount + 1;
  server.on("timeout", (socket: Socket) => {
    if (socket.writableLength > 0 || sockets.isIdle(socket)) socket.destroy();
  });
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    sockets.guard(socket);
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => refuse(error, socket, handler));
  return server;
}

/** What the parser's error codes mean; anything else is 400. */
const statusOf: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

function refuse(error: NodeJS.ErrnoException, socket: Socket, handler: EngineHandler): void {
  if (error.code === "ECONNRESET" || !socket.writable || socket.destroyed) {
    socket.destroy();
    return;
  }
  const status = statusOf[error.code ?? ""] ?? 400;
  const { body, bytes } = refusalOf(status);
  socket.end(
    `HTTP/1.1 ${status} ${reasonPhrase(status)}\r\nContent-Type: application/problem+json\r\n` +
      `Content-Length: ${bytes}\r\nConnection: close\r\n\r\n${body}`,
    () => socket.destroySoon(),
  );
  handler.refused({ status, bytes, durationMs: 0, remoteAddress: socket.remoteAddress });
}
