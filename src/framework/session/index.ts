/**
 * framework/session: data that an app remembers about a client between requests, sealed in its cookie or kept in a store. It
 * has no dependency. Redis, Valkey or PostgreSQL is used through the app's own client.
 *
 * Spec: spec/session.md
 */
export { MemorySessionStore, type MemorySessionOptions } from "./memory-store.ts";
export { SessionMiddleware } from "./middleware.ts";
export type { SessionCookie, SessionOptions } from "./options.ts";
export { PostgresSessionStore, type PostgresSessionOptions } from "./postgres-store.ts";
export type { PostgresClient } from "../internal/postgres.ts";
export { RedisSessionStore, type RedisSessionOptions } from "./redis-store.ts";
export type { RedisClient } from "../internal/redis.ts";
export { sessionOf, type Session, type SessionData, type SessionValue } from "./session.ts";
export type { SessionStore, SessionWrite } from "./store.ts";
