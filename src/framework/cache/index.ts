/**
 * framework/cache: a shared cache in front of handlers (RFC 9111), also for QUERY (RFC 10008). It has no dependency. Redis or
 * Valkey is used through the app's own client.
 *
 * Spec: spec/cache.md
 */
export { CacheMiddleware, cacheTags, type Purge } from "./middleware.ts";
export type { KeyPart, QueryPart } from "./key.ts";
export { MemoryCacheStore, type MemoryCacheOptions } from "./memory-store.ts";
export type { CacheOptions, PurgeChannel } from "./options.ts";
export { RedisCacheStore, type RedisCacheOptions } from "./redis-store.ts";
export type { CacheStore, CacheValue, CacheWrite } from "./store.ts";
export type { RedisClient } from "../internal/redis.ts";
