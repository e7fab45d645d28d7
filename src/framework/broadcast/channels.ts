/**
 * Channels: the listeners of this process, by channel.
 *
 * Spec: spec/websocket.md
 */
import { isThenable } from "../internal/thenable.ts";
import { unharmed } from "../internal/watchers.ts";
import type { BroadcastListener, Subscription } from "./broadcast.ts";

/** Gets errors outside a publish call. */
export type OnBroadcastError = (what: string, error: unknown) => void;

/** Listeners by channel. */
export class Channels {
  readonly #listeners = new Map<string, Set<{ readonly listener: BroadcastListener }>>();
  readonly #onError: OnBroadcastError;

  constructor(onError: OnBroadcastError) {
    this.#onError = onError;
  }

  has(channel: string): boolean {
    return this.#listeners.has(channel);
  }

  /** Adds a listener. `left` is called when the last one of its channel is gone. */
  add(channel: string, listener: BroadcastListener, left: () => void = () => undefined): Subscription {
    const entry = { listener }; // One function may subscribe twice.
    const here = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, here.add(entry));
    return () => {
      if (!here.delete(entry) || here.size > 0) return;
      this.#listeners.delete(channel);
      left();
    };
  }

  /** Calls every listener of that channel. One that throws or rejects is reported, and the others still get the text. */
  tell(channel: string, text: string): void {
    const failed = (error: unknown): void =>
      void unharmed(() => this.#onError(`a listener of ${channel} failed`, error));
    for (const { listener } of Array.from(this.#listeners.get(channel) ?? [])) {
      try {
        const result: unknown = listener(text);
        if (isThenable(result)) result.then(undefined, failed);
      } catch (error) {
        failed(error);
      }
    }
  }

  clear(): void {
    for (const here of this.#listeners.values()) here.clear();
    this.#listeners.clear();
  }
}

/** The target of errors without another listener. */
export const toConsole: OnBroadcastError = (what, error) => console.error(`broadcast: ${what}`, error);
