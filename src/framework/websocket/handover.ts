/**
 * Handover: passes the connection to the code that sends the 101 and speaks the protocol.
 *
 *   a socket of Node's ──▶ ws: 101 + the app's header lines ──▶ its WebSocket
 *                           └─ extensions that cannot be read ──▶ 400
 *   Bun, Deno ───────────▶ the host's own
 *
 * Spec: spec/websocket.md
 */
import * as ws from "#ws";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { NativeUpgrade, SocketPeer } from "../http/native-socket.ts";
import type { UpgradedConnection } from "../http/upgrade.ts";
import { missingPeer } from "../internal/peers.ts";
import type { Settings } from "./settings.ts";

/** On a host that speaks the protocol itself, `#ws` is optional-ws.ts, and the package may be missing. */
const installed: Partial<Pick<typeof ws, "WebSocketServer" | "WebSocket">> = ws;
const Remembering = installed.WebSocket && remembering(installed.WebSocket);

/**
 * WebSockets that remember their close code. `ws` itself closes one for a client's protocol error, stops reading, and reports a
 * connection that broke off.
 */
function remembering(Base: typeof ws.WebSocket): typeof ws.WebSocket {
  return class extends Base implements Pick<SocketPeer, "sentCode"> {
    sentCode: number | undefined;

    override close(code?: number, reason?: string | Buffer): void {
      this.sentCode ??= code;
      super.close(code, reason);
    }
  };
}

/** Does the host of that socket speak the protocol itself? */
export const isNative = (socket: object): socket is NativeUpgrade => typeof Reflect.get(socket, "open") === "function";

/** Fields that ws writes itself (RFC 6455 §4.2.2), and fields without meaning in a 101. */
const own = /^(?:connection|upgrade|sec-websocket-.*|transfer-encoding|content-.*|keep-alive|trailer)$/i;

/** The `ws` server of one route. */
export class Handover {
  readonly #server: ws.WebSocketServer | undefined;
  readonly #pingMs: number;
  /** The app's header lines for the current handshake. */
  #headers: readonly string[] = [];

  constructor({ maxMessageBytes, compression, pingMs, closeMs }: Settings) {
    this.#pingMs = pingMs;
    // Its types do not have closeTimeout yet.
    const options = {
      noServer: true,
      WebSocket: Remembering,
      clientTracking: false,
      closeTimeout: closeMs,
      maxPayload: maxMessageBytes,
      perMessageDeflate: compression,
    };
    this.#server = installed.WebSocketServer && new installed.WebSocketServer(options);
    this.#server?.on("headers", (lines) => lines.push(...linesOf(this.#headers)));
  }

  /** Opens the WebSocket. Undefined when the connection is gone by then, or the peer has rejected it. */
  open({ request, socket, head, headers }: UpgradedConnection, protocol: string | undefined): SocketPeer | undefined {
    const passed = headers.filter((_, at) => !own.test(headers[at - (at % 2)] ?? ""));
    if (isNative(socket)) return socket.open({ protocol, headers: passed, pingMs: this.#pingMs })?.peer;
    if (this.#server === undefined) throw missingPeer("framework/websocket", "ws");
    let opened: SocketPeer | undefined;
    this.#headers = passed;
    this.#server.handleUpgrade(
      checked(request as IncomingMessage, protocol),
      socket as Duplex,
      Buffer.from(head),
      (peer) => {
        opened = peer;
      },
    );
    return opened;
  }
}

/**
 * The request as `ws` reads it, with the already decided fields normalized, because it accepts fewer spellings than HTTP
 * allows. Not derived from the request, because V8 keeps a separate shape for each prototype object.
 */
function checked({ method, url, headers, socket }: IncomingMessage, protocol: string | undefined): IncomingMessage {
  const fields: IncomingHttpHeaders = { ...headers, upgrade: "websocket", "sec-websocket-protocol": protocol };
  return { method, url, headers: fields, socket } as IncomingMessage;
}

function linesOf(headers: readonly string[]): string[] {
  const lines: string[] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
  return lines;
}
