/**
 * The open sockets of a server, and the exchanges open on each: a linked list, since pipelining can stack several.
 *
 *   exchange opened ──▶ on its socket's list ──▶ off it when answered
 *   socket closed ──▶ every exchange still on the list learns that its client left
 *   drain ──▶ `drained` settles once no exchange is open
 *   retire(socket) ──▶ told once no exchange is open on it; answers until then say that the connection closes
 *
 * Spec: spec/lifecycle.md (LIFE)
 */
import type { Socket } from "node:net";

/** An exchange, as an entry in its socket's list. */
export interface OpenExchange {
  earlier: OpenExchange | undefined;
  /** The client has left. */
  leave(): void;
  /** What comes on the connection is malformed. Is it part of this request? Then its body fails with that status. */
  spoil?(status: number): boolean;
}

const newest: unique symbol = Symbol("newest open exchange");

const retiring: unique symbol = Symbol("what to do once no exchange is open");

type Tracked = Socket & { [newest]?: OpenExchange | undefined; [retiring]?: Retirement | undefined };

/** What ends a socket once no exchange is open on it. */
interface Retirement {
  whenIdle(): void;
  /** Does the last answer say that the connection closes? Not when something is still to be sent behind it. */
  readonly isTold: boolean;
}

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

  add(socket: Tracked): void {
    this.#sockets.add(socket);
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
    if (socket[newest] === undefined) socket[retiring]?.whenIdle();
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

  /** The newest exchange open on a socket. */
  newestOf(socket: Tracked): OpenExchange | undefined {
    return socket[newest];
  }

  /** Nothing more is taken from that socket. Returns false when that was so already. */
  retire(socket: Tracked, retirement: Retirement): boolean {
    if (socket[retiring] !== undefined) return false;
    socket[retiring] = retirement;
    if (this.isIdle(socket)) retirement.whenIdle();
    return true;
  }

  /** Does this socket close after the answer to that exchange? Not while it owes answers to later ones. */
  closesAfter(socket: Tracked, exchange: OpenExchange): boolean {
    return (this.draining || socket[retiring]?.isTold === true) && socket[newest] === exchange;
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
