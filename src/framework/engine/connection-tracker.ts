/**
 * The open sockets of a server, and the exchanges open on each. The exchanges are a doubly linked list, since pipelining can
 * stack thousands and the oldest is removed first.
 *
 *   exchange opened ──▶ on its socket's list ──▶ removed when its response is out
 *   a client has left ──▶ every exchange still on the list of its socket learns it, from its request or stream
 *   drain ──▶ `drained` settles when no exchange is open
 *   closeAfterResponse(socket, how) ──▶ `how.whenIdle()` when no exchange is open on it
 *   a message closes the connection ──▶ `finish(socket)`: no further request is taken from it
 *
 * A socket that is handed off to an HTTP/2 session, or is still in its TLS handshake, is ended by that owner.
 *
 * Spec: spec/engines.md
 */
import type { Socket } from "node:net";

/** An exchange, as an entry in its socket's list. */
export interface OpenExchange {
  earlier: OpenExchange | undefined;
  later?: OpenExchange | undefined;
  /** The client has left. */
  leave(): void;
}

/** The tracker, as an exchange needs it. */
export interface Connections {
  /** Does this socket close after the response to that exchange? */
  closesAfter(socket: Socket, exchange: OpenExchange): boolean;
  open(socket: Socket, exchange: OpenExchange): void;
  close(socket: Socket, exchange: OpenExchange): void;
  /** A message has closed this connection, so no further request is taken from it (RFC 9112 §9.6). */
  finish(socket: Socket): void;
  /** Lets a socket time out until the current response is over. */
  guard(socket: Socket): void;
}

/** A host's exchanges are not tracked, because it drains and times out its own sockets. */
export const uncounted: Connections = {
  closesAfter: () => false,
  finish: () => undefined,
  open: () => undefined,
  close: () => undefined,
  guard: () => undefined,
};

const newest: unique symbol = Symbol("newest open exchange");

const closing: unique symbol = Symbol("what to do once no exchange is open");

/** `null` until the first. */
type Tracked = Socket & { [newest]?: OpenExchange | null | undefined; [closing]?: Closing | undefined };

/** Ends a socket when no exchange is open on it. */
interface Closing {
  whenIdle(): void;
  /** Does the last response say that the connection closes? Not when more is sent after it. */
  readonly isAnnounced: boolean;
}

/** Node ends the socket itself. */
const finished: Closing = { whenIdle: () => undefined, isAnnounced: false };

/** Up to this number of sockets the list is not swept. */
const fewSockets = 64;

/** Every open socket and the exchanges on it. */
export class ConnectionTracker implements Connections {
  /** Held by their connections alone. A listener for the end of each would need a closure, 0.2 KB for every idle one. */
  #sockets: WeakRef<Tracked>[] = [];
  #sweepAt = fewSockets;
  readonly #handedOff: WeakSet<Tracked> = new WeakSet();
  #open = 0;
  #settle: (() => void) | undefined;
  /** Settles after `drain()`, when no exchange is open. */
  readonly drained: Promise<void> = new Promise((resolve) => {
    this.#settle = resolve;
  });
  /** Set by `drain()`. Responses then close their connection. */
  draining = false;
  readonly #idleMs: number;

  /** @param idleMs time without progress after which a socket times out, or 0 when the caller does that. */
  constructor(idleMs = 0) {
    this.#idleMs = idleMs;
  }

  /**
   * Lets the socket time out. Armed when it opens, when a response waits for a slow reader and when no more is taken from it.
   * Between requests Node's keep-alive timer applies. A permanent timer would be set twice for each request.
   */
  guard(socket: Socket): void {
    if (this.#idleMs > 0) socket.setTimeout(this.#idleMs);
  }

  /** Adds a new connection. Later calls for the same one do nothing. */
  add(socket: Tracked): void {
    if (newest in socket) return;
    socket[newest] = null;
    if (this.#sockets.length >= this.#sweepAt) {
      this.#sockets = this.#openOnes().map((open) => new WeakRef(open));
      this.#sweepAt = Math.max(fewSockets, 2 * this.#sockets.length);
    }
    this.#sockets.push(new WeakRef(socket));
  }

  /** The number of open connections. */
  get size(): number {
    return this.#openOnes().length;
  }

  #openOnes(): Tracked[] {
    return this.#sockets.flatMap((ref) => {
      const socket = ref.deref();
      return socket === undefined || socket.destroyed ? [] : [socket];
    });
  }

  /** The caller ends this connection when it is idle. Call `add` first. */
  handOff(socket: Tracked): void {
    this.#handedOff.add(socket);
  }

  open(socket: Tracked, exchange: OpenExchange): void {
    this.#open += 1;
    const earlier = socket[newest] ?? undefined;
    if (earlier !== undefined) earlier.later = exchange;
    exchange.earlier = earlier;
    socket[newest] = exchange;
  }

  close(socket: Tracked, exchange: OpenExchange): void {
    const { earlier, later } = exchange;
    if (socket[newest] === exchange) socket[newest] = earlier;
    else if (later === undefined) return; // It is no longer in the list.
    else later.earlier = earlier;
    if (earlier !== undefined) earlier.later = later;
    exchange.later = undefined;
    this.#open -= 1;
    if (socket[newest] === undefined && !socket.destroyed) socket[closing]?.whenIdle();
    if (this.draining && this.#open === 0) this.#settle?.();
  }

  /** Call it for a destroyed socket. Every exchange on it learns that its client has left. */
  clientLeft(socket: Tracked): void {
    for (const exchange of Array.from(this.on(socket))) exchange.leave();
  }

  /** Has there been an exchange on it? */
  hasBegun(socket: Tracked): boolean {
    return socket[newest] !== null;
  }

  isIdle(socket: Tracked): boolean {
    return (socket[newest] ?? undefined) === undefined;
  }

  /** The exchanges open on a socket, newest first. */
  *on(socket: Tracked): Generator<OpenExchange> {
    for (let at = socket[newest] ?? undefined; at !== undefined; at = at.earlier) yield at;
  }

  /** Takes no further request from that socket. Later calls for the same one do nothing. */
  closeAfterResponse(socket: Tracked, how: Closing): void {
    if (this.isClosing(socket)) return;
    socket[closing] = how;
    this.guard(socket);
    if (this.isIdle(socket)) how.whenIdle();
  }

  finish(socket: Tracked): void {
    this.closeAfterResponse(socket, finished);
  }

  isClosing(socket: Tracked): boolean {
    return socket[closing] !== undefined;
  }

  /** Does this socket close after the response to that exchange? Not while later ones wait for their responses. */
  closesAfter(socket: Tracked, exchange: OpenExchange): boolean {
    return (this.draining || socket[closing]?.isAnnounced === true) && socket[newest] === exchange;
  }

  drain(): void {
    this.draining = true;
    if (this.#open === 0) this.#settle?.();
  }

  /** Ends sockets that have sent all bytes, and cuts the others. */
  closeAll(): void {
    for (const socket of this.#openOnes()) {
      if (!this.isIdle(socket)) {
        socket.destroy();
        this.clientLeft(socket);
      } else if (!this.#handedOff.has(socket)) {
        socket.destroySoon();
      }
    }
    const late = setTimeout(() => {
      for (const socket of this.#openOnes()) socket.destroy();
    }, 250);
    late.unref();
  }
}

/** The scheme of the requests on that connection. */
export const schemeOf = (socket: Socket): "http" | "https" => ("encrypted" in socket ? "https" : "http");
