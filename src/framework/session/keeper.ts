/**
 * Keepers: where a session is between requests, and what of it is in the cookie.
 *
 *   SealedKeeper   cookie: the whole session, sealed            nothing here; cannot be ended before its time
 *   StoredKeeper   cookie: an id of 256 random bits, and when   the store: the session, under a hash of the id
 *
 * Neither takes over an id, or anything else, that a client has made up.
 *
 * Spec: spec/session.md (SESSION)
 */
import { base64urlOf } from "../internal/base64url.ts";
import { inTime } from "../internal/in-time.ts";
import { whenThere } from "../internal/thenable.ts";
import type { Sealer } from "./seal.ts";
import type { SessionStore, SessionWrite } from "./store.ts";

/** A session as it is kept. Times are those of `Date.now()`. */
export interface Kept {
  /** The JSON of its data. */
  readonly text: string;
  readonly createdAt: number;
  /** When it was last written. */
  readonly usedAt: number;
}

/** A session that a cookie leads to. */
export interface Found extends Kept {
  /** Where it is in the store; undefined when it is in the cookie. */
  readonly id: string | undefined;
  /** When its cookie was sent; the client says so, where there is a store. */
  readonly sentAt: number;
  /** Should it be written anew, though nothing has changed? */
  readonly isOutdated: boolean;
  /** Its data, where the JSON of it has just been read: for one who may change it. */
  readonly data?: object | undefined;
}

/** A session that was written, and the value of its cookie. */
export interface Written {
  readonly token: string;
  readonly found: Found;
}

/** Keeps sessions. Each method rejects with what the store rejects with. */
export interface Keeper {
  /** What a cookie leads to; undefined when that is no session of ours. At once where nobody has to be asked. */
  find(token: string): Found | undefined | Promise<Found | undefined>;
  create(kept: Kept, ttlMs: number): Promise<Written>;
  /** Changes one. Undefined where it has been destroyed in the meantime: then it stays so. */
  update(found: Found, kept: Kept, ttlMs: number): Promise<Written | undefined>;
  /** Lets one live longer; undefined as above. */
  renew(found: Found, kept: Kept, ttlMs: number): Promise<Written | undefined>;
  destroy(found: Found): Promise<void>;
}

/** Sessions in their cookies. */
export class SealedKeeper implements Keeper {
  readonly #sealer: Sealer;

  constructor(sealer: Sealer) {
    this.#sealer = sealer;
  }

  find(token: string): Found | undefined | Promise<Found | undefined> {
    return whenThere(this.#sealer.open(token), (opened) =>
      opened === undefined ? undefined : foundIn(opened.text, undefined, undefined, !opened.isCurrent),
    );
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

/** `<id>.<when the cookie was sent, in base 36>`: the time saves a write, and is believed for nothing else. */
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

  /** What the store makes of it. Rejects when that throws, rejects or takes too long. */
  #bounded<T>(what: string, run: () => T | Promise<T>): Promise<T> {
    const late = `${what} of the session store took longer than ${this.#timeoutMs} ms`;
    return inTime((async () => run())(), this.#timeoutMs, late);
  }
}

const written = (id: string, kept: Kept): Written => {
  const sentAt = Date.now();
  return { token: `${id}.${sentAt.toString(36)}`, found: { ...kept, id, sentAt, isOutdated: false } };
};

/** What the store knows of an id: who reads it there cannot use it. */
async function keyOf(id: string): Promise<string> {
  return base64urlOf(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(id))));
}

const textOf = ({ text, createdAt, usedAt }: Kept): string => `[${createdAt},${usedAt},${text}]`;

/** A session from what was kept; undefined when that is none, as after somebody else wrote into the store. */
function foundIn(text: string, id?: string, sentAt?: number, isOutdated = false): Found | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(value) || value.length !== 3) return undefined;
  const [createdAt, usedAt, data] = value as readonly unknown[];
  const isSound = Number.isSafeInteger(createdAt) && Number.isSafeInteger(usedAt);
  if (!isSound || typeof data !== "object" || data === null || Array.isArray(data)) return undefined;
  const [created, used] = [Number(createdAt), Number(usedAt)];
  // Written out: spread, it would cost more than to decipher it.
  return { text: JSON.stringify(data), createdAt: created, usedAt: used, id, sentAt: sentAt ?? used, isOutdated, data };
}
