/**
 * A token bucket as one number: the time at which it will be full again (GCRA, the generic cell rate algorithm).
 *
 *   full ◀──────────────── time ────────────────▶
 *    now        fullAt                 fullAt after `cost`: later by cost × intervalMs
 *     ├── used ──┤ ◀── room: burst × intervalMs, more is rejected ──▶ │
 *
 * A token comes back every `intervalMs`, `burst` of them fit in. Nothing counts windows, so there is no border at which
 * a client could ask twice as often.
 *
 * Spec: spec/rate-limit.md
 */

/** How a bucket refills, and what fits in. Times in milliseconds. */
export interface Bucket {
  /** A token comes back in this time. */
  readonly intervalMs: number;
  /** Tokens that a full bucket has. */
  readonly burst: number;
}

/** What came of taking tokens. Times in milliseconds. */
export interface Taken {
  readonly allowed: boolean;
  /** Whole tokens that are left. */
  readonly remaining: number;
  /** Until the bucket is full again. */
  readonly resetMs: number;
  /** Until the same request would be allowed; 0 when it is. */
  readonly retryMs: number;
}

/** Where buckets are kept. */
export interface RateLimitStore {
  /**
   * Takes `cost` tokens from the bucket of `key` if they are there, none otherwise: the look and the taking are one step,
   * whoever else takes at that moment. May reject, which is what `onStoreError` is for.
   */
  take(key: string, bucket: Bucket, cost: number): Taken | Promise<Taken>;
}

/** Times are fractions: what is less than this many milliseconds is an error of rounding. */
const roundingMs = 0.01;

/** Takes from a bucket that will be full at `fullAt`; `next` is when it will be full then. */
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
