/**
 * Hashes as keys: 43 characters for parts of any length and of any characters.
 *
 * The parts are JSON, so no part can contain the end of another, and lone surrogates are spelled out. With `node:crypto` the hash
 * is made at once, since WebCrypto hands it to another thread, which takes longer than the hash itself.
 */
import { base64urlOf } from "./base64url.ts";

/** The part of `node:crypto` that is used. */
interface NodeCrypto {
  createHash(algorithm: string): Hash;
}
interface Hash {
  update(data: string | Uint8Array): Hash;
  digest(encoding: "base64url"): string;
}

const nodeCrypto = (): NodeCrypto | null => globalThis.process?.getBuiltinModule?.("node:crypto") ?? null;

/** The SHA-256 of the parts, and of the bytes after them, in base64url. */
export async function hashOf(
  parts: readonly (string | null)[],
  bytes: Uint8Array = new Uint8Array(),
  node: NodeCrypto | null = nodeCrypto(),
): Promise<string> {
  const text = JSON.stringify(parts);
  if (node !== null) return node.createHash("sha256").update(text).update(bytes).digest("base64url");
  const head = new TextEncoder().encode(text);
  const all = new Uint8Array(head.length + bytes.length);
  all.set(head);
  all.set(bytes, head.length);
  return base64urlOf(new Uint8Array(await crypto.subtle.digest("SHA-256", all)));
}
