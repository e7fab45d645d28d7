/**
 * MemoryBroadcast: a broadcast within one process, for one instance of an app and for tests.
 *
 * Spec: spec/websocket.md
 */
import type { Broadcast, BroadcastListener, Subscription } from "./broadcast.ts";
import { Channels, toConsole, type OnBroadcastError } from "./channels.ts";

/** Calls the listeners of its own process, immediately. */
export class MemoryBroadcast implements Broadcast {
  readonly #channels: Channels;
  #isClosed = false;

  /** @param options `onError` gets a listener's error. Default: the console */
  constructor({ onError = toConsole }: { readonly onError?: OnBroadcastError | undefined } = {}) {
    this.#channels = new Channels(onError);
  }

  publish(channel: string, text: string): Promise<void> {
    this.#channels.tell(channel, text);
    return Promise.resolve();
  }

  async subscribe(channel: string, listener: BroadcastListener): Promise<Subscription> {
    if (this.#isClosed) throw new Error("this MemoryBroadcast is closed");
    return this.#channels.add(channel, listener);
  }

  close(): Promise<void> {
    this.#isClosed = true;
    this.#channels.clear();
    return Promise.resolve();
  }
}
