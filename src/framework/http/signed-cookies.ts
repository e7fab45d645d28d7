/**
 * Signed cookies: values that a client can read and cannot change.
 *
 *   set("theme", "dark") ──▶ theme=dark.<HMAC-SHA-256 of theme=dark>
 *   get("theme")         ──▶ "dark" │ undefined: no such cookie, or it is not what was signed
 *
 * The name is part of what is signed, so that the value of one cookie is none for another. The first secret signs, every
 * secret verifies: put a new one first, and take the old one away when its cookies have ended. WebCrypto compares in
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
  /** What was signed under that name; undefined where there is no such cookie, or its signature is not ours. */
  get(ctx: Context, name: string): Promise<string | undefined>;
  /** Signs and sets a cookie. @throws (rejects) as `ctx.setCookie` throws. */
  set(ctx: Context, name: string, value: string, options?: CookieOptions): Promise<void>;
  /** Deletes a cookie, as `ctx.deleteCookie` does. */
  delete(ctx: Context, name: string, place?: CookiePlace): void;
}

const encoder = /* @__PURE__ */ new TextEncoder();

/**
 * Signs cookies with `secrets`, of 32 characters at least each: the first signs, all verify.
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

/** The key of a secret, made when it is first asked for. */
function lazyKey(secret: string): () => Promise<CryptoKey> {
  const hmac = { name: "HMAC", hash: "SHA-256" };
  let key: Promise<CryptoKey> | undefined;
  return () => (key ??= crypto.subtle.importKey("raw", encoder.encode(secret), hmac, false, ["sign", "verify"]));
}

/** No name holds a `=`: the two parts cannot be mistaken for two others. */
const signedText = (name: string, value: string): Uint8Array<ArrayBuffer> => encoder.encode(`${name}=${value}`);
