/**
 * Signed cookies: values that a client can read but not change.
 *
 *   set("theme", "dark") ──▶ theme=dark.<HMAC-SHA-256 of theme=dark>
 *   get("theme")         ──▶ "dark" │ undefined: no such cookie, or its signature is invalid
 *
 * The signature covers the name, so the value of one cookie is invalid for another. The first secret signs, and every secret
 * verifies. To rotate, add a new one at the front and remove the old one when its cookies have expired. WebCrypto compares in
 * constant time.
 *
 * Spec: spec/cookies.md
 */
import { base64urlOf, bytesOfBase64url } from "../internal/base64url.ts";
import { checkedSecrets } from "../internal/secrets.ts";
import type { Context } from "./context.ts";
import type { CookieOptions, CookiePlace } from "./cookies.ts";

/** Cookies with a signature. Made by {@link signedCookies}. */
export interface SignedCookies {
  /** The signed value under that name, or undefined when the cookie is missing or its signature is not ours. */
  get(ctx: Context, name: string): Promise<string | undefined>;
  /** Signs and sets a cookie. @throws (rejects) with the errors of `ctx.setCookie`. */
  set(ctx: Context, name: string, value: string, options?: CookieOptions): Promise<void>;
  /** Deletes a cookie, as `ctx.deleteCookie` does. */
  delete(ctx: Context, name: string, place?: CookiePlace): void;
}

const encoder = /* @__PURE__ */ new TextEncoder();

/**
 * Signs cookies with `secrets` of at least 32 characters each. The first signs, all verify.
 *
 * @example
 * ```ts
 * const cookies = signedCookies([process.env["COOKIE_SECRET"] ?? ""]);
 * app.get("/", async (ctx) => (await cookies.get(ctx, "cart")) ?? "nothing");
 * ```
 * @throws TypeError when there is none, or one is too short.
 */
export function signedCookies(secrets: string | readonly string[]): SignedCookies {
  const [first, ...others] = checkedSecrets("signedCookies", secrets);
  const current = lazyKey(first);
  const keys = [current, ...others.map(lazyKey)];
  return {
    async get(ctx, name) {
      const sent = ctx.cookie(name) ?? "";
      const dot = sent.lastIndexOf(".");
      const signature = bytesOfBase64url(sent.slice(dot + 1));
      if (dot < 0 || signature?.length !== 32) return undefined;
      const value = sent.slice(0, dot);
      for (const key of keys)
        if (await crypto.subtle.verify("HMAC", await key(), signature, signedText(name, value))) return value;
      return undefined;
    },
    async set(ctx, name, value, options) {
      const signature = await crypto.subtle.sign("HMAC", await current(), signedText(name, value));
      ctx.setCookie(name, `${value}.${base64urlOf(new Uint8Array(signature))}`, options);
    },
    delete: (ctx, name, place) => void ctx.deleteCookie(name, place),
  };
}

/** The key of a secret, made on first use. */
function lazyKey(secret: string): () => Promise<CryptoKey> {
  const hmac = { name: "HMAC", hash: "SHA-256" };
  let key: Promise<CryptoKey> | undefined;
  return () => (key ??= crypto.subtle.importKey("raw", encoder.encode(secret), hmac, false, ["sign", "verify"]));
}

/** No name holds a `=`, so two different pairs never give the same text. */
const signedText = (name: string, value: string): Uint8Array<ArrayBuffer> => encoder.encode(`${name}=${value}`);
