/**
 * Seals: a text that only this app can read, and that cannot be changed.
 *
 *   text ──▶ 1.<salt, nonce, ciphertext, tag>     AES-256-GCM under HKDF-SHA-256(secret, salt)
 *                                                 bound to a purpose, so that a seal is valid for no other
 *
 * A process seals with its own salt, and changes it after 2^20 seals, because random nonces of 96 bits alone would bound the
 * number of seals under one secret. The keys of salts that have opened a seal are cached, so that a key is derived once for
 * many sessions. Invented seals leave nothing in the cache. The first secret seals, every one opens. The number at the front is
 * the version of this format.
 *
 * Spec: spec/session.md
 */
import { base64urlOf, bytesOfBase64url } from "../internal/base64url.ts";
import { joinedBytes } from "../internal/bytes.ts";
import { whenThere } from "../internal/thenable.ts";
import { type Binding, type CipherKey, derive, type Derive, NONCE, TAG } from "./cipher.ts";

const VERSION = "1.";
const SALT = 16;
/** Cached keys: one for each process with seals in use, and some more. */
const MOST_KEYS = 256;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The contents of a seal. */
export interface Opened {
  readonly text: string;
  /** Was it sealed with the current secret? */
  readonly isCurrent: boolean;
}

type Outcome = Opened | undefined | Promise<Opened | undefined>;

/** The parts of a Sealer that tests replace. */
export interface SealerSettings {
  readonly derive?: Derive;
  readonly sealsPerSalt?: number;
}

/** Seals and opens texts for one purpose. */
export class Sealer {
  readonly #secrets: readonly [string, ...string[]];
  readonly #binding: Binding;
  readonly #derive: Derive;
  readonly #sealsPerSalt: number;
  readonly #keys: Map<string, CipherKey> = new Map();
  /** The current salt with its key, and the number of its remaining seals. */
  #current: { readonly salt: Uint8Array; readonly key: CipherKey } | undefined;
  #left = 0;

  constructor(secrets: readonly [string, ...string[]], purpose: string, settings: SealerSettings = {}) {
    this.#secrets = secrets;
    this.#binding = { info: encoder.encode("framework/session 1"), purpose: encoder.encode(`1 ${purpose}`) };
    this.#derive = settings.derive ?? derive;
    this.#sealsPerSalt = settings.sealsPerSalt ?? 2 ** 20;
  }

  async seal(text: string): Promise<string> {
    const { salt, key } = await this.#sealing();
    const nonce = crypto.getRandomValues(new Uint8Array(NONCE));
    const sealed = await key.seal(nonce, encoder.encode(text));
    return VERSION + base64urlOf(joinedBytes([salt, nonce, sealed]));
  }

  /** The contents of a seal. Undefined when it is not ours, for any reason. Synchronous if the cipher is. */
  open(token: string): Outcome {
    const bytes = token.startsWith(VERSION) ? bytesOfBase64url(token.slice(VERSION.length)) : undefined;
    if (bytes === undefined || bytes.length < SALT + NONCE + TAG) return undefined;
    // Of the 128 bits of a salt 126 are 21 characters.
    return this.#openBy(0, `${token.slice(2, 23)}${(bytes[SALT - 1] ?? 0) & 3}`, bytes);
  }

  /** With the secret at that index, or a later one. */
  #openBy(at: number, salt: string, bytes: Uint8Array<ArrayBuffer>): Outcome {
    const secret = this.#secrets[at];
    if (secret === undefined) return undefined;
    const name = `${at} ${salt}`;
    const known = this.#keys.get(name);
    return whenThere(known ?? this.#derive(secret, bytes.subarray(0, SALT), this.#binding), (key) =>
      whenThere(key.open(bytes.subarray(SALT, SALT + NONCE), bytes.subarray(SALT + NONCE)), (opened) => {
        if (opened === undefined) return this.#openBy(at + 1, salt, bytes);
        if (known === undefined) this.#keep(name, key);
        return { text: decoder.decode(opened), isCurrent: at === 0 };
      }),
    );
  }

  /** Two simultaneous calls may each take a new salt, and the later one stays. */
  async #sealing(): Promise<{ readonly salt: Uint8Array; readonly key: CipherKey }> {
    if (this.#current === undefined || this.#left <= 0) {
      const salt = crypto.getRandomValues(new Uint8Array(SALT));
      this.#current = { salt, key: await this.#derive(this.#secrets[0], salt, this.#binding) };
      this.#left = this.#sealsPerSalt;
    }
    this.#left -= 1;
    return this.#current;
  }

  #keep(name: string, key: CipherKey): void {
    for (const oldest of this.#keys.keys()) {
      if (this.#keys.size < MOST_KEYS) break;
      this.#keys.delete(oldest);
    }
    this.#keys.set(name, key);
  }
}
