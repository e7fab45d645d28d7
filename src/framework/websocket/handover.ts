/**
 * Handover: the connection, to `ws`, which sends the 101 and speaks the protocol from then on.
 *
 *   upgraded connection ──▶ ws: 101 + the app's header lines ──▶ its WebSocket
 *
 * Spec: spec/websocket.md (WS)
 */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { WebSocket, WebSocketServer } from "ws";
import type { UpgradedConnection } from "../http/upgrade.ts";
import type { Settings } from "./settings.ts";

/** @throws Error that names the command by which the peer is installed. */
async function loaded(): Promise<typeof WebSocketServer> {
  try {
    return (await import("ws")).WebSocketServer;
  } catch (cause) {
    if (Reflect.get(Object(cause), "code") !== "ERR_MODULE_NOT_FOUND") throw cause;
    throw new Error("framework/websocket needs the package ws, which is not installed: npm install ws", { cause });
  }
}

const Server = await loaded();

/** What ws writes itself (RFC 6455 §4.2.2), and what has no meaning in a 101. */
const own = /^(?:connection|upgrade|sec-websocket-.*|transfer-encoding|content-.*|keep-alive|trailer)$/i;

/** What `ws` asks for while it opens a connection. */
interface Opening {
  readonly protocol: string | undefined;
  readonly headers: readonly string[];
}

/** The end of `ws` of one route. */
export class Handover {
  readonly #server: WebSocketServer;
  readonly #openings = new WeakMap<object, Opening>();

  constructor({ maxMessageBytes, compression }: Settings) {
    this.#server = new Server({
      noServer: true,
      clientTracking: false,
      maxPayload: maxMessageBytes,
      perMessageDeflate: compression,
      handleProtocols: (_offered, request) => this.#openings.get(request)?.protocol ?? false,
    });
    this.#server
      .on("headers", (lines, request) => lines.push(...linesOf(this.#openings.get(request)?.headers ?? [])))
      .on("wsClientError", (_error, socket) => socket.destroy());
  }

  /** Opens the WebSocket; undefined where the connection is gone by then. */
  open({ request, socket, head, headers }: UpgradedConnection, protocol: string | undefined): WebSocket | undefined {
    let opened: WebSocket | undefined;
    this.#openings.set(request, { protocol, headers });
    this.#server.handleUpgrade(request as IncomingMessage, socket as Duplex, Buffer.from(head), (peer) => {
      opened = peer;
    });
    if (opened === undefined) (socket as Duplex).destroy();
    return opened;
  }
}

function linesOf(headers: readonly string[]): string[] {
  const lines: string[] = [];
  for (let at = 0; at + 1 < headers.length; at += 2)
    if (!own.test(headers[at] ?? "")) lines.push(`${headers[at]}: ${headers[at + 1]}`);
  return lines;
}
