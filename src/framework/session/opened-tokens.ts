/**
 * OpenedTokens: what was in the sealed cookies that came last.
 *
 *   a client sends its cookie with each request ──▶ opened once, then found by its text
 *
 *   add ──▶ young ──▶ full: young becomes old, and what was old is forgotten ──▶ found in old: young again
 *
 * Only what has opened comes in here, so that nothing that a client makes up takes any room. A found session is not
 * thereby a live one: when it ends is asked each time. Who finds one gets its text, and makes values of its own of that.
 *
 * Spec: spec/session.md
 */
import type { Found } from "./found.ts";

/** The most tokens of each generation, and the most characters of them and their sessions. */
const MOST_TOKENS = 512;
const MOST_CHARACTERS = 2 ** 20;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

interface Entry {
  readonly token: string;
  readonly found: Found;
}

/** At most 1,024 sessions, by their tokens. */
export class OpenedTokens {
  #young: Map<string, Entry> = new Map();
  #old: Map<string, Entry> = new Map();
  /** Characters of the young ones. */
  #characters = 0;

  /** How many there are. */
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

  /** Keeps a session without its data, which is one request's own. */
  add(token: string, { text, createdAt, usedAt, id, sentAt, isOutdated }: Found): void {
    // Copied: the part of a header would hold on to the whole of it.
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
