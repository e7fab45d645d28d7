/**
 * ServerWebSocket: the server's end of one WebSocket, as its handlers see it.
 *
 *   send ──▶ false when the client is slow: wait for drained()      more than maxBufferedBytes unread ──▶ cut
 *    └─ a short message, nothing before it unsent, no extension ──▶ its frame in one piece, `ws` writes two
 *   a ping comes ──▶ its pong waits with the messages, and counts
 *   close ──▶ the client responds within closeMs, or is cut
 *
 * Spec: spec/websocket.md
 */
import type { Duplex } from "node:stream";
import type { SocketPeer } from "../http/native-socket.ts";
import { usageError } from "../internal/usage-errors.ts";
import { frameOf } from "./frame.ts";
import type { Settings } from "./settings.ts";
import { unref } from "../internal/timers.ts";

/** Unsent bytes from which a client counts as slow. */
const slowBytes = 65_536;

/** `readyState` of the web's `WebSocket`. */
const OPEN = 1;
const CLOSED = 3;

const encoder = new TextEncoder();

/** One WebSocket. */
export class ServerWebSocket<Out = string | Uint8Array> {
  readonly #peer: SocketPeer;
  readonly #settings: Settings;
  readonly #connection: Duplex | undefined;
  readonly #write: ((message: unknown) => string) | undefined;
  readonly #waiting: (() => void)[] = [];
  #closing: ReturnType<typeof setTimeout> | undefined;
  #sentBytes = 0;
  #isClosedHere = false;

  /**
   * @param connection the target of `peer`'s frames, if it writes them unchanged
   * @param write the text of a declared message
   */
  constructor(peer: SocketPeer, settings: Settings, connection?: Duplex, write?: (message: unknown) => string) {
    this.#peer = peer;
    this.#write = write;
    this.#settings = settings;
    this.#connection = connection;
    peer.on("ping", () => void this.#isWithinBound(this.bufferedBytes));
    peer.on("close", () => {
      clearTimeout(this.#closing);
      this.#wake();
    });
  }

  /** The agreed subprotocol, or empty. */
  get protocol(): string {
    return this.#peer.protocol;
  }

  /** Can messages be sent? Neither side has begun to close. */
  get isOpen(): boolean {
    return this.#peer.readyState === OPEN;
  }

  /** Bytes that `send` accepted and the network did not yet. */
  get bufferedBytes(): number {
    return this.#peer.bufferedAmount;
  }

  /** Was it closed by `close` or `terminate`, and not by its client? */
  get isClosedHere(): boolean {
    return this.#isClosedHere;
  }

  /** Payload bytes of the messages sent so far. */
  get sentBytes(): number {
    return this.#sentBytes;
  }

  /**
   * Sends a message: text, or bytes as a binary one, which must not be changed until they were sent. If the route's contract
   * declares its outgoing messages, the value is sent as JSON. Does nothing after the socket closes.
   *
   * @returns false when the client is slow, or gone. Then wait for `drained()`.
   * @throws TypeError when it is not text or bytes. Error when the contract's schema rejects it.
   */
  send(message: Out): boolean {
    return this.#send(this.#write === undefined ? message : this.#write(message));
  }

  #send(message: unknown): boolean {
    if (typeof message !== "string" && !(message instanceof Uint8Array))
      throw usageError("WEBSOCKET_INVALID", `socket.send() takes text or bytes, not ${kindOf(message)}`);
    if (!this.isOpen) return false;
    const bytes = bytesIn(message);
    this.#sentBytes += bytes;
    // A short message to a client that has read everything cannot make it slow, so it needs no callback.
    if (bytes >= slowBytes / 4 || this.bufferedBytes > 0) this.#peer.send(message, () => this.#onSent());
    else if (this.#connection === undefined) this.#peer.send(message);
    else this.#connection.write(frameOf(message, bytes));
    const buffered = this.bufferedBytes;
    return this.#isWithinBound(buffered) && buffered < slowBytes;
  }

  /** Cuts a client that leaves too much unread: messages, or the pongs to its own pings. */
  #isWithinBound(buffered: number): boolean {
    if (buffered <= this.#settings.maxBufferedBytes) return true;
    this.terminate();
    return false;
  }

  /** Resolves when there is room again, and when the socket is closed. */
  drained(): Promise<void> {
    if (this.bufferedBytes < slowBytes || this.#peer.readyState === CLOSED) return Promise.resolve();
    return new Promise((resolve) => void this.#waiting.push(resolve));
  }

  /**
   * Closes the socket. Earlier messages still arrive, and no message comes to the handlers any more. A second call does
   * nothing.
   *
   * @throws TypeError on a code that no server may send (RFC 6455 §7.4), and a reason of more than 123 bytes.
   */
  close(code = 1000, reason = ""): void {
    if (!isSendable(code))
      throw usageError(
        "WEBSOCKET_INVALID",
        `socket.close() has the code ${String(code)}: 1000, 1001, 1003, 1007 to 1014 and 3000 to 4999 are allowed`,
      );
    if (bytesIn(reason) > 123)
      throw usageError("WEBSOCKET_INVALID", "socket.close() has a reason of more than 123 bytes");
    if (!this.isOpen) return;
    this.#isClosedHere = true;
    this.#peer.close(code, reason);
    this.#peer.resume(); // The client's own close is not read while a handler is busy.
    this.#closing = unref(setTimeout(() => this.terminate(), this.#settings.closeMs));
  }

  /** Cuts the connection. */
  terminate(): void {
    this.#isClosedHere = true;
    this.#peer.terminate();
  }

  #onSent(): void {
    if (this.#waiting.length > 0 && this.bufferedBytes < slowBytes) this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

/** The bytes of a message over the wire, without its frame. */
export function bytesIn(message: string | Uint8Array): number {
  if (typeof message !== "string") return message.length;
  return globalThis.Buffer?.byteLength(message) ?? encoder.encode(message).length;
}

const kindOf = (value: unknown): string => (value === null ? "null" : typeof value);

/** May a server send it? 1004 to 1006 and 1015 never go over the wire, and only the client sends 1010. */
const isSendable = (code: number): boolean =>
  Number.isInteger(code) &&
  ([1000, 1001, 1003].includes(code) ||
    (code >= 1007 && code <= 1014 && code !== 1010) ||
    (code >= 3000 && code <= 4999));
