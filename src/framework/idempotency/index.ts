/**
 * framework/idempotency: requests that have their effect once, however often they are sent. It has no dependency. Redis, Valkey
 * or PostgreSQL is used through the app's own client.
 *
 * Spec: spec/idempotency.md
 */
export { IdempotencyMiddleware, idempotencyOf, type Idempotency, type IdempotencyOptions } from "./middleware.ts";
export { MemoryIdempotencyStore, type MemoryIdempotencyOptions } from "./memory-store.ts";
export { PostgresIdempotencyStore, type PostgresIdempotencyOptions } from "./postgres-store.ts";
export { RedisIdempotencyStore, type RedisIdempotencyOptions } from "./redis-store.ts";
export type { Attempt, Begun, IdempotencyStore } from "./store.ts";
export type { PostgresClient } from "../internal/postgres.ts";
export type { RedisClient } from "../internal/redis.ts";
