/**
 * Keepers: the place of a session between requests, and the contents of its cookie.
 *
 *   SealedKeeper   cookie: the whole session, sealed            here: the recently opened ones; cannot be ended early
 *   StoredKeeper   cookie: an id of 256 random bits, and when   store: the session, under a hash of the id
 *
 * Neither accepts an id, or anything else, that a client has made up.
 *
 * Spec: spec/session.md
 */
import { base64urlOf } from "../internal/base64url.ts";
import { inTime } from "../internal/in-time.ts";
import { whenThere } from "../internal/thenable.ts";
import { type Found, foundIn, type Kept, textOf } from "./found.ts";
import { OpenedTokens } from "./opened-tokens.ts";
import type { Opened, Sealer } from "./seal.ts";
import type { SessionStore, SessionWrite } from "./store.ts";

/** A saved session, and the value of its cookie. */
export interface Written {
  readonly token: string;
  readonly found: Found;
}

/** Keeps sessions. Each method rejects with the error of the store. */
export interface Keeper {
  /** The session of a cookie. Undefined when it is not a session of ours. Synchronous if no store is needed. */
  find(token: string): Found | undefined | Promise<Found | undefined>;
  create(kept: Kept, ttlMs: number): Promise<Written>;
  /** Changes one. Undefined when it was destroyed in between, and then it stays so. */
  update(found: Found, kept: Kept, ttlMs: number): Promise<Written | undefined>;
  /** Extends the life of one. Undefined as above. */
  renew(found: Found, kept: Kept, ttlMs: number): Promise<Written | undefined>;
  destroy(found: Found): Promise<void>;
}

/** Sessions in their cookies. */
export class SealedKeeper implements Keeper {
  readonly #sealer: Sealer;
  readonly #opened: OpenedTokens = new OpenedTokens();

  constructor(sealer: Sealer) {
    this.#sealer = sealer;
  }

  find(token: string): Found | undefined | Promise<Found | undefined> {
    return this.#opened.get(token) ?? whenThere(this.#sealer.open(token), (opened) => this.#foundIn(token, opened));
  }

  #foundIn(token: string, opened: Opened | undefined): Found | undefined {
    const found = opened && foundIn(opened.text, undefined, undefined, !opened.isCurrent);
    if (found !== undefined) this.#opened.add(token, found);
    return found;
  }

  async create(kept: Kept): Promise<Written> {
    const found = { ...kept, id: undefined, sentAt: kept.usedAt, isOutdated: false };
    return { token: await this.#sealer.seal(textOf(kept)), found };
  }

  update(_found: Found, kept: Kept): Promise<Written> {
    return this.create(kept);
  }

  renew(_found: Found, kept: Kept): Promise<Written> {
    return this.create(kept);
  }

  async destroy(): Promise<void> {
    // Nothing is kept here.
  }
}

/** `<id>.<when the cookie was sent, in base 36>`: the time saves a write, and is not trusted for anything else. */
const tokenPattern = /^([A-Za-z0-9_-]{43})\.([0-9a-z]{1,10})$/;

/** Sessions in a store. */
export class StoredKeeper implements Keeper {
  readonly #store: SessionStore;
  readonly #timeoutMs: number;

  constructor(store: SessionStore, timeoutMs: number) {
    this.#store = store;
    this.#timeoutMs = timeoutMs;
  }

  async find(token: string): Promise<Found | undefined> {
    const [, id, sentAt = ""] = tokenPattern.exec(token) ?? [];
    if (id === undefined) return undefined;
    const key = await keyOf(id);
    const text = await this.#bounded("read", () => this.#store.read(key));
    return text === undefined ? undefined : foundIn(text, id, Number.parseInt(sentAt, 36), false);
  }

  async create(kept: Kept, ttlMs: number): Promise<Written> {
    const id = base64urlOf(crypto.getRandomValues(new Uint8Array(32)));
    if (!(await this.#write(id, kept, { ttlMs, mode: "create" })))
      throw new Error("the session store did not create a new session");
    return written(id, kept);
  }

  async update({ id = "" }: Found, kept: Kept, ttlMs: number): Promise<Written | undefined> {
    return (await this.#write(id, kept, { ttlMs, mode: "update" })) ? written(id, kept) : undefined;
  }

  async renew(found: Found, kept: Kept, ttlMs: number): Promise<Written | undefined> {
    const { id = "" } = found;
    if (this.#store.touch === undefined) return this.update(found, kept, ttlMs);
    const key = await keyOf(id);
    return (await this.#bounded("touch", () => this.#store.touch?.(key, ttlMs))) === true
      ? written(id, kept)
      : undefined;
  }

  async destroy({ id = "" }: Found): Promise<void> {
    const key = await keyOf(id);
    await this.#bounded("destroy", () => this.#store.destroy(key));
  }

  async #write(id: string, kept: Kept, options: SessionWrite): Promise<boolean> {
    const key = await keyOf(id);
    return this.#bounded("write", () => this.#store.write(key, textOf(kept), options));
  }

  /** The result of the store. Rejects when that throws, rejects or takes too long. */
  #bounded<T>(what: string, run: () => T | Promise<T>): Promise<T> {
    const late = `${what} of the session store took longer than ${this.#timeoutMs} ms`;
    return inTime((async () => run())(), this.#timeoutMs, late);
  }
}

const written = (id: string, kept: Kept): Written => {
  const sentAt = Date.now();
  return { token: `${id}.${sentAt.toString(36)}`, found: { ...kept, id, sentAt, isOutdated: false } };
};

/** The key in the store, which cannot be used as an id by a reader of the store. */
async function keyOf(id: string): Promise<string> {
  return base64urlOf(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(id))));
}
