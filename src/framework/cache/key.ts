/**
 * The keys of a response: that of its target, that of the request, and that of its variant.
 *
 *   scheme, host, target ──▶ place       + QUERY: media type, body ──▶ primary       + the fields of Vary ──▶ variant
 *
 * The parts of a hash are JSON, so no part can contain the end of another. QUERY has its body in the key (RFC 10008 §2.7): JSON in
 * one spelling, anything else byte by byte.
 *
 * Spec: spec/cache.md
 */
import type { Context } from "../http/context.ts";
import { isJson, mediaTypeOf } from "../http/headers.ts";
import { hashOf } from "../internal/hash.ts";

/** What the app adds to the key, such as a tenant. */
export type KeyPart = (ctx: Context) => string | undefined;
/** The meaning of a QUERY's body, such as its contract gives. */
export type QueryPart = (ctx: Context) => unknown;

/** The key of the target, for invalidation. */
export const placeOf = (scheme: string, host: string, target: string): Promise<string> =>
  hashOf([scheme, host, target]);

/** The target of a request, as its client names it. */
export const targetOf = (ctx: Context): readonly [scheme: string, host: string, target: string] => [
  ctx.scheme,
  (ctx.host ?? "").toLowerCase(),
  ctx.url + ctx.search,
];

/** The key of the request. @throws (rejects) the errors of reading the body of a QUERY. */
export async function primaryOf(ctx: Context, place: string, key?: KeyPart, query?: QueryPart): Promise<string> {
  const part = key?.(ctx) ?? null;
  if (ctx.method !== "QUERY") return hashOf([place, "GET", part]);
  const type = ctx.header("content-type") ?? null;
  const bytes = await ctx.bodyAsBytes();
  if (query !== undefined) return hashOf([place, "QUERY", part, "meaning", canonical(await query(ctx))]);
  const meaning = type !== null && isPlainJson(type) ? jsonOf(bytes) : undefined;
  return meaning === undefined
    ? hashOf([place, "QUERY", part, "bytes", type], bytes)
    : hashOf([place, "QUERY", part, "json", mediaTypeOf(type ?? "") ?? "", meaning]);
}

/** Is it JSON in UTF-8? With another parameter it may mean something else. */
const isPlainJson = (type: string): boolean =>
  isJson(mediaTypeOf(type) ?? "") && /^[^;]+(?:;\s*charset="?utf-8"?\s*)?$/i.test(type);

/**
 * JSON in one spelling. Undefined when it is none, or holds what two spellings could mean differently: a number that JavaScript
 * rounds, a name that is there twice.
 */
export function jsonOf(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const written = canonical(JSON.parse(text));
    const outside = withoutTexts(text);
    if (/\d{16}|\d[eE]/.test(outside)) return undefined;
    // As many colons as members.
    return outside.split(":").length === withoutTexts(written).split(":").length ? written : undefined;
  } catch {
    return undefined;
  }
}

const withoutTexts = (json: string): string => json.replaceAll(/"(?:[^"\\]|\\.)*"?/gs, "");

/** A value as JSON with sorted names. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) =>
    typeof one === "object" && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
}

/** The key of a variant: the request's values of the fields that Vary names. */
export const variantOf = (ctx: Context, vary: readonly string[]): Promise<string> =>
  hashOf(vary.flatMap((name) => [name, spelled(ctx.headerValues(name))]));

/** Without what makes no difference in a list. */
const spelled = (values: readonly string[]): string | null =>
  values.length === 0
    ? null
    : values
        .join(",")
        .split(",")
        .map((one) => one.trim())
        .join(",")
        .replaceAll(/\s+/g, " ")
        .trim();

/** The names of Vary, sorted. */
export const varyNames = (field: string | undefined): readonly string[] =>
  [
    ...new Set(
      (field ?? "")
        .split(",")
        .map((name) => name.trim().toLowerCase())
        .filter((name) => name !== ""),
    ),
  ].toSorted();
