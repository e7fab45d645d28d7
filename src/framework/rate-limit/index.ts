/** framework/rate-limit: limits the requests of a client. Exports only, no dependency. */
export { RateLimitMiddleware, type RateLimitOptions } from "./rate-limit.ts";
export type { Bucket, RateLimitStore, Taken } from "./bucket.ts";
export { MemoryRateLimitStore, type MemoryRateLimitOptions } from "./memory-store.ts";
export { RedisRateLimitStore, type RedisRateLimitOptions } from "./redis-store.ts";
export { PostgresRateLimitStore, type PostgresRateLimitOptions } from "./postgres-store.ts";
export type { PostgresClient } from "../internal/postgres.ts";
