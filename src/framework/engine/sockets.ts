/**
 * The open sockets of a server, and the exchanges open on each: a linked list, since pipelining can stack several.
 *
 *   exchange opened ──▶ on its socket's list ──▶ off it when answered
 *   socket closed ──▶ every exchange still on the list learns that its client left
 *   drain ──▶ `drained` settles once no exchange is open
 *
 * Spec: spec/lifecycle.md (LIFE)
 */
import type { Socket } from "node:net";

/** An exchange, as an entry in its socket's list. */
export interface OpenExchange {
  earlier: OpenExchange | undefined;
  /** The client has left. */
  leave(): void;
}

const newest: unique symbol = Symbol("newest open exchange");

type Tracked = Socket & { [newest]?: OpenExchange | undefined };

/** Every open socket and the exchanges on it. */
export class SocketBook {
  readonly #sockets: Set<Tracked> = new Set();
  #open = 0;
  #settle: (() => void) | undefined;
  /** Settles after `drain()`, once no exchange is open. */
  readonly drained: Promise<void> = new Promise((resolve) => {
    this.#settle = resolve;
  });
  /** Set by `drain()`: answers now close their connection. */
  draining = false;
  readonly #idleMs: number;

  /** @param idleMs after how long without progress a socket times out; 0 where somebody else sees to that. */
  constructor(idleMs = 0) {
    this.#idleMs = idleMs;
  }

  /**
   * Lets the socket time out. Armed when it opens and when an answer waits for a slow reader; between requests Node's
   * keep-alive timer takes over. A timer kept on the whole time would be set twice a request.
   */
  guard(socket: Socket): void {
    if (this.#idleMs > 0) socket.setTimeout(this.#idleMs);
  }

  add(socket: Tracked): void {
    this.#sockets.add(socket);
    this.guard(socket);
    void socket.remoteAddress; // Node keeps the address once it was read, and forgets it with an unread socket.
    socket.once("close", () => {
      this.#sockets.delete(socket);
      const abandoned = this.#takeAll(socket);
      for (const exchange of abandoned) exchange.leave();
    });
  }

  open(socket: Tracked, exchange: OpenExchange): void {
    this.#open += 1;
    exchange.earlier = socket[newest];
    socket[newest] = exchange;
  }

  close(socket: Tracked, exchange: OpenExchange): void {
    if (socket[newest] === exchange) {
      socket[newest] = exchange.earlier;
    } else {
      let later = socket[newest];
      while (later !== undefined && later.earlier !== exchange) later = later.earlier;
      if (later === undefined) return;
      later.earlier = exchange.earlier;
    }
    this.#open -= 1;
    if (this.draining && this.#open === 0) this.#settle?.();
  }

  #takeAll(socket: Tracked): readonly OpenExchange[] {
    const taken: OpenExchange[] = [];
    for (let at = socket[newest]; at !== undefined; at = at.earlier) taken.push(at);
    socket[newest] = undefined;
    this.#open -= taken.length;
    if (this.draining && this.#open === 0) this.#settle?.();
    return taken;
  }

  isIdle(socket: Tracked): boolean {
    return socket[newest] === undefined;
  }

  drain(): void {
    this.draining = true;
    if (this.#open === 0) this.#settle?.();
  }

  /** Ends sockets whose bytes are all out, cuts the others. */
  closeAll(): void {
    for (const socket of this.#sockets) {
      if (socket[newest] === undefined) socket.destroySoon();
      else socket.destroy();
    }
    const late = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy();
    }, 250);
    late.unref();
  }
}
