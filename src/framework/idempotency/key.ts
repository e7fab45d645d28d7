/**
 * The key of a request, and the hashes under which it is kept.
 *
 *   Idempotency-Key: "8e03978e-…"  ──▶ a String of RFC 9651 ──▶ with the caller ──▶ SHA-256: the key in the store
 *   method, target, type, body     ──▶ SHA-256: the fingerprint
 *
 * The parts of a hash are JSON, so no part can contain the end of another.
 *
 * Spec: spec/idempotency.md
 */
import type { Context } from "../http/context.ts";
import { base64urlOf } from "../internal/base64url.ts";
import { HttpError } from "../internal/errors.ts";

const longestKey = 255;

/** The key of a request, or undefined without one. @throws HttpError (400) when it is malformed. */
export function keyOf(ctx: Context): string | undefined {
  const field = ctx.header("idempotency-key");
  if (field === undefined) return undefined;
  const [, quoted] = /^ *"((?:[ !#-[\]-~]|\\["\\])*)" *$/.exec(field) ?? [];
  const key = quoted?.replaceAll(/\\(.)/g, "$1");
  if (key !== undefined && key !== "" && key.length <= longestKey) return key;
  throw new HttpError(400, `Idempotency-Key is one text in quotes, of 1 to ${longestKey} characters`, {
    code: "idempotency_key_invalid",
  });
}

/** 43 characters of the parts. */
export async function hashOf(parts: readonly (string | null)[], bytes: Uint8Array = new Uint8Array()): Promise<string> {
  const head = new TextEncoder().encode(JSON.stringify(parts));
  const all = new Uint8Array(head.length + bytes.length);
  all.set(head);
  all.set(bytes, head.length);
  return base64urlOf(new Uint8Array(await crypto.subtle.digest("SHA-256", all)));
}

/** What is requested: the method, the target, the type and the body. */
export async function fingerprintOf(ctx: Context): Promise<string> {
  const type = ctx.header("content-type") ?? null;
  return hashOf([ctx.method, ctx.url + ctx.search, type], await ctx.bodyAsBytes());
}
