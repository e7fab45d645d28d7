/**
 * Handover: the connection, to who sends the 101 and speaks the protocol from then on.
 *
 *   a socket of Node's ──▶ ws: 101 + the app's header lines ──▶ its WebSocket
 *                           └─ extensions that cannot be read ──▶ 400
 *   Bun, Deno ───────────▶ the host's own
 *
 * Spec: spec/websocket.md
 */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { WebSocket, WebSocketServer } from "ws";
import type { NativeUpgrade, SocketPeer } from "../http/native-socket.ts";
import type { UpgradedConnection } from "../http/upgrade.ts";
import { loadPeer, missingPeer } from "../internal/peers.ts";
import type { Settings } from "./settings.ts";

/** Hosts that speak the protocol themselves need no `ws`. */
const isOptional = /^(Bun|Deno|Cloudflare-Workers)\b/.test(globalThis.navigator?.userAgent ?? "");
interface Peer {
  readonly Server: typeof WebSocketServer;
  readonly WebSocket: typeof WebSocket;
}

const isMissing = (error: unknown): boolean => Reflect.get(Object(error), "code") === "PEER_MISSING";

/** Undefined where it is not installed and nobody may need it. */
const peer = await loadPeer("framework/websocket", "ws", () => import("ws")).then(
  (ws): Peer | undefined => ({ Server: ws.WebSocketServer, WebSocket: remembering(ws.WebSocket) }),
  (error: unknown) => {
    if (isOptional && isMissing(error)) return undefined;
    throw error;
  },
);

/**
 * WebSockets that know what they were closed with: `ws` itself closes one for what its client does wrong, reads no more then, and
 * calls that a connection that broke off.
 */
function remembering(Base: typeof WebSocket): typeof WebSocket {
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

/** What ws writes itself (RFC 6455 §4.2.2), and what has no meaning in a 101. */
const own = /^(?:connection|upgrade|sec-websocket-.*|transfer-encoding|content-.*|keep-alive|trailer)$/i;

/** The end of `ws` of one route. */
export class Handover {
  readonly #server: WebSocketServer | undefined;
  readonly #pingMs: number;
  /** The header lines of the app for the handshake that is under way. */
  #headers: readonly string[] = [];

  constructor({ maxMessageBytes, compression, pingMs, closeMs }: Settings) {
    this.#pingMs = pingMs;
    // Its types do not know closeTimeout yet.
    const options = {
      noServer: true,
      WebSocket: peer?.WebSocket,
      clientTracking: false,
      closeTimeout: closeMs,
      maxPayload: maxMessageBytes,
      perMessageDeflate: compression,
    };
    this.#server = peer && new peer.Server(options);
    this.#server?.on("headers", (lines) => lines.push(...linesOf(this.#headers)));
  }

  /** Opens the WebSocket; undefined where the connection is gone by then, or who speaks the protocol has rejected it. */
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
 * What `ws` reads of a handshake, with those fields that are decided already: it takes fewer ways to write them than HTTP has.
 * No object made from the request: V8 keeps a shape of its own for whatever is the prototype of another.
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
