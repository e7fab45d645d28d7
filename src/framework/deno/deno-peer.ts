/**
 * DenoPeer: adapts a WebSocket of Deno to the interface of `ws` that `framework/websocket` uses.
 *
 * Deno sends the pings, and closes the socket of a silent client. It does not report when data was sent, so this is polled
 * while a caller waits for it.
 *
 * Spec: spec/websocket.md
 */
import type { SocketPeer } from "../http/native-socket.ts";
import { PeerEvents } from "../internal/peer-events.ts";
import type { DenoSocket } from "./platform.ts";

/** The polling interval for sent data, in milliseconds. */
const askMs = 10;

/** `readyState` of the web's `WebSocket`. */
const CLOSED = 3;
const CLOSING = 2;
const OPEN = 1;
const CONNECTING = 0;

/** The code of a connection that ended without a close frame (RFC 6455 §7.1.5). */
const BROKEN_OFF = 1006;

/** One WebSocket, from before it is open. */
export class DenoPeer extends PeerEvents implements SocketPeer {
  readonly protocol: string;
  readonly isPaused: boolean = false;
  readonly #socket: DenoSocket;
  /** Actions to run after the 101 was sent. */
  #waiting: (() => void)[] = [];
  sentCode: number | undefined = undefined;
  #isClosing = false;
  #sent: (() => void)[] = [];
  #isTerminated = false;

  constructor(socket: DenoSocket, protocol: string | undefined) {
    super();
    this.protocol = protocol ?? "";
    this.#socket = socket;
    socket.binaryType = "arraybuffer";
    socket.addEventListener("open", () => this.#opened());
    socket.addEventListener("message", ({ data }) =>
      typeof data === "string" ? this.emit("message", data, false) : this.emit("message", new Uint8Array(data), true),
    );
    socket.addEventListener("error", () => this.emit("error"));
    socket.addEventListener("close", ({ code, reason }) => this.#closed(code, reason));
  }

  /** It counts as open before the 101 was sent, and keeps messages until then. */
  get readyState(): number {
    if (this.#isTerminated) return CLOSED;
    if (this.#isClosing) return Math.max(CLOSING, this.#socket.readyState);
    return Math.max(OPEN, this.#socket.readyState);
  }

  get bufferedAmount(): number {
    return this.#socket.bufferedAmount;
  }

  send(message: string | Uint8Array, sent?: () => void): void {
    this.#once(() => this.#socket.send(message));
    if (sent === undefined) return;
    if (this.bufferedAmount === 0) return sent();
    if (this.#sent.push(sent) === 1) setTimeout(() => this.#ask(), askMs);
  }

  /** Deno pings automatically. */
  ping(): void {
    this.emit("pong");
  }

  close(code?: number, reason?: string): void {
    this.#isClosing = true;
    this.sentCode ??= code;
    this.#once(() => this.#socket.close(code, reason));
  }

  /** Deno cuts no connection. The socket is over for the app, and closes when its client closes it or is silent. */
  terminate(): void {
    if (this.#socket.readyState <= OPEN) this.#once(() => this.#socket.close());
    this.#closed(BROKEN_OFF, "");
  }

  /** Deno continues to read. */
  pause(): void {}

  resume(): void {}

  /** Runs it now, or after the 101 was sent. */
  #once(act: () => void): void {
    if (this.#socket.readyState === CONNECTING) this.#waiting.push(act);
    else act();
  }

  #opened(): void {
    for (const act of this.#waiting) act();
    this.#waiting = [];
  }

  #ask(): void {
    if (this.bufferedAmount === 0) this.#out();
    else if (this.#sent.length > 0) setTimeout(() => this.#ask(), askMs);
  }

  #out(): void {
    const told = this.#sent;
    this.#sent = [];
    for (const sent of told) sent();
  }

  #closed(code: number, reason: string): void {
    if (this.#isTerminated) return;
    this.#isTerminated = true;
    this.#out();
    this.emit("close", code, reason);
  }
}
