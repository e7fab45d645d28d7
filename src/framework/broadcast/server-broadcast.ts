/**
 * ServerBroadcast: the part of a broadcast through a server that is the same for each server.
 *
 *   publish ──▶ the app's connection ──▶ server ──▶ a second connection in each process ──▶ its listeners
 *     └─ no connection: rejected, or dropped and reported       └─ breaks: reported, connects and subscribes again
 *   subscribe ──▶ the second connection ──▶ when the server has it     └─ none, or none in time: rejected
 *
 * Spec: spec/websocket.md
 */
import { inTime } from "../internal/in-time.ts";
import { usageError } from "../internal/usage-errors.ts";
import type { Broadcast, BroadcastListener, Subscription } from "./broadcast.ts";
import { Channels, toConsole, type OnBroadcastError } from "./channels.ts";

/** A connection that subscribes. It reconnects automatically. */
export interface Subscriber {
  /** Settles when it is connected for the first time, or will never be. */
  readonly connected: Promise<unknown>;
  /** Is it connected now? */
  isConnected(): boolean;
  subscribe(channel: string): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  /** Closes immediately, connected or not. */
  close(): void;
}

/** The callbacks of a subscriber. */
export interface SubscriberEvents {
  message(channel: string, text: string): void;
  error(error: unknown): void;
}

/** Options that all have. */
export interface ServerBroadcastOptions {
  /** The reaction to a text that cannot be published: `reject`, the default, or `drop`, which only reports it. */
  readonly whenDown?: "reject" | "drop" | undefined;
  /** The time limit for the server to accept a text, a connection, and a subscription, in milliseconds. Default: 1,000. */
  readonly timeoutMs?: number | undefined;
  /** Gets a lost connection, dropped texts and a listener's error. Default: the console. */
  readonly onError?: OnBroadcastError | undefined;
}

/** What is particular to a server. */
export interface BroadcastServer {
  /** The class that users know. */
  readonly owner: string;
  /** For messages. */
  readonly name: string;
  /** Its command for a subscription. */
  readonly command: string;
  /** Makes the second connection. */
  subscriber(events: SubscriberEvents): Subscriber;
  /** Publishes a text. */
  send(channel: string, text: string): Promise<unknown>;
}

/** The checked options. @throws TypeError (`BROADCAST_INVALID`) when one is invalid. */
export function checkedOptions(
  owner: string,
  { whenDown = "reject", timeoutMs = 1_000, onError = toConsole }: ServerBroadcastOptions,
): { readonly drops: boolean; readonly timeoutMs: number; readonly onError: OnBroadcastError } {
  if (whenDown !== "reject" && whenDown !== "drop")
    throw usageError(
      "BROADCAST_INVALID",
      `${owner} has whenDown: ${JSON.stringify(whenDown)}; "reject" and "drop" are allowed`,
    );
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > 2_147_483_647)
    throw usageError(
      "BROADCAST_INVALID",
      `${owner} has timeoutMs: ${String(timeoutMs)}; a whole number of milliseconds from 1 on is allowed`,
    );
  return { drops: whenDown === "drop", timeoutMs, onError };
}

/** Calls the listeners in every process. */
export class ServerBroadcast implements Broadcast {
  readonly #server: BroadcastServer;
  readonly #drops: boolean;
  readonly #timeoutMs: number;
  readonly #onError: OnBroadcastError;
  readonly #channels: Channels;
  /** The subscription of each channel with listeners, pending or done. A failed one goes with its listeners. */
  readonly #subscribed = new Map<string, Promise<unknown>>();
  #subscriber: Subscriber | undefined;
  #isClosed = false;

  constructor(server: BroadcastServer, options: ReturnType<typeof checkedOptions>) {
    this.#server = server;
    this.#drops = options.drops;
    this.#timeoutMs = options.timeoutMs;
    this.#onError = options.onError;
    this.#channels = new Channels(options.onError);
  }

  async publish(channel: string, text: string): Promise<void> {
    try {
      await this.#server.send(channel, text);
    } catch (error) {
      if (!this.#drops) throw error;
      this.#onError(`a text for ${channel} was dropped`, error);
    }
  }

  async subscribe(channel: string, listener: BroadcastListener): Promise<Subscription> {
    if (this.#isClosed) throw new Error(`this ${this.#server.owner} is closed`);
    const unsubscribe = this.#channels.add(channel, listener, () => this.#leave(channel));
    try {
      await this.#listen(channel);
    } catch (error) {
      unsubscribe();
      throw error;
    }
    return unsubscribe;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#channels.clear();
    this.#subscribed.clear();
    this.#subscriber?.close();
    this.#subscriber = undefined;
  }

  #listen(channel: string): Promise<unknown> {
    const known = this.#subscribed.get(channel);
    if (known !== undefined) return known;
    const { name, command } = this.#server;
    const late = `${name} did not reply to ${command} within ${this.#timeoutMs} ms`;
    const subscribing = this.#connection().then((subscriber) =>
      inTime(subscriber.subscribe(channel), this.#timeoutMs, late),
    );
    this.#subscribed.set(channel, subscribing);
    return subscribing;
  }

  /** The last listener of a channel has left, unless another arrives before that is done. */
  #leave(channel: string): void {
    const subscribing = this.#subscribed.get(channel);
    if (subscribing === undefined) return;
    this.#subscribed.delete(channel);
    const leave = (): unknown => (this.#channels.has(channel) ? undefined : this.#subscriber?.unsubscribe(channel));
    const leaving = subscribing.then(leave, () => undefined); // A channel that was not subscribed need not be left.
    leaving.catch((error: unknown) => {
      if (!this.#isClosed) this.#onError(`${channel} could not be left`, error);
    });
  }

  async #connection(): Promise<Subscriber> {
    const { name } = this.#server;
    const subscriber = (this.#subscriber ??= this.#server.subscriber({
      message: (channel, text) => this.#channels.tell(channel, text),
      error: (error) => {
        if (!this.#isClosed) this.#onError(`the connection to ${name} is disturbed`, error);
      },
    }));
    try {
      await inTime(subscriber.connected, this.#timeoutMs, `${name} could not be reached within ${this.#timeoutMs} ms`);
    } catch (error) {
      // It has no channel, so the next subscription gets a new one, and those waiting for this one are rejected now.
      if (this.#subscriber === subscriber) {
        this.#subscriber = undefined;
        subscriber.close();
      }
      throw error;
    }
    // A reconnecting client queues commands, so the caller would wait as long as the server is away.
    if (!subscriber.isConnected()) throw new Error(`${name} is not connected: nothing would be heard`);
    return subscriber;
  }
}
