/**
 * http1Server: Node's HTTP/1.1 server with the framework's limits, for every engine that speaks HTTP/1.1.
 *
 *   request ──▶ NodeExchange ──▶ handler
 *   an expectation other than 100-continue ──▶ NodeExchange with a flaw
 *   100-continue ──▶ 100 when the body is read; if it is not, the connection closes after the response
 *   a connection that closes within a body ──▶ lingers, so that its client can read the response
 *   bytes after a request or response that closes the connection ──▶ neither handled nor responded to
 *   an upgrade to a WebSocket, if a route takes them ──▶ UpgradeExchange
 *   a request the parser rejects ──▶ problem+json, closed, reported by `rejected`
 *   the same after other requests ──▶ their responses first, then as above
 *   a request whose body breaks off ──▶ its exchange responds, so that it is logged once
 *   a thousand that are late together ──▶ a few each turn of the event loop
 *
 * Timeouts and limits stay on.
 *
 * Spec: spec/engines.md, spec/errors.md
 */
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { reasonPhrase } from "../../internal/http-rules.ts";
import type { EngineConfig, EngineHandler, Flaw } from "../../http/exchange.ts";
import { carry, linger, lingers, newestBody, type Carrying } from "../lingering.ts";
import { announcesBody, incomingClass, upgradingClass, type Incoming, type IncomingClass } from "./incoming.ts";
import { nodeModule } from "../listening.ts";
import { NodeExchange } from "./node-exchange.ts";
import { isUpgrade, UpgradeExchange, whenDetached } from "./upgrade-exchange.ts";
import { rejectionOf } from "../rejection.ts";
import { schemeOf, type ConnectionTracker } from "../connection-tracker.ts";
import { Turns } from "../turns.ts";

interface HttpModule {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
  createServer(
    options: Omit<ServerOptions, "IncomingMessage"> & { readonly IncomingMessage: IncomingClass },
    listener: (req: Incoming, res: ServerResponse) => void,
  ): Server;
}

/** Node's option `optimizeEmptyRequests` is newer than its types. */
type ServerLimits = Omit<ServerOptions, "IncomingMessage"> & { readonly optimizeEmptyRequests: boolean };

/** The options for Node's limits. */
const optionsOf = ({ limits, timeouts }: EngineConfig): ServerLimits => ({
  maxHeaderSize: limits.headerBytes,
  headersTimeout: Math.min(timeouts.headersMs, timeouts.requestMs),
  requestTimeout: timeouts.requestMs,
  keepAliveTimeout: timeouts.idleMs,
  connectionsCheckingInterval: timeouts.checkMs,
  requireHostHeader: false,
  optimizeEmptyRequests: true,
});

/** An HTTP/1.1 server with the limits of `config`, not listening yet. `sockets` tracks its connections. */
export function http1Server(
  engine: string,
  config: EngineConfig,
  handler: EngineHandler,
  sockets: ConnectionTracker,
): Server {
  const http = nodeModule<HttpModule>("node:http", engine);
  /** Not after a message that closes the connection. A body there delays the close. */
  const isWanted = (req: Incoming): boolean => {
    const isClosing = sockets.isClosing(req.socket);
    if (announcesBody(req)) carry(req);
    else if (!isClosing) req.skip();
    return !isClosing;
  };
  const takes = (req: IncomingMessage): boolean =>
    req.method === "CONNECT" || (isUpgrade(req) && sockets.isIdle(req.socket) && !sockets.isClosing(req.socket));
  const Base = config.upgrades === true ? upgradingClass(http.IncomingMessage, takes) : http.IncomingMessage;
  const server = http.createServer({ IncomingMessage: incomingClass(Base), ...optionsOf(config) }, (req, res) => {
    if (isWanted(req)) handler.handle((req.exchange = new NodeExchange(req, res, sockets)));
  });
  server.on("checkContinue", (req: Incoming, res: ServerResponse) => {
    req.expecting = res;
    if (isWanted(req)) handler.handle((req.exchange = new NodeExchange(req, res, sockets)));
  });
  server.on("checkExpectation", (req: Incoming, res: ServerResponse) => {
    if (isWanted(req)) handler.handle((req.exchange = new ExpectingExchange(req, res, sockets)));
  });
  server.maxHeadersCount = config.limits.headerCount + 1;
  server.on("timeout", (socket: Socket) => {
    if (socket.writableLength > 0 || sockets.isIdle(socket)) socket.destroy();
  });
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    sockets.guard(socket);
  });
  const turns = new Turns(perTurn);
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) =>
    turns.run(() => endUnparsable(error, socket, handler, sockets)),
  );
  if (config.upgrades === true)
    server.on("upgrade", (req: IncomingMessage, socket: Socket, head: Uint8Array) =>
      whenDetached(socket, () => handler.handle(new UpgradeExchange(req, new http.ServerResponse(req), head, sockets))),
    );
  server.on("connect", (_req: IncomingMessage, socket: Socket) => {
    letGo(socket, sockets);
    sockets.closeAfterResponse(socket, { whenIdle: () => sendRejection(socket, 405, handler), isAnnounced: false });
  });
  return server;
}

