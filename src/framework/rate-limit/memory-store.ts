/**
 * Buckets in the memory of one process, with a maximum number.
 *
 *   a new key, and no room ──▶ full buckets go: nothing is lost
 *                         └──▶ still little room: the fullest go, an eighth of all
 *
 * A bucket over the limit is the emptiest and goes last. To have it forgotten, its client would have to spend as much on every
 * other key as on its own. So neither the oldest nor the least recently used bucket is removed first.
 *
 * Spec: spec/rate-limit.md
 */
import { usageError } from "../internal/usage-errors.ts";
import { type Bucket, type RateLimitStore, type Taken, takeFrom } from "./bucket.ts";

/** Options of {@link MemoryRateLimitStore}. */
export interface MemoryRateLimitOptions {
  /** The maximum number of buckets. Default 65,536, about 10 MB. */
  readonly maxKeys?: number | undefined;
  /** A monotonic clock in milliseconds. Default `performance.now`. For tests. */
  readonly now?: (() => number) | undefined;
}

/** Keeps buckets in this process. */
export class MemoryRateLimitStore implements RateLimitStore {
  readonly #maxKeys: number;
  readonly #now: () => number;
  /** When each bucket will be full. */
  readonly #fullAt: Map<string, number> = new Map();

  /** @throws TypeError when `maxKeys` is not an integer from 8 on. */
  constructor({ maxKeys = 65_536, now = () => performance.now() }: MemoryRateLimitOptions = {}) {
    if (!Number.isInteger(maxKeys) || maxKeys < 8)
      throw usageError("RATE_LIMIT", `maxKeys is ${String(maxKeys)}: a whole number from 8 on is allowed`);
    this.#maxKeys = maxKeys;
    this.#now = now;
  }

  /** The number of buckets. */
  get size(): number {
    return this.#fullAt.size;
  }

  take(key: string, bucket: Bucket, cost: number): Taken {
    const now = this.#now();
    const known = this.#fullAt.get(key);
    if (known === undefined && this.#fullAt.size >= this.#maxKeys) this.#makeRoom(now);
    const { next, ...taken } = takeFrom(known ?? 0, now, bucket, cost);
    if (next > now) this.#fullAt.set(key, next);
    else this.#fullAt.delete(key);
    return taken;
  }

  /** Leaves seven eighths at most, so that the next sweep is far away. */
  #makeRoom(now: number): void {
    const buckets = this.#fullAt;
    for (const [key, fullAt] of buckets) if (fullAt <= now) buckets.delete(key);
    const kept = this.#maxKeys - Math.ceil(this.#maxKeys / 8);
    if (buckets.size <= kept) return;
    const bound = Float64Array.from(buckets.values()).sort()[buckets.size - kept - 1] ?? now;
    for (const [key, fullAt] of buckets) {
      if (buckets.size <= kept) return;
      if (fullAt <= bound) buckets.delete(key);
    }
  }
}
