/**
 * Sessions in this process's memory, for development, tests, and an app of one process that may lose them.
 *
 *   oldest ◀── Map, in the order of the last write or touch ──▶ newest
 *   each write checks the two oldest: expired ones are removed without a timer; over the bound the oldest is removed
 *
 * Spec: spec/session.md
 */
import { usageError } from "../internal/usage-errors.ts";
import type { SessionStore, SessionWrite } from "./store.ts";

/** Options of {@link MemorySessionStore}. */
export interface MemorySessionOptions {
  /** The maximum number of sessions. Above it the least recently used one is forgotten. Default 10,000. */
  readonly maxSessions?: number | undefined;
}

interface Kept {
  readonly text: string;
  readonly endsAt: number;
}

/** Keeps sessions in memory. */
export class MemorySessionStore implements SessionStore {
  readonly #kept: Map<string, Kept> = new Map();
  readonly #maxSessions: number;

  /** @throws TypeError when `maxSessions` is not an integer from 1. */
  constructor({ maxSessions = 10_000 }: MemorySessionOptions = {}) {
    if (!Number.isSafeInteger(maxSessions) || maxSessions < 1)
      throw usageError(
        "CONFIG_INVALID",
        `maxSessions of MemorySessionStore is ${String(maxSessions)}: a whole number from 1 is allowed`,
      );
    this.#maxSessions = maxSessions;
  }

  /** The number of stored sessions, including expired ones not yet removed. */
  get size(): number {
    return this.#kept.size;
  }

  async read(key: string): Promise<string | undefined> {
    return this.#living(key)?.text;
  }

  async write(key: string, text: string, { ttlMs, mode }: SessionWrite): Promise<boolean> {
    if ((this.#living(key) === undefined) !== (mode === "create")) return false;
    this.#put(key, text, ttlMs);
    this.#makeRoom();
    return true;
  }

  async touch(key: string, ttlMs: number): Promise<boolean> {
    const kept = this.#living(key);
    if (kept !== undefined) this.#put(key, kept.text, ttlMs);
    return kept !== undefined;
  }

  async destroy(key: string): Promise<void> {
    this.#kept.delete(key);
  }

  #living(key: string): Kept | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined || kept.endsAt > Date.now()) return kept;
    this.#kept.delete(key);
    return undefined;
  }

  /** At the end of the map, with the newest. */
  #put(key: string, text: string, ttlMs: number): void {
    this.#kept.delete(key);
    this.#kept.set(key, { text, endsAt: Date.now() + ttlMs });
  }

  #makeRoom(): void {
    let looks = 2;
    for (const key of this.#kept.keys()) {
      if (this.#kept.size > this.#maxSessions) this.#kept.delete(key);
      else if ((looks -= 1) < 0 || this.#living(key) !== undefined) return;
    }
  }
}
