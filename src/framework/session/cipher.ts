/**
 * Cipher: AES-256-GCM with keys derived from a secret and a salt by HKDF-SHA-256.
 *
 *   node:crypto, if there is one ──▶ synchronous          WebCrypto otherwise ──▶ promises, the same bytes
 *
 * Each opens what the other has sealed. WebCrypto passes each step to a thread and back, which for a few hundred bytes takes
 * ten times as long as the work itself.
 *
 * Spec: spec/session.md
 */
import { joinedBytes } from "../internal/bytes.ts";

/** Bytes of a nonce. */
export const NONCE = 12;
/** Bytes of the tag after the ciphertext. */
export const TAG = 16;

type Bytes = Uint8Array<ArrayBuffer>;

/** A derived key. */
export interface CipherKey {
  /** Ciphertext and tag. */
  seal(nonce: Bytes, bytes: Bytes): Uint8Array | Promise<Uint8Array>;
  /** The sealed bytes. Undefined when this key did not seal them, or they have changed. */
  open(nonce: Bytes, sealed: Bytes): Uint8Array | undefined | Promise<Uint8Array | undefined>;
}

/** The purpose of keys, used in their derivation and bound to all their seals. */
export interface Binding {
  readonly info: Bytes;
  readonly purpose: Bytes;
}

/** Derives the key of a secret and a salt. */
export type Derive = (secret: string, salt: Bytes, binding: Binding) => CipherKey | Promise<CipherKey>;

/** The part of a cipher of `node:crypto` that is used. */
interface NodeCipher {
  setAAD(bytes: Uint8Array): unknown;
  update(bytes: Uint8Array): Uint8Array;
  final(): Uint8Array;
}

type Open<C> = (name: "aes-256-gcm", key: Uint8Array, nonce: Uint8Array, options: { authTagLength: number }) => C;

/** The part of `node:crypto` that is used. */
interface NodeCrypto {
  hkdfSync(hash: "sha256", secret: Uint8Array, salt: Uint8Array, info: Uint8Array, bytes: number): ArrayBuffer;
  createCipheriv: Open<NodeCipher & { getAuthTag(): Uint8Array }>;
  createDecipheriv: Open<NodeCipher & { setAuthTag(tag: Uint8Array): unknown }>;
}

const encoder = new TextEncoder();

let known: Derive | undefined;

/** Derives keys with this platform's crypto. */
export const derive: Derive = (secret, salt, binding) => {
  known ??= deriveWith(globalThis.process?.getBuiltinModule?.("node:crypto"));
  return known(secret, salt, binding);
};

/** Derives keys with `node:crypto`, or without it with WebCrypto. */
export const deriveWith = (node: NodeCrypto | undefined): Derive =>
  node === undefined ? deriveOfTheWeb : ofNode(node);

const ofNode =
  (node: NodeCrypto): Derive =>
  (secret, salt, { info, purpose }) => {
    const key = new Uint8Array(node.hkdfSync("sha256", encoder.encode(secret), salt, info, 32));
    const options = { authTagLength: TAG };
    return {
      seal(nonce, bytes) {
        const cipher = node.createCipheriv("aes-256-gcm", key, nonce, options);
        cipher.setAAD(purpose);
        return joinedBytes([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
      },
      open(nonce, sealed) {
        const cipher = node.createDecipheriv("aes-256-gcm", key, nonce, options);
        cipher.setAAD(purpose);
        cipher.setAuthTag(sealed.subarray(-TAG));
        const bytes = cipher.update(sealed.subarray(0, -TAG));
        try {
          const rest = cipher.final(); // Checks the tag against the bytes, which must not be used before.
          return rest.length === 0 ? bytes : joinedBytes([bytes, rest]);
        } catch {
          return undefined;
        }
      },
    };
  };

async function deriveOfTheWeb(secret: string, salt: Bytes, { info, purpose }: Binding): Promise<CipherKey> {
  const base = await crypto.subtle.importKey("raw", encoder.encode(secret), "HKDF", false, ["deriveKey"]);
  const aes = { name: "AES-GCM", length: 256 };
  const hkdf = { name: "HKDF", hash: "SHA-256", salt, info };
  const key = await crypto.subtle.deriveKey(hkdf, base, aes, false, ["encrypt", "decrypt"]);
  const gcm = (iv: Bytes): AesGcmParams => ({ name: "AES-GCM", iv, additionalData: purpose });
  return {
    seal: async (nonce, bytes) => new Uint8Array(await crypto.subtle.encrypt(gcm(nonce), key, bytes)),
    open: async (nonce, sealed) => {
      const opened = await crypto.subtle.decrypt(gcm(nonce), key, sealed).catch(nothing);
      return opened && new Uint8Array(opened);
    },
  };
}

/** WebCrypto gives only this error for a seal that does not open. Any other is a fault. */
function nothing(error: unknown): undefined {
  if (error instanceof Error && error.name === "OperationError") return undefined;
  throw error;
}
