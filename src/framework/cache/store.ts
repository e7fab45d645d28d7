/**
 * CacheStore: values by key, some with a body. What a cached response is, shelf.ts decides.
 *
 * A write can be bound to other keys: it happens only while they have these texts. So a response that was made before a purge is
 * not stored after it, in whichever process.
 *
 * Spec: spec/cache.md
 */

/** A stored value. */
export interface CacheValue {
  readonly text: string;
  readonly body?: string | Uint8Array | undefined;
}

/** Options of a write. */
export interface CacheWrite {
  readonly ttlMs: number;
  /** Keys, and the text that each must have. Undefined: there must be none. Check and write are one step. */
  readonly guards?: readonly (readonly [key: string, text: string | undefined])[] | undefined;
}

/** Keeps values. It may forget any of them at any time. Several processes may share it. */
export interface CacheStore {
  /** The values of several keys, in their order. */
  read(keys: readonly string[]): Promise<readonly (CacheValue | undefined)[]>;
  /** Stores a value. False when a guard did not hold. */
  write(key: string, value: CacheValue, options: CacheWrite): Promise<boolean>;
  remove(keys: readonly string[]): Promise<void>;
}
