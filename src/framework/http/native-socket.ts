/**
 * NativeUpgrade: how a host that speaks WebSocket itself opens one for a request of `app.fetch`.
 *
 *   app.ws ──▶ ctx.upgrade ──▶ open(handshake) ──▶ a socket, and the Response that the host is given back
 *                                  └─ undefined: the host cannot, or the client has left
 *
 * Types only. `framework/bun` and `framework/deno` each have one. Another server of `app.fetch` may pass its own.
 *
 * Spec: spec/websocket.md, spec/engines.md
 */

/** The agreed parameters when a host opens a WebSocket. */
export interface NativeHandshake {
  /** The agreed subprotocol, or undefined for none. */
  readonly protocol: string | undefined;
  /** Flat list of header names and values that the app has recorded for the 101. */
  readonly headers: readonly string[];
  /** How often to send a ping to a client, in milliseconds, or 0 for never. */
  readonly pingMs: number;
}

/**
 * The server's end of a WebSocket in any implementation: the used part of a `WebSocket` of the package `ws`. It has the events
 * of `ws`: `message`, `ping`, `pong`, `error`, `close`.
 */
export interface SocketPeer {
  readonly protocol: string;
  /** The agreed extensions, or empty for none. Absent when a host does not report them. */
  readonly extensions?: string;
  /**
   * The code of the close frame that this side sent first, for the app or for a protocol error of the client. Absent until
   * then.
   */
  readonly sentCode?: number | undefined;
  /** 0 to 3, as the web's `WebSocket` has it. */
  readonly readyState: number;
  readonly bufferedAmount: number;
  readonly isPaused: boolean;
  /** Calls `sent` when the message was sent, or cannot be. */
  send(message: string | Uint8Array, sent?: () => void): void;
  ping(): void;
  close(code?: number, reason?: string): void;
  terminate(): void;
  /** Stops reading from the client until `resume`. Does nothing when a host cannot. */
  pause(): void;
  resume(): void;
  on(event: "message", listener: (data: unknown, isBinary: boolean) => void): unknown;
  on(event: "close", listener: (code: number, reason: unknown) => void): unknown;
  on(event: "ping" | "pong" | "error", listener: () => void): unknown;
}

/** A WebSocket that a host has opened. */
export interface NativeSocket {
  readonly peer: SocketPeer;
  /** The value that `app.fetch` returns for the request. */
  readonly response: Response;
}

/** Opens the WebSocket of one request, or undefined when that is impossible. */
export interface NativeUpgrade {
  open(handshake: NativeHandshake): NativeSocket | undefined;
}
