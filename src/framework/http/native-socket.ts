/**
 * NativeUpgrade: how a host that speaks WebSocket itself opens one for a request of `app.fetch`.
 *
 *   app.ws ──▶ ctx.upgrade ──▶ open(handshake) ──▶ a socket, and the Response that the host is given back
 *                                  └─ undefined: the host cannot, or the client has left
 *
 * Types only. `framework/bun` and `framework/deno` have one each; whoever serves `app.fetch` elsewhere may pass their own.
 *
 * Spec: spec/websocket.md, spec/engines.md
 */

/** What has been agreed on with the client when a host opens a WebSocket. */
export interface NativeHandshake {
  /** The subprotocol that is spoken; undefined for none. */
  readonly protocol: string | undefined;
  /** Flat list of header names and values that the app has recorded for the 101. */
  readonly headers: readonly string[];
  /** How often a client is to be sent a ping, in milliseconds; 0 for never. */
  readonly pingMs: number;
}

/**
 * The server's end of a WebSocket, whoever speaks the protocol: the part of a `WebSocket` of the package `ws` that is used.
 * Events are those of `ws`: `message`, `ping`, `pong`, `error`, `close`.
 */
export interface SocketPeer {
  readonly protocol: string;
  /** What was agreed on with the client beside the protocol itself; empty for nothing. Absent where a host does not say. */
  readonly extensions?: string;
  /** The code of the close frame that was sent here first, by the app or for what the client did wrong. Absent until then. */
  readonly sentCode?: number | undefined;
  /** 0 to 3, as the web's `WebSocket` has it. */
  readonly readyState: number;
  readonly bufferedAmount: number;
  readonly isPaused: boolean;
  /** Calls `sent` once the message is out, or cannot be. */
  send(message: string | Uint8Array, sent?: () => void): void;
  ping(): void;
  close(code?: number, reason?: string): void;
  terminate(): void;
  /** Reads the client no more until `resume`. Does nothing where a host cannot. */
  pause(): void;
  resume(): void;
  on(event: "message", listener: (data: unknown, isBinary: boolean) => void): unknown;
  on(event: "close", listener: (code: number, reason: unknown) => void): unknown;
  on(event: "ping" | "pong" | "error", listener: () => void): unknown;
}

/** A WebSocket that a host has opened. */
export interface NativeSocket {
  readonly peer: SocketPeer;
  /** What `app.fetch` gives back for the request. */
  readonly response: Response;
}

/** Opens the WebSocket of one request. Undefined where that cannot be done. */
export interface NativeUpgrade {
  open(handshake: NativeHandshake): NativeSocket | undefined;
}
