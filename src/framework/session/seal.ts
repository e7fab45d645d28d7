/**
 * Seals: a text that only this app can read, and nobody can change.
 *
 *   text ──▶ 1.<salt, nonce, ciphertext, tag>     AES-256-GCM under a key of its own: HKDF-SHA-256(secret, salt)
 *                                                 bound to a purpose, so that no seal is one for anything else
 *
 * A key for each seal makes the number of seals under one secret unbounded: random nonces of 96 bits alone would not. The
 * first secret seals, every one opens. The number in front is the version of all this.
 *
 * Spec: spec/session.md (SESSION)
 */
import { base64urlOf, bytesOfBase64url } from "../internal/base64url.ts";

const VERSION = "1.";
const SALT = 16;
const NONCE = 12;
const TAG = 16;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });
const info = encoder.encode("framework/session 1");

/** What was in a seal. */
export interface Opened {
  readonly text: string;
  /** Was it sealed with the current secret? */
  readonly isCurrent: boolean;
}

/** Seals and opens texts for one purpose. */
export class Sealer {
  readonly #secrets: readonly [string, ...string[]];
  readonly #purpose: Uint8Array<ArrayBuffer>;
  readonly #bases: Map<string, Promise<CryptoKey>> = new Map();

  constructor(secrets: readonly [string, ...string[]], purpose: string) {
    this.#secrets = secrets;
    this.#purpose = encoder.encode(`1 ${purpose}`);
  }

  async seal(text: string): Promise<string> {
    const salt = crypto.getRandomValues(new Uint8Array(SALT));
    const nonce = crypto.getRandomValues(new Uint8Array(NONCE));
    const key = await this.#keyOf(this.#secrets[0], salt, "encrypt");
    const sealed = await crypto.subtle.encrypt(this.#cipher(nonce), key, encoder.encode(text));
    return VERSION + base64urlOf(joined(salt, nonce, new Uint8Array(sealed)));
  }

  /** What is in a seal; undefined when it is none of ours, for whatever reason. */
  async open(token: string): Promise<Opened | undefined> {
    const bytes = token.startsWith(VERSION) ? bytesOfBase64url(token.slice(VERSION.length)) : undefined;
    if (bytes === undefined || bytes.length < SALT + NONCE + TAG) return undefined;
    for (const [at, secret] of this.#secrets.entries()) {
      const key = await this.#keyOf(secret, bytes.subarray(0, SALT), "decrypt");
      const cipher = this.#cipher(bytes.subarray(SALT, SALT + NONCE));
      const opened = await crypto.subtle.decrypt(cipher, key, bytes.subarray(SALT + NONCE)).catch(nothing);
      if (opened !== undefined) return { text: decoder.decode(opened), isCurrent: at === 0 };
    }
    return undefined;
  }

  #cipher(nonce: Uint8Array<ArrayBuffer>): AesGcmParams {
    return { name: "AES-GCM", iv: nonce, additionalData: this.#purpose };
  }

  async #keyOf(secret: string, salt: Uint8Array<ArrayBuffer>, use: "encrypt" | "decrypt"): Promise<CryptoKey> {
    const hkdf = { name: "HKDF", hash: "SHA-256", salt, info };
    return crypto.subtle.deriveKey(hkdf, await this.#baseOf(secret), { name: "AES-GCM", length: 256 }, false, [use]);
  }

  #baseOf(secret: string): Promise<CryptoKey> {
    const known = this.#bases.get(secret);
    if (known !== undefined) return known;
    const base = crypto.subtle.importKey("raw", encoder.encode(secret), "HKDF", false, ["deriveKey"]);
    this.#bases.set(secret, base);
    return base;
  }
}

/** WebCrypto says no more of a seal that does not open; anything else is a fault. */
function nothing(error: unknown): undefined {
  if (error instanceof Error && error.name === "OperationError") return undefined;
  throw error;
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
