/**
 * PeerEvents: the listeners of a WebSocket that a host speaks, called as `ws` calls its own.
 *
 * Spec: spec/websocket.md
 */

type Listener = (...args: never[]) => void;

/** What every such socket extends. */
export class PeerEvents {
  readonly #listeners: Map<string, Listener[]> = new Map();

  on(event: string, listener: Listener): this {
    const known = this.#listeners.get(event);
    if (known === undefined) this.#listeners.set(event, [listener]);
    else known.push(listener);
    return this;
  }

  /** Calls the listeners of that event, in the order in which they came. */
  emit(event: string, ...args: readonly unknown[]): void {
    for (const listener of this.#listeners.get(event) ?? []) listener(...(args as never[]));
  }
}
