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
import { HttpError } from "../internal/errors.ts";
import { hashOf } from "../internal/hash.ts";

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

/** What is requested: the method, the target, the type and the body. */
export async function fingerprintOf(ctx: Context): Promise<string> {
  const type = ctx.header("content-type") ?? null;
  return hashOf([ctx.method, ctx.url + ctx.search, type], await ctx.bodyAsBytes());
}
