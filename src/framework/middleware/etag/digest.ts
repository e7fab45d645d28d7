/**
 * Digest: a body as 22 characters, the first 132 bits of its SHA-256.
 *
 *   a text like one of the last ──▶ its digest, remembered: to compare 20 KB takes 1 µs, to hash them 15
 *   node:crypto, where there is one ──▶ at once          WebCrypto otherwise ──▶ a promise, the same digest
 *
 * No hash that a browser has is weaker than needed: who can make two bodies with one tag can have a cache show one for
 * the other. SHA-256 is in the processor: SHA-1, which is broken, is one tenth quicker.
 *
 * Spec: spec/conditional.md
 */

/** Characters of the digest that are kept. */
const kept = 22;

/** The part of `node:crypto` that is used. */
interface NodeCrypto {
  hash?(algorithm: string, data: string | Uint8Array, encoding: "base64url"): string;
  createHash(algorithm: string): { update(data: string | Uint8Array): { digest(encoding: "base64url"): string } };
}

type Digest = (body: string | Uint8Array) => string | Promise<string>;

let known: Digest | undefined;

/** The digest of a body; the same on every platform. */
export function digestOf(body: string | Uint8Array): string | Promise<string> {
  known ??= digestWith(globalThis.process?.getBuiltinModule?.("node:crypto"));
  return known(body);
}

/** How many texts are remembered, each of another length, and how long they may be: 2 MB in all. */
const maxTexts = 16;
const maxLength = 65_536;

/** Hashes a text once while it comes again and again, which is when clients ask whether theirs is current. */
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

/** The digest of what `JSON.stringify` has made, remembered for a while. No other text: a part of one would keep the whole. */
export const digestOfJson: (text: string) => string | Promise<string> = /* @__PURE__ */ remembering(digestOf);

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
