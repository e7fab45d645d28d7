/**
 * Cached values in this process's memory, with a maximum of bytes.
 *
 *   least recently used ◀── Map ──▶ just read or written          over the bound the least recently used ones go
 *
 * Spec: spec/cache.md
 */
import { shown, usageError } from "../internal/usage-errors.ts";
import type { CacheStore, CacheValue, CacheWrite } from "./store.ts";

/** Options of {@link MemoryCacheStore}. */
export interface MemoryCacheOptions {
  /** The maximum size of all values with their keys, in bytes. Default 67,108,864. */
  readonly maxBytes?: number | undefined;
  /** A monotonic clock in milliseconds. Default `performance.now`. For tests. */
  readonly now?: (() => number) | undefined;
}

interface Kept {
  readonly value: CacheValue;
  readonly bytes: number;
  readonly endsAt: number;
}

/** Keeps cached values in memory. */
export class MemoryCacheStore implements CacheStore {
  readonly #kept: Map<string, Kept> = new Map();
  readonly #maxBytes: number;
  readonly #now: () => number;
  #bytes = 0;

  /** @throws TypeError when `maxBytes` is not an integer from 1. */
  constructor({ maxBytes = 67_108_864, now = () => performance.now() }: MemoryCacheOptions = {}) {
    if (!Number.isSafeInteger(maxBytes) || maxBytes < 1)
      throw usageError("CACHE", `MemoryCacheStore: maxBytes is ${shown(maxBytes)}: a whole number from 1 is allowed`);
    this.#maxBytes = maxBytes;
    this.#now = now;
  }

  /** The size of all values, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  async read(keys: readonly string[]): Promise<readonly (CacheValue | undefined)[]> {
    return keys.map((key) => this.#find(key));
  }

  async write(key: string, value: CacheValue, { ttlMs, guards = [] }: CacheWrite): Promise<boolean> {
    if (!guards.every(([guard, text]) => this.#find(guard)?.text === text)) return false;
    const bytes = 200 + (key.length + value.text.length) * 2 + sizeOf(value.body);
    this.#delete(key);
    if (bytes > this.#maxBytes) return false;
    this.#kept.set(key, { value, bytes, endsAt: this.#now() + ttlMs });
    this.#bytes += bytes;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#delete(oldest);
    }
    return true;
  }

  async remove(keys: readonly string[]): Promise<void> {
    for (const key of keys) this.#delete(key);
  }

  #find(key: string): CacheValue | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    this.#kept.delete(key);
    if (kept.endsAt > this.#now()) this.#kept.set(key, kept);
    else this.#bytes -= kept.bytes;
    return kept.endsAt > this.#now() ? kept.value : undefined;
  }

  #delete(key: string): void {
    this.#bytes -= this.#kept.get(key)?.bytes ?? 0;
    this.#kept.delete(key);
  }
}

const sizeOf = (body: CacheValue["body"]): number =>
  body === undefined ? 0 : typeof body === "string" ? body.length * 2 : body.length;
