/**
 * The subscribing half of Redis or Valkey, through the client that the app has: node-redis or ioredis.
 *
 * A connection that subscribes can do nothing else, so it is a duplicate of the app's. Both clients connect again and
 * subscribe again by themselves when it breaks.
 *
 * Spec: spec/websocket.md (WS)
 */
import { usageError } from "../internal/usage-errors.ts";
import type { RedisClient } from "../internal/redis.ts";

/** A client of redis (node-redis) or ioredis. */
export type RedisPubSubClient = RedisClient & { duplicate(): unknown };

/** A connection that subscribes. */
export interface RedisSubscriber {
  /** Settles once it is connected, or is not going to be. */
  readonly connected: Promise<unknown>;
  subscribe(channel: string): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  /** At once, connected or not. */
  close(): void;
}

/** What a subscriber tells. */
export interface SubscriberEvents {
  message(channel: string, text: string): void;
  error(error: unknown): void;
}

/** What of node-redis is used. */
interface NodeRedis {
  on(event: "error", listener: (error: unknown) => void): unknown;
  connect(): Promise<unknown>;
  subscribe(channel: string, listener: (text: string, channel: string) => void): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  destroy(): void;
}

/** What of ioredis is used. */
interface IoRedis {
  on(event: "error", listener: (error: unknown) => void): unknown;
  on(event: "message", listener: (channel: string, text: string) => void): unknown;
  subscribe(channel: string): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  disconnect(): void;
}

/** A connection of its own that subscribes. @throws what the client throws when it has none to give. */
export function subscriberOf(client: RedisPubSubClient, events: SubscriberEvents): RedisSubscriber {
  const connection = client.duplicate();
  return "call" in client
    ? throughIoRedis(connection as IoRedis, events)
    : throughNodeRedis(connection as NodeRedis, events);
}

function throughNodeRedis(connection: NodeRedis, events: SubscriberEvents): RedisSubscriber {
  connection.on("error", (error) => events.error(error));
  const listener = (text: string, channel: string): void => events.message(channel, text);
  return {
    connected: connection.connect(),
    subscribe: (channel) => connection.subscribe(channel, listener),
    unsubscribe: (channel) => connection.unsubscribe(channel),
    close: () => connection.destroy(),
  };
}

function throughIoRedis(connection: IoRedis, events: SubscriberEvents): RedisSubscriber {
  connection.on("error", (error) => events.error(error));
  connection.on("message", (channel, text) => events.message(channel, text));
  return {
    connected: Promise.resolve(),
    subscribe: (channel) => connection.subscribe(channel),
    unsubscribe: (channel) => connection.unsubscribe(channel),
    close: () => connection.disconnect(),
  };
}

/** Is the client connected right now? One that does not say so is taken to be. */
export function isConnected(client: RedisClient): boolean {
  const ready: unknown = Reflect.get(client, "isReady");
  const status: unknown = Reflect.get(client, "status");
  return typeof ready === "boolean" ? ready : status === undefined || status === "ready";
}

/** @throws TypeError when the client cannot be duplicated. */
export function checkDuplicable(client: RedisPubSubClient): void {
  if (typeof client.duplicate !== "function")
    throw usageError(
      "REDIS_CLIENT",
      "the Redis client has no duplicate(): RedisBroadcast needs a second connection, as redis (node-redis) and ioredis give",
    );
}
