/**
 * OpenedTokens: a cache of the recently opened cookies.
 *
 *   a client sends its cookie with each request ──▶ opened once, then found by its text
 *
 *   add ──▶ young ──▶ full: young becomes old, and the old ones are forgotten ──▶ found in old: young again
 *
 * Only opened tokens are added, so a client's invented tokens take no space. A found session may have ended, which is checked
 * each time. The finder gets its text and makes its own values of it.
 *
 * Spec: spec/session.md
 */
import type { Found } from "./found.ts";

/** Maximum tokens of each generation, and maximum characters of them and their sessions. */
const MOST_TOKENS = 512;
const MOST_CHARACTERS = 2 ** 20;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

interface Entry {
  readonly token: string;
  readonly found: Found;
}

/** At most 1,024 sessions, by token. */
export class OpenedTokens {
  #young: Map<string, Entry> = new Map();
  #old: Map<string, Entry> = new Map();
  /** Characters of the young ones. */
  #characters = 0;

  /** The number of tokens. */
  get size(): number {
    return this.#young.size + this.#old.size;
  }

  get(token: string): Found | undefined {
    const young = this.#young.get(token);
    if (young !== undefined) return young.found;
    const old = this.#old.get(token);
    if (old === undefined) return undefined;
    this.#old.delete(token);
    this.#put(old);
    return old.found;
  }

  /** Adds a session without its data, which belongs to one request. */
  add(token: string, { text, createdAt, usedAt, id, sentAt, isOutdated }: Found): void {
    // A copy, because part of a header would keep the whole header alive.
    const own = decoder.decode(encoder.encode(token));
    this.#put({ token: own, found: { text, createdAt, usedAt, id, sentAt, isOutdated } });
  }

  #put(entry: Entry): void {
    const characters = entry.token.length + entry.found.text.length;
    if (this.#young.size >= MOST_TOKENS || this.#characters + characters > MOST_CHARACTERS) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#characters = 0;
    }
    this.#young.set(entry.token, entry);
    this.#characters += characters;
  }
}
