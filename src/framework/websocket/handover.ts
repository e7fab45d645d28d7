/**
 * Handover: the connection, to `ws`, which sends the 101 and speaks the protocol from then on.
 *
 *   upgraded connection ──▶ ws: 101 + the app's header lines ──▶ its WebSocket
 *                            └─ extensions that cannot be read ──▶ 400
 *
 * Spec: spec/websocket.md (WS)
 */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { WebSocket, WebSocketServer } from "ws";
import type { UpgradedConnection } from "../http/upgrade.ts";
import { loadPeer } from "../internal/peers.ts";
import type { Settings } from "./settings.ts";

const { WebSocketServer: Server } = await loadPeer("framework/websocket", "ws", () => import("ws"));

/** What ws writes itself (RFC 6455 §4.2.2), and what has no meaning in a 101. */
const own = /^(?:connection|upgrade|sec-websocket-.*|transfer-encoding|content-.*|keep-alive|trailer)$/i;

/** The end of `ws` of one route. */
export class Handover {
  readonly #server: WebSocketServer;
  /** The header lines of the app for the handshake that is under way. */
  #headers: readonly string[] = [];

  constructor({ maxMessageBytes, compression }: Settings) {
    this.#server = new Server({
      noServer: true,
      clientTracking: false,
      maxPayload: maxMessageBytes,
      perMessageDeflate: compression,
    });
    this.#server.on("headers", (lines) => lines.push(...linesOf(this.#headers)));
  }

  /** Opens the WebSocket; undefined where the connection is gone by then, or `ws` has responded with 400. */
  open({ request, socket, head, headers }: UpgradedConnection, protocol: string | undefined): WebSocket | undefined {
    let opened: WebSocket | undefined;
    this.#headers = headers;
    this.#server.handleUpgrade(
      checked(request as IncomingMessage, protocol),
      socket as Duplex,
      Buffer.from(head),
      (peer) => {
        opened = peer;
      },
    );
    if (opened === undefined && !(socket as Duplex).writableEnded) (socket as Duplex).destroy();
    return opened;
  }
}

/** The handshake with those fields that are decided already, for `ws` to read: it takes fewer ways to write them than HTTP has. */
function checked(request: IncomingMessage, protocol: string | undefined): IncomingMessage {
  const headers: IncomingHttpHeaders = { ...request.headers, upgrade: "websocket" };
  if (protocol === undefined) delete headers["sec-websocket-protocol"];
  else headers["sec-websocket-protocol"] = protocol;
  return Object.create(request, { headers: { value: headers } }) as IncomingMessage;
}

function linesOf(headers: readonly string[]): string[] {
  const lines: string[] = [];
  for (let at = 0; at + 1 < headers.length; at += 2)
    if (!own.test(headers[at] ?? "")) lines.push(`${headers[at]}: ${headers[at + 1]}`);
  return lines;
}
