/**
 * BunPeer: adapts a WebSocket of Bun to the interface of `ws` that `framework/websocket` uses.
 *
 * Waiting data is sent when Bun reports an empty buffer. Then all callbacks run.
 *
 * Spec: spec/websocket.md
 */
import type { SocketPeer } from "../http/native-socket.ts";
import { PeerEvents } from "../internal/peer-events.ts";
import type { BunSocket, BunSocketData } from "./platform.ts";

const CONNECTING = 0;

/** One WebSocket, from before it is open. */
export class BunPeer extends PeerEvents implements SocketPeer, BunSocketData {
  readonly protocol: string;
  readonly isPaused: boolean = false;
  sentCode: number | undefined = undefined;
  #socket: BunSocket | undefined = undefined;
  #sent: (() => void)[] = [];

  constructor(protocol: string | undefined) {
    super();
    this.protocol = protocol ?? "";
  }

  get readyState(): number {
    return this.#socket?.readyState ?? CONNECTING;
  }

  get bufferedAmount(): number {
    return this.#socket?.getBufferedAmount() ?? 0;
  }

  opened(socket: BunSocket): void {
    this.#socket = socket;
  }

  send(message: string | Uint8Array, sent?: () => void): void {
    this.#socket?.send(message);
    if (sent === undefined) return;
    if (this.bufferedAmount > 0) this.#sent.push(sent);
    else sent();
  }

  drained(): void {
    const told = this.#sent;
    this.#sent = [];
    for (const sent of told) sent();
  }

  ping(): void {
    this.#socket?.ping();
  }

  close(code?: number, reason?: string): void {
    this.sentCode ??= code;
    this.#socket?.close(code, reason);
  }

  terminate(): void {
    this.#socket?.terminate();
  }

  /** Bun continues to read. */
  pause(): void {}

  resume(): void {}
}
