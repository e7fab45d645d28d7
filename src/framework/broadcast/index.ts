/**
 * framework/broadcast: messages to all listeners, in this process or in all of them.
 *
 * Spec: spec/websocket.md
 */
export type { Broadcast, BroadcastListener, Subscription } from "./broadcast.ts";
export { MemoryBroadcast } from "./memory-broadcast.ts";
export { messagesOf, type MessagesOptions } from "./messages.ts";
export { PostgresBroadcast, type PostgresBroadcastOptions } from "./postgres-broadcast.ts";
export type { PostgresConnection } from "./postgres-subscriber.ts";
export type { PostgresClient } from "../internal/postgres.ts";
export { RedisBroadcast, type RedisBroadcastOptions } from "./redis-broadcast.ts";
export type { RedisPubSubClient } from "./redis-subscriber.ts";
export type { ServerBroadcastOptions } from "./server-broadcast.ts";
