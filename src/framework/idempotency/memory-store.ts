/**
 * Keys in this process's memory, for development, tests, and an app of one process.
 *
 *   oldest ◀── Map, in the order of the last step ──▶ newest
 *   each begin removes expired ones of the oldest; over the bound the oldest outcomes are removed, never a running attempt
 *
 * Spec: spec/idempotency.md
 */
import { shown, usageError } from "../internal/usage-errors.ts";
import type { Attempt, Begun, IdempotencyStore } from "./store.ts";

/** Options of {@link MemoryIdempotencyStore}. */
export interface MemoryIdempotencyOptions {
  /** The maximum size of all outcomes, in bytes. Above it the oldest are forgotten. Default 67,108,864. */
  readonly maxBytes?: number | undefined;
  /** A monotonic clock in milliseconds. Default `performance.now`. For tests. */
  readonly now?: (() => number) | undefined;
}

interface Kept {
  readonly owner: string;
  readonly fingerprint: string;
  readonly outcome: string | undefined;
  readonly endsAt: number;
}

/** Keeps keys in memory. */
export class MemoryIdempotencyStore implements IdempotencyStore {
  readonly #kept: Map<string, Kept> = new Map();
  readonly #maxBytes: number;
  readonly #now: () => number;
  #bytes = 0;

  /** @throws TypeError when `maxBytes` is not an integer from 1. */
  constructor({ maxBytes = 67_108_864, now = () => performance.now() }: MemoryIdempotencyOptions = {}) {
    if (!Number.isSafeInteger(maxBytes) || maxBytes < 1)
      throw usageError(
        "CONFIG_INVALID",
        `maxBytes of MemoryIdempotencyStore is ${shown(maxBytes)}: a whole number from 1 is allowed`,
      );
    this.#maxBytes = maxBytes;
    this.#now = now;
  }

  /** The number of keys, including expired ones not yet removed. */
  get size(): number {
    return this.#kept.size;
  }

  async begin(attempt: Attempt, leaseMs: number): Promise<Begun> {
    const kept = this.#living(attempt.key);
    if (kept !== undefined) {
      const { fingerprint, outcome } = kept;
      return outcome === undefined ? { state: "running", fingerprint } : { state: "done", fingerprint, outcome };
    }
    this.#removeOldest();
    this.#put(attempt, undefined, leaseMs);
    return { state: "first" };
  }

  async renew(attempt: Attempt, leaseMs: number): Promise<boolean> {
    return this.#isOwn(attempt) && this.#put(attempt, undefined, leaseMs);
  }

  async finish(attempt: Attempt, outcome: string, ttlMs: number): Promise<boolean> {
    if (!this.#isOwn(attempt)) return false;
    this.#put(attempt, outcome, ttlMs);
    this.#removeOldest();
    return true;
  }

  async release(attempt: Attempt): Promise<void> {
    if (this.#isOwn(attempt)) this.#delete(attempt.key);
  }

  /** Is the key free, or has this owner begun, and not finished? */
  #isOwn({ key, owner }: Attempt): boolean {
    const kept = this.#living(key);
    return kept === undefined || (kept.owner === owner && kept.outcome === undefined);
  }

  #living(key: string): Kept | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined || kept.endsAt > this.#now()) return kept;
    this.#delete(key);
    return undefined;
  }

  #put({ key, owner, fingerprint }: Attempt, outcome: string | undefined, ms: number): true {
    this.#delete(key);
    this.#kept.set(key, { owner, fingerprint, outcome, endsAt: this.#now() + ms });
    this.#bytes += sizeOf(outcome);
    return true;
  }

  #delete(key: string): void {
    this.#bytes -= this.#kept.has(key) ? sizeOf(this.#kept.get(key)?.outcome) : 0;
    this.#kept.delete(key);
  }

  #removeOldest(): void {
    let looks = 2;
    for (const [key, { outcome }] of this.#kept) {
      if (this.#bytes > this.#maxBytes && outcome !== undefined) this.#delete(key);
      else if (this.#living(key) !== undefined && this.#bytes <= this.#maxBytes && (looks -= 1) < 0) return;
    }
  }
}

/** With what a key takes beside its outcome. */
const sizeOf = (outcome: string | undefined): number => 400 + (outcome?.length ?? 0) * 2;
