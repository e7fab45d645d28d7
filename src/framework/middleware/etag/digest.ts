/**
 * Digest: a body as 22 characters, the first 132 bits of its SHA-256.
 *
 *   node:crypto, where there is one ──▶ at once          WebCrypto otherwise ──▶ a promise, the same digest
 *
 * No hash that a browser has is weaker than needed: who can make two bodies with one tag can have a cache show one for
 * the other. SHA-256 is in the processor: 15 µs for 20 KB, where SHA-1, which is broken, takes 14.
 *
 * Spec: spec/conditional.md (COND)
 */

/** Characters of the digest that are kept. */
const kept = 22;

/** The part of `node:crypto` that is used. */
interface NodeCrypto {
  hash?(algorithm: string, data: string | Uint8Array, encoding: "base64url"): string;
  createHash(algorithm: string): {
    update(data: string | Uint8Array): { digest(encoding: "base64url"): string };
  };
}

type Digest = (body: string | Uint8Array) => string | Promise<string>;

let known: Digest | undefined;

/** The digest of a body; the same on every platform. */
export function digestOf(body: string | Uint8Array): string | Promise<string> {
  known ??= digestWith(globalThis.process?.getBuiltinModule?.("node:crypto"));
  return known(body);
}

/** Digests by `node:crypto`, or without it by the web's. */
export function digestWith(node: NodeCrypto | undefined): Digest {
  if (node === undefined) return digestOfTheWeb;
  const { hash } = node;
  // Bun has no `hash`.
  if (hash === undefined) return (body) => node.createHash("sha256").update(body).digest("base64url").slice(0, kept);
  return (body) => hash("sha256", body, "base64url").slice(0, kept);
}

async function digestOfTheWeb(body: string | Uint8Array): Promise<string> {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : Uint8Array.from(body);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const base64 = btoa(String.fromCharCode(...hash));
  return base64.replaceAll("+", "-").replaceAll("/", "_").slice(0, kept);
}
