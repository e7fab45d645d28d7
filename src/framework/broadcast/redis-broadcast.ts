/**
 * RedisBroadcast: a broadcast between all processes that are connected to one Redis or Valkey, by PUBLISH and SUBSCRIBE.
 *
 *   publish ──▶ the app's connection ──▶ Redis ──▶ a second connection in each process ──▶ its listeners
 *     └─ no connection: rejected, or dropped and reported       └─ breaks: reported, connects and subscribes again
 *   subscribe ──▶ the second connection ──▶ once Redis has it     └─ none, or none in time: rejected
 *
 * Redis keeps nothing of what is published: what is published while a process is not connected never reaches it.
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

/** How a RedisBroadcast works. */
export interface RedisBroadcastOptions {
  /** The app's own client, connected: it publishes. A duplicate of it subscribes. */
  readonly client: RedisPubSubClient;
  /** Stands before each channel's name. Default: `broadcast:`. */
  readonly prefix?: string | undefined;
  /** What becomes of a text that cannot be published: `reject`, the default, or `drop`, which only reports it. */
  readonly whenDown?: "reject" | "drop" | undefined;
  /** How long Redis has to take a text, to be connected to, and to take a subscription, in milliseconds. Default: 1,000. */
  readonly timeoutMs?: number | undefined;
  /** Hears of a lost connection, of what was dropped and of what a listener throws. Default: the console. */
  readonly onError?: OnBroadcastError | undefined;
}

/** Tells the listeners in every process. */
export class RedisBroadcast implements Broadcast {
  readonly #client: RedisPubSubClient;
  readonly #send: SendCommand;
  readonly #prefix: string;
  readonly #drops: boolean;
  readonly #timeoutMs: number;
  readonly #onError: OnBroadcastError;
  readonly #channels: Channels;
  /** Subscribing of each channel that somebody listens to, under way or done; one that failed goes with its listeners. */
  readonly #subscribed = new Map<string, Promise<unknown>>();
  #subscriber: RedisSubscriber | undefined;
  #isClosed = false;

  /** @throws TypeError when an option cannot be. */
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
      // A client that is not connected keeps commands for later: then the text would come when nobody waits for it.
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

  /** The last listener of a channel has left; unless another comes before that is done. */
  #leave(channel: string): void {
    const subscribing = this.#subscribed.get(channel);
    if (subscribing === undefined) return;
    this.#subscribed.delete(channel);
    const leave = (): unknown =>
      this.#channels.has(channel) ? undefined : this.#subscriber?.unsubscribe(this.#prefix + channel);
    const leaving = subscribing.then(leave, () => undefined); // What was not subscribed need not be left.
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
      // No channel is on it: the next subscription has a new one, and what waits for this one is rejected now.
      if (this.#subscriber === subscriber) {
        this.#subscriber = undefined;
        subscriber.close();
      }
      throw error;
    }
    // A client that connects again keeps commands for later: whoever asks would wait as long as Redis is away.
    if (!subscriber.isConnected()) throw new Error("Redis is not connected: nothing would be heard");
    return subscriber;
  }
}
