/**
 * framework/session: what an app remembers of a client between requests, sealed in its cookie or kept in a store. No
 * dependency; Redis or Valkey is reached through the client that the app has.
 *
 * Spec: spec/session.md
 */
export { MemorySessionStore, type MemorySessionOptions } from "./memory-store.ts";
export { SessionMiddleware } from "./middleware.ts";
export type { SessionCookie, SessionOptions } from "./options.ts";
export { RedisSessionStore, type RedisSessionOptions } from "./redis-store.ts";
export type { RedisClient } from "../internal/redis.ts";
export { sessionOf, type Session, type SessionData, type SessionValue } from "./session.ts";
export type { SessionStore, SessionWrite } from "./store.ts";
