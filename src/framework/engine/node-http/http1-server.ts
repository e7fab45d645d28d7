/**
 * http1Server: Node's HTTP/1.1 server with the framework's limits, for every engine that speaks HTTP/1.1.
 *
 *   request ──▶ NodeExchange ──▶ handler
 *   one that expects what nobody here does ──▶ NodeExchange with a flaw
 *   what comes behind a request or an answer that says the connection closes ──▶ neither handled nor answered
 *   a request the parser refuses ──▶ problem+json, closed, reported by `refused`
 *   the same behind other requests ──▶ their answers first, then as above
 *   a request whose body breaks off ──▶ its exchange answers, so that it is told of once
 *   a thousand that are late at once ──▶ a few each turn of the event loop, others in between
 *
 * Timeouts and limits stay on.
 *
 * Spec: spec/engines.md (ENGINE), spec/errors.md (ERR), spec/lifecycle.md (LIFE)
 */
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { reasonPhrase } from "../../internal/errors.ts";
import type { EngineConfig, EngineHandler, Flaw } from "../../http/exchange.ts";
import { announcesBody, incomingClass, type Incoming, type IncomingClass } from "./incoming.ts";
import { nodeModule } from "../listening.ts";
import { NodeExchange } from "./node-exchange.ts";
import { refusalOf } from "../refusal.ts";
import { schemeOf, type SocketBook } from "../sockets.ts";
import { Turns } from "../turns.ts";

interface HttpModule {
  readonly IncomingMessage: typeof IncomingMessage;
  createServer(
    options: Omit<ServerOptions, "IncomingMessage"> & { readonly IncomingMessage: IncomingClass },
    listener: (req: Incoming, res: ServerResponse) => void,
  ): Server;
}

/** An HTTP/1.1 server with the limits of `config`, not listening yet. `sockets` gets to know its connections. */
export function http1Server(engine: string, config: EngineConfig, handler: EngineHandler, sockets: SocketBook): Server {
  const { limits, timeouts } = config;
  const http = nodeModule<HttpModule>("node:http", engine);
  const take = (req: Incoming, exchange: NodeExchange): void => {
    if (announcesBody(req)) (req.socket as Carrying)[newest] = req;
    else req.skip();
    req.exchange = exchange;
    handler.handle(exchange);
  };
  const server = http.createServer(
    {
      IncomingMessage: incomingClass(http.IncomingMessage),
      maxHeaderSize: limits.headerBytes,
      headersTimeout: Math.min(timeouts.headersMs, timeouts.requestMs), // The headers are part of the request.
      requestTimeout: timeouts.requestMs,
      keepAliveTimeout: timeouts.idleMs,
      connectionsCheckingInterval: timeouts.checkMs,
      requireHostHeader: false, // Node's own answer is bare, and nobody hears of it: see NodeExchange.flaw.
      ...{ optimizeEmptyRequests: true },
    },
    (req, res) => {
      if (!sockets.isRetired(req.socket)) take(req, new NodeExchange(req, res, sockets));
    },
  );
  server.on("checkExpectation", (req: Incoming, res: ServerResponse) => {
    if (!sockets.isRetired(req.socket)) take(req, new ExpectingExchange(req, res, sockets));
  });
  server.maxHeadersCount = limits.headerCount + 1;
  server.on("timeout", (socket: Socket) => {
    if (socket.writableLength > 0 || sockets.isIdle(socket)) socket.destroy();
  });
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    sockets.guard(socket);
  });
  const turns = new Turns(perTurn);
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) =>
    turns.run(() => refuse(error, socket, handler, sockets)),
  );
  server.on("connect", (_req: IncomingMessage, socket: Socket) => {
    letGo(socket, sockets);
    sockets.retire(socket, { whenIdle: () => reject(socket, 405, handler), isTold: false });
  });
  return server;
}

/** A request that expects something else than to be told to go on. Node tells of it by an event of its own. */
class ExpectingExchange extends NodeExchange {
  override get flaw(): Flaw | undefined {
    return super.flaw ?? (this.req.headers.expect === "" ? undefined : 417);
  }
}

/** Node has taken its hands off this connection: nobody reads it, ends it, or tells the requests before. */
function letGo(socket: Socket, sockets: SocketBook): void {
  socket
    .on("error", () => undefined)
    .on("end", () => socket.destroySoon())
    .on("close", () => sockets.abandon(socket))
    .resume();
}

/** Refusals in one turn of the event loop. */
const perTurn = 16;

/** The newest request with a body: nothing else can break off. Not kept for the others, an idle socket would hold them. */
const newest: unique symbol = Symbol("newest request with a body");

type Carrying = Socket & { [newest]?: IncomingMessage | undefined };

/** What the parser's error codes mean; anything else is 400. */
const statusOf: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/**
 * What cannot be parsed is answered by itself, behind the answers owed on its connection, and never within one. Where it
 * is the body of a request that the handler knows, that one's exchange answers; one that is answered needs no more.
 */
function refuse(error: NodeJS.ErrnoException, socket: Carrying, handler: EngineHandler, sockets: SocketBook): void {
  if (error.code === "ECONNRESET" || !socket.writable || socket.destroyed) {
    socket.destroy();
    return;
  }
  if (error.code === "HPE_CLOSED_CONNECTION") return sockets.conclude(socket);
  const status = statusOf[error.code ?? ""] ?? 400;
  const req = socket[newest];
  const isBody = req !== undefined && !req.complete;
  const wasRetired = sockets.isRetired(socket);
  for (const exchange of sockets.on(socket))
    if (isBody && exchange instanceof NodeExchange && exchange.req === req) exchange.spoil(status);
  const whenIdle = (): void => (isBody ? socket.destroySoon() : reject(socket, status, handler));
  sockets.retire(socket, { whenIdle, isTold: isBody });
  if (wasRetired && status === 408) socket.destroy();
}

/** Responds to what never becomes a request, on a socket on which no other response is owed, and closes it. */
export function reject(socket: Socket, status: number, handler: EngineHandler): void {
  const { body, bytes } = refusalOf(status);
  socket.end(
    `HTTP/1.1 ${status} ${reasonPhrase(status)}\r\nContent-Type: application/problem+json\r\n` +
      `Content-Length: ${bytes}\r\nConnection: close\r\n\r\n${body}`,
    () => socket.destroySoon(),
  );
  handler.refused({ status, bytes, durationMs: 0, remoteAddress: socket.remoteAddress, scheme: schemeOf(socket) });
}