/**
 * Rejects the connection with 408 when no first head has arrived whole `headersMs` after `since`. Node's own clock begins when
 * it gets the connection, which is only wrong for clients that were slow before that.
 */
export function limitFirstHead(
  server: Server,
  socket: Socket,
  sockets: ConnectionTracker,
  { headersMs, checkMs }: EngineConfig["timeouts"],
  since: number,
): void {
  const elapsedMs = performance.now() - since;
  if (elapsedMs < checkMs) return;
  const late = setTimeout(
    () => {
      if (!sockets.hasBegun(socket)) server.emit("clientError", { code: "ERR_HTTP_REQUEST_TIMEOUT" }, socket);
    },
    Math.max(0, headersMs - elapsedMs),
  );
  late.unref();
  socket.once("close", () => clearTimeout(late));
}

/** A request with an expectation other than `100-continue`, for which Node emits a separate event. */
class ExpectingExchange extends NodeExchange {
  override get flaw(): Flaw | undefined {
    return super.flaw ?? (this.req.headers.expect === "" ? undefined : 417);
  }
}

/** Node has given up this connection. It no longer reads it, ends it, or emits events for earlier requests. */
function letGo(socket: Socket, sockets: ConnectionTracker): void {
  socket
    .on("error", () => undefined)
    .on("end", () => socket.destroySoon())
    .on("close", () => sockets.clientLeft(socket))
    .resume();
}

/** Rejections in one turn of the event loop. */
const perTurn = 16;

/** Statuses for the parser's error codes and messages. Anything else is 400. */
const statusOf: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  // An invalid version has the same code.
  "Parse Error: Invalid HTTP version": 505,
};

/**
 * Unparsable bytes get a separate response after the pending responses of the connection, and never within one. If they are the
 * body of a request that the handler knows, its exchange responds, unless it has done so already.
 */
function endUnparsable(
  error: NodeJS.ErrnoException,
  socket: Carrying,
  handler: EngineHandler,
  sockets: ConnectionTracker,
): void {
  if (lingers(socket) && !socket.destroyed) return;
  if (error.code === "ECONNRESET" || !socket.writable || socket.destroyed) {
    socket.destroy();
    return;
  }
  if (error.code === "HPE_CLOSED_CONNECTION") return sockets.finish(socket);
  const status = statusOf[error.code ?? ""] ?? statusOf[error.message] ?? 400;
  const req = socket[newestBody];
  const isBody = req !== undefined && !req.complete;
  const wasClosing = sockets.isClosing(socket);
  for (const exchange of sockets.on(socket))
    if (isBody && exchange instanceof NodeExchange && exchange.req === req) exchange.spoil(status);
  if (isBody) socket.destroySoon = () => linger(socket, status === 408);
  const whenIdle = (): void => (isBody ? socket.destroySoon() : sendRejection(socket, status, handler));
  sockets.closeAfterResponse(socket, { whenIdle, isAnnounced: isBody });
  if (wasClosing && status === 408) socket.destroy();
}

/** Responds to bytes that never become a request, on a socket without pending responses, and closes it. */
export function sendRejection(socket: Socket, status: number, handler: EngineHandler): void {
  const { body, bytes } = rejectionOf(status);
  linger(
    socket,
    status === 408,
    `HTTP/1.1 ${status} ${reasonPhrase(status)}\r\nContent-Type: application/problem+json\r\n` +
      `Content-Length: ${bytes}\r\nConnection: close\r\n\r\n${body}`,
  );
  handler.rejected({ status, bytes, durationMs: 0, remoteAddress: socket.remoteAddress, scheme: schemeOf(socket) });
}
