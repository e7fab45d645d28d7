/**
 * Buckets in Redis or Valkey, shared by every process that uses it.
 *
 *   take ──▶ EVALSHA, one script: TIME, GET, decide, SET … PX ──▶ { allowed, remaining, reset, retry }
 *             └─ NOSCRIPT: the server has forgotten it ──▶ EVAL, which teaches it again
 *
 * The script is atomic, so no two processes can take the same token. The time is the server's, so the clocks of the processes
 * do not matter. A key expires when its bucket is full.
 *
 * Spec: spec/rate-limit.md
 */
import { commandsOf, type RedisClient, type RunScript, scriptOf } from "../internal/redis.ts";
import type { Bucket, RateLimitStore, Taken } from "./bucket.ts";

/** Options of {@link RedisRateLimitStore}. */
export interface RedisRateLimitOptions {
  /** The prefix of its keys. Default `rate-limit:`. */
  readonly prefix?: string | undefined;
}

/**
 * Same as `takeFrom` of bucket.ts, in milliseconds. Numbers are returned as text, since a numeric reply would lose their
 * fraction.
 */
const script = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local interval, burst, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local before = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), now)
local after = before + cost * interval
local missing = after - burst * interval - now
local allowed = missing < 0.01
local full = allowed and after or before
if allowed and full > now then
  redis.call('SET', KEYS[1], string.format('%.3f', full), 'PX', math.ceil(full - now))
end
local remaining = math.max(0, math.floor(burst - (full - now) / interval + 1e-6))
return { allowed and 1 or 0, remaining, tostring(full - now), tostring(allowed and 0 or missing) }
`;

/** A late reply leaves its request to the middleware, and is dropped after this time. */
const forgottenAfterMs = 10_000;

/**
 * Keeps buckets in Redis or Valkey, through a connected client of `redis` or `ioredis`.
 *
 * @example
 * ```ts skip="it needs a server and a client"
 * const store = new RedisRateLimitStore(await createClient({ url }).connect());
 * app.use(new RateLimitMiddleware({ limit: 100, windowMs: 60_000, store, onStoreError: "open" }));
 * ```
 */
export class RedisRateLimitStore implements RateLimitStore {
  readonly #run: RunScript;
  readonly #prefix: string;

  /** @throws TypeError when it is not a client of the two. */
  constructor(client: RedisClient, { prefix = "rate-limit:" }: RedisRateLimitOptions = {}) {
    this.#run = scriptOf(commandsOf(client, forgottenAfterMs), script);
    this.#prefix = prefix;
  }

  async take(key: string, { intervalMs, burst }: Bucket, cost: number): Promise<Taken> {
    const reply = await this.#run([this.#prefix + key], [String(intervalMs), String(burst), String(cost)]);
    if (!Array.isArray(reply) || reply.length !== 4)
      throw new TypeError("Redis replied with something else than a list");
    const [allowed = 0, remaining = 0, resetMs = 0, retryMs = 0] = reply.map(Number);
    return { allowed: allowed === 1, remaining, resetMs, retryMs };
  }
}
