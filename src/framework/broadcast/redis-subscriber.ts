/**
 * The subscribing half of Redis or Valkey, through the app's client: node-redis or ioredis.
 *
 * A subscribing connection can do nothing else, so it is a duplicate of the app's. Both clients reconnect and resubscribe
 * automatically when it breaks.
 *
 * Spec: spec/websocket.md
 */
import { usageError } from "../internal/usage-errors.ts";
import type { RedisClient } from "../internal/redis.ts";
import type { Subscriber, SubscriberEvents } from "./server-broadcast.ts";

/** A client of redis (node-redis) or ioredis. */
export type RedisPubSubClient = RedisClient & { duplicate(): unknown };

/** The used part of node-redis. */
interface NodeRedis {
  readonly isOpen: boolean;
  on(event: "error", listener: (error: unknown) => void): unknown;
  connect(): Promise<unknown>;
  subscribe(channel: string, listener: (text: string, channel: string) => void): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  destroy(): void;
}

/** The used part of ioredis. */
interface IoRedis {
  readonly status: string;
  connect(): Promise<unknown>;
  once(event: "ready" | "end", listener: () => void): unknown;
  on(event: "error", listener: (error: unknown) => void): unknown;
  on(event: "message", listener: (channel: string, text: string) => void): unknown;
  subscribe(channel: string): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  disconnect(): void;
}

/** A separate connection that subscribes. Channels have the prefix in Redis alone. @throws the client's error when it cannot give one. */
export function subscriberOf(client: RedisPubSubClient, prefix: string, events: SubscriberEvents): Subscriber {
  const connection = client.duplicate();
  const unprefixed: SubscriberEvents = {
    ...events,
    message: (channel, text) => events.message(channel.slice(prefix.length), text),
  };
  const subscriber =
    "call" in client
      ? throughIoRedis(connection as IoRedis, unprefixed)
      : throughNodeRedis(connection as NodeRedis, unprefixed);
  return {
    ...subscriber,
    subscribe: (channel) => subscriber.subscribe(prefix + channel),
    unsubscribe: (channel) => subscriber.unsubscribe(prefix + channel),
  };
}

function throughNodeRedis(connection: NodeRedis, events: SubscriberEvents): Subscriber {
  connection.on("error", (error) => events.error(error));
  const listener = (text: string, channel: string): void => events.message(channel, text);
  return {
    connected: connection.connect(),
    isConnected: () => isConnected(connection),
    subscribe: (channel) => connection.subscribe(channel, listener),
    unsubscribe: (channel) => connection.unsubscribe(channel),
    close: () => {
      if (connection.isOpen) connection.destroy();
    },
  };
}

function throughIoRedis(connection: IoRedis, events: SubscriberEvents): Subscriber {
  connection.on("error", (error) => events.error(error));
  connection.on("message", (channel, text) => events.message(channel, text));
  return {
    connected: connection.status === "wait" ? connection.connect() : untilReady(connection),
    isConnected: () => isConnected(connection),
    subscribe: (channel) => connection.subscribe(channel),
    unsubscribe: (channel) => connection.unsubscribe(channel),
    close: () => connection.disconnect(),
  };
}

function untilReady(connection: IoRedis): Promise<void> {
  return new Promise((resolve, reject) => {
    if (connection.status === "ready") return resolve();
    connection.once("ready", resolve);
    connection.once("end", () => reject(new Error("the connection to Redis was closed")));
  });
}

/** Is the client connected now? One that does not report it counts as connected. */
export function isConnected(client: object): boolean {
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
