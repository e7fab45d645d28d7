/**
 * A token bucket as one number: the time at which it will be full again (GCRA, the generic cell rate algorithm).
 *
 *   full ◀──────────────── time ────────────────▶
 *    now        fullAt                 fullAt after `cost`: later by cost × intervalMs
 *     ├── used ──┤ ◀── room: burst × intervalMs, more is rejected ──▶ │
 *
 * A token returns every `intervalMs`, and a bucket holds `burst` of them. There are no counting windows, so a client cannot
 * send twice as many at a border.
 *
 * Spec: spec/rate-limit.md
 */

/** Refill and capacity of a bucket. Times in milliseconds. */
export interface Bucket {
  /** A token returns in this time. */
  readonly intervalMs: number;
  /** Tokens of a full bucket. */
  readonly burst: number;
}

/** The result of taking tokens. Times in milliseconds. */
export interface Taken {
  readonly allowed: boolean;
  /** Whole remaining tokens. */
  readonly remaining: number;
  /** Time until the bucket is full again. */
  readonly resetMs: number;
  /** Time until the same request would be allowed, or 0 when it is. */
  readonly retryMs: number;
}

/** Keeps the buckets. */
export interface RateLimitStore {
  /**
   * Takes `cost` tokens from the bucket of `key` if it has them, none otherwise. Check and take are one step, also with
   * concurrent calls. May reject, which `onStoreError` handles.
   */
  take(key: string, bucket: Bucket, cost: number): Taken | Promise<Taken>;
}

/** Times are fractions. A difference below this many milliseconds is a rounding error. */
const roundingMs = 0.01;

/** Takes from a bucket that will be full at `fullAt`. `next` is its new value. */
export function takeFrom(
  fullAt: number,
  now: number,
  { intervalMs, burst }: Bucket,
  cost: number,
): Taken & { readonly next: number } {
  const before = Math.max(fullAt, now);
  const after = before + cost * intervalMs;
  const missingMs = after - burst * intervalMs - now;
  const allowed = missingMs < roundingMs;
  const next = allowed ? after : before;
  const resetMs = next - now;
  const remaining = Math.max(0, Math.floor(burst - resetMs / intervalMs + 1e-6));
  return { allowed, remaining, resetMs, retryMs: allowed ? 0 : missingMs, next };
}
