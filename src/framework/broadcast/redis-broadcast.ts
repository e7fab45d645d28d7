/**
 * RedisBroadcast: a broadcast between all processes that are connected to one Redis or Valkey, by PUBLISH and SUBSCRIBE.
 *
 *   publish ──▶ the app's connection ──▶ Redis ──▶ a second connection in each process ──▶ its listeners
 *     └─ no connection: rejected, or dropped and reported       └─ breaks: reported, connects and subscribes again
 *   subscribe ──▶ the second connection ──▶ when Redis has it     └─ none, or none in time: rejected
 *
 * Redis stores no published texts, so a process never gets those published while it is disconnected.
 *
 * Spec: spec/websocket.md
 */
import { inTime } from "../internal/in-time.ts";
import { commandsOf, type SendCommand } from "../internal/redis.ts";
import { usageError } from "../internal/usage-errors.ts";
import type { Broadcast, BroadcastListener, Subscription } from "./broadcast.ts";
import { Channels, toConsole, type OnBroadcastError } from "./channels.ts";
import {
  checkDuplicable,
  isConnected,
  subscriberOf,
  type RedisPubSubClient,
  type RedisSubscriber,
} from "./redis-subscriber.ts";

/** Options of a RedisBroadcast. */
export interface RedisBroadcastOptions {
  /** The app's own connected client, which publishes. A duplicate of it subscribes. */
  readonly client: RedisPubSubClient;
  /** The prefix of each channel's name. Default: `broadcast:`. */
  readonly prefix?: string | undefined;
  /** The reaction to a text that cannot be published: `reject`, the default, or `drop`, which only reports it. */
  readonly whenDown?: "reject" | "drop" | undefined;
  /** The time limit for Redis to accept a text, a connection, and a subscription, in milliseconds. Default: 1,000. */
  readonly timeoutMs?: number | undefined;
  /** Gets a lost connection, dropped texts and a listener's error. Default: the console. */
  readonly onError?: OnBroadcastError | undefined;
}

/** Calls the listeners in every process. */
export class RedisBroadcast implements Broadcast {
  readonly #client: RedisPubSubClient;
  readonly #send: SendCommand;
  readonly #prefix: string;
  readonly #drops: boolean;
  readonly #timeoutMs: number;
  readonly #onError: OnBroadcastError;
  readonly #channels: Channels;
  /** The subscription of each channel with listeners, pending or done. A failed one goes with its listeners. */
  readonly #subscribed = new Map<string, Promise<unknown>>();
  #subscriber: RedisSubscriber | undefined;
  #isClosed = false;

  /** @throws TypeError when an option is invalid. */
  constructor(options: RedisBroadcastOptions) {
    const { client, prefix = "broadcast:", whenDown = "reject", timeoutMs = 1_000, onError = toConsole } = options;
    if (whenDown !== "reject" && whenDown !== "drop")
      throw usageError(
        "BROADCAST_INVALID",
        `RedisBroadcast has whenDown: ${JSON.stringify(whenDown)}; "reject" and "drop" are allowed`,
      );
    if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > 2_147_483_647)
      throw usageError(
        "BROADCAST_INVALID",
        `RedisBroadcast has timeoutMs: ${String(timeoutMs)}; a whole number of milliseconds from 1 on is allowed`,
      );
    this.#send = commandsOf(client, timeoutMs);
    checkDuplicable(client);
    this.#client = client;
    this.#prefix = prefix;
    this.#drops = whenDown === "drop";
    this.#timeoutMs = timeoutMs;
    this.#onError = onError;
    this.#channels = new Channels(onError);
  }

  async publish(channel: string, text: string): Promise<void> {
    try {
      // A disconnected client queues commands, so the text would arrive when no caller waits for it any more.
      if (!isConnected(this.#client)) throw new Error("Redis is not connected: nothing was published");
      await this.#send("PUBLISH", this.#prefix + channel, text);
    } catch (error) {
      if (!this.#drops) throw error;
      this.#onError(`a text for ${channel} was dropped`, error);
    }
  }

  async subscribe(channel: string, listener: BroadcastListener): Promise<Subscription> {
    if (this.#isClosed) throw new Error("this RedisBroadcast is closed");
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
    const late = `Redis did not reply to SUBSCRIBE within ${this.#timeoutMs} ms`;
    const subscribing = this.#connection().then((subscriber) =>
      inTime(subscriber.subscribe(this.#prefix + channel), this.#timeoutMs, late),
    );
    this.#subscribed.set(channel, subscribing);
    return subscribing;
  }

  /** The last listener of a channel has left, unless another arrives before that is done. */
  #leave(channel: string): void {
    const subscribing = this.#subscribed.get(channel);
    if (subscribing === undefined) return;
    this.#subscribed.delete(channel);
    const leave = (): unknown =>
      this.#channels.has(channel) ? undefined : this.#subscriber?.unsubscribe(this.#prefix + channel);
    const leaving = subscribing.then(leave, () => undefined); // A channel that was not subscribed need not be left.
    leaving.catch((error: unknown) => {
      if (!this.#isClosed) this.#onError(`${channel} could not be left`, error);
    });
  }

  async #connection(): Promise<RedisSubscriber> {
    const subscriber = (this.#subscriber ??= subscriberOf(this.#client, {
      message: (channel, text) => this.#channels.tell(channel.slice(this.#prefix.length), text),
      error: (error) => {
        if (!this.#isClosed) this.#onError("the connection to Redis is disturbed", error);
      },
    }));
    try {
      await inTime(subscriber.connected, this.#timeoutMs, `Redis could not be reached within ${this.#timeoutMs} ms`);
    } catch (error) {
      // It has no channel, so the next subscription gets a new one, and those waiting for this one are rejected now.
      if (this.#subscriber === subscriber) {
        this.#subscriber = undefined;
        subscriber.close();
      }
      throw error;
    }
    // A reconnecting client queues commands, so the caller would wait as long as Redis is away.
    if (!subscriber.isConnected()) throw new Error("Redis is not connected: nothing would be heard");
    return subscriber;
  }
}
