/**
 * Digest: a body as 22 characters, the first 132 bits of its SHA-256.
 *
 *   a text equal to a recent one ──▶ its cached digest: comparing 20 KB takes 1 µs, hashing them 15
 *   node:crypto, if there is one ──▶ synchronous          WebCrypto otherwise ──▶ a promise, the same digest
 *
 * The hash must be strong, because an attacker with two bodies for one tag could make a cache show one for the other.
 * Processors implement SHA-256. SHA-1, which is broken, is only one tenth faster.
 *
 * Spec: spec/conditional.md
 */

import { base64urlOf } from "../../internal/base64url.ts";

/** Characters of the digest that are kept. */
const kept = 22;

/** The part of `node:crypto` that is used. */
interface NodeCrypto {
  hash?(algorithm: string, data: string | Uint8Array, encoding: "base64url"): string;
  createHash(algorithm: string): { update(data: string | Uint8Array): { digest(encoding: "base64url"): string } };
}

type Digest = (body: string | Uint8Array) => string | Promise<string>;

let known: Digest | undefined;

/** The digest of a body, the same on every platform. */
export function digestOf(body: string | Uint8Array): string | Promise<string> {
  known ??= digestWith(globalThis.process?.getBuiltinModule?.("node:crypto"));
  return known(body);
}

/** The maximum number of cached texts, each of a different length, and their maximum length: 2 MB in total. */
const maxTexts = 16;
const maxLength = 65_536;

/** Hashes a repeated text once, which is the case when clients revalidate. */
export function remembering(digest: Digest): (text: string) => string | Promise<string> {
  const last = new Map<number, readonly [text: string, digest: string]>();
  return (text) => {
    const found = last.get(text.length);
    if (found?.[0] === text) return found[1];
    const made = digest(text);
    if (typeof made !== "string" || text.length > maxLength) return made;
    if (last.size === maxTexts) last.clear();
    last.set(text.length, [text, made]);
    return made;
  };
}

/**
 * The digest of a result of `JSON.stringify`, cached for a while. Other texts are not cached, since a slice would keep its
 * whole text.
 */
export const digestOfJson: (text: string) => string | Promise<string> = /* @__PURE__ */ remembering(digestOf);

/** Digests by `node:crypto`, or without it by WebCrypto. */
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
  return base64urlOf(hash).slice(0, kept);
}
