/**
 * PeerEvents: the listeners of a host's WebSocket, called as `ws` calls its own.
 *
 * Spec: spec/websocket.md
 */

type Listener = (...args: never[]) => void;

/** The base class of such sockets. */
export class PeerEvents {
  readonly #listeners: Map<string, Listener[]> = new Map();

  on(event: string, listener: Listener): this {
    const known = this.#listeners.get(event);
    if (known === undefined) this.#listeners.set(event, [listener]);
    else known.push(listener);
    return this;
  }

  /** Calls the listeners of that event, in their order. */
  emit(event: string, ...args: readonly unknown[]): void {
    for (const listener of this.#listeners.get(event) ?? []) listener(...(args as never[]));
  }
}
