/**
 * NodeHttpEngine: serves over node:http.
 *
 *   listen ──▶ request ──▶ NodeExchange ──▶ handler
 *         └──▶ a request the parser refuses ──▶ problem+json, closed, reported by `refused`
 *
 * Timeouts and limits stay on. Node's modules are taken when the engine starts, so that importing the framework
 * needs none of them.
 *
 * Spec: spec/lifecycle.md (LIFE)
 */
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { problemOf, reasonPhrase } from "../errors.ts";
import type { EngineConfig, EngineHandler, RunningEngine, ServerEngine } from "./exchange.ts";
import { NodeExchange } from "./node-exchange.ts";
import { SocketBook } from "./sockets.ts";

interface HttpModule {
  createServer(options: ServerOptions, listener: (req: IncomingMessage, res: ServerResponse) => void): Server;
}

/** The default engine. */
export class NodeHttpEngine implements ServerEngine {
  readonly name: string = "node-http";

  start(config: EngineConfig, handler: EngineHandler): Promise<RunningEngine> {
    const http = globalThis.process?.getBuiltinModule?.("node:http") as HttpModule | undefined;
    if (http === undefined)
      return Promise.reject(new Error("NodeHttpEngine needs Node.js 20.16 or newer; elsewhere use app.fetch"));
    const { limits, timeouts } = config;
    const sockets = new SocketBook(timeouts.idleMs);
    const server = http.createServer(
      {
        maxHeaderSize: limits.headerBytes,
        headersTimeout: timeouts.headersMs,
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
    server.on("connection", (socket: Socket) => sockets.add(socket));
    server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => refuse(error, socket, handler));
    return listen(server, sockets, config);
  }
}

function listen(server: Server, sockets: SocketBook, { port, host }: EngineConfig): Promise<RunningEngine> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(sentence(error, port, host)));
    server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
      const address = server.address();
      const actual = typeof address === "object" && address !== null ? address.port : port;
      resolve({ port: actual, stop: (graceMs) => stop(server, sockets, graceMs) });
    });
  });
}

/** The reason why a server cannot listen, as a sentence. */
function sentence(error: NodeJS.ErrnoException, port: number, host: string | undefined): Error {
  const where = host === undefined ? `port ${port}` : `${host}:${port}`;
  const why =
    error.code === "EADDRINUSE"
      ? `${where} is in use: stop what listens there, or choose another port (PORT=0 picks a free one)`
      : error.code === "EACCES"
        ? `${where} needs rights that this process lacks: choose a port above 1023`
        : error.code === "EADDRNOTAVAIL"
          ? `${where} cannot be listened on: this machine has no such address`
          : error.code === "ENOTFOUND"
            ? `the host ${host ?? ""} is unknown`
            : `cannot listen on ${where}: ${error.message}`;
  return Object.assign(new Error(why, { cause: error }), { code: error.code });
}

async function stop(server: Server, sockets: SocketBook, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  sockets.drain();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const grace = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, graceMs);
  });
  await Promise.race([sockets.drained, grace]);
  clearTimeout(timer);
  sockets.closeAll();
  await closed;
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
  const body = JSON.stringify(problemOf(status));
  const bytes = new TextEncoder().encode(body).length;
  socket.end(
    `HTTP/1.1 ${status} ${reasonPhrase(status)}\r\nContent-Type: application/problem+json\r\n` +
      `Content-Length: ${bytes}\r\nConnection: close\r\n\r\n${body}`,
    () => socket.destroySoon(),
  );
  handler.refused({ status, bytes, durationMs: 0, remoteAddress: socket.remoteAddress });
}
