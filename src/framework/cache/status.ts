/**
 * Cache-Status (RFC 9211): what a cache has done with a request, for people who look at responses.
 *
 *   framework; hit; ttl=42      framework; fwd=uri-miss; stored      framework; fwd=stale; fwd-status=304; stored
 *
 * Spec: spec/cache.md
 */
import { fieldsOf, withoutFields } from "../http/headers.ts";

/** What was done. */
export interface Done {
  readonly outcome: "hit" | "miss" | "stale" | "revalidated" | "bypass";
  /** In words, for an annotation; a token of `fwd`, or a detail of a hit. */
  readonly why?: string | undefined;
  readonly ageMs?: number | undefined;
  /** The rest of its time, negative when it is stale. */
  readonly ttlMs?: number | undefined;
  readonly fwdStatus?: number | undefined;
  readonly stored?: boolean | undefined;
}

const inSeconds = (ms: number): number => (Number.isFinite(ms) ? Math.floor(ms / 1_000) : -1);

/** The member for a response. */
export function statusOf(name: string, { outcome, why, ttlMs, fwdStatus, stored }: Done): string {
  const isHit = outcome === "hit" || outcome === "stale";
  const parts = [name, isHit ? "hit" : `fwd=${outcome === "revalidated" ? "stale" : (why ?? outcome)}`];
  if (isHit && why !== undefined) parts.push(`detail=${why}`);
  if (fwdStatus !== undefined) parts.push(`fwd-status=${fwdStatus}`);
  if (ttlMs !== undefined) parts.push(`ttl=${inSeconds(ttlMs)}`);
  if (stored === true) parts.push("stored");
  return parts.join("; ");
}

/** The head with the member, after those of caches nearer to the origin. */
export function withStatus(headers: readonly string[], name: string | undefined, done: Done): string[] {
  if (name === undefined) return [...headers];
  const earlier = fieldsOf(headers, "cache-status");
  const own = statusOf(name, done);
  return [
    ...withoutFields(headers, (one) => one === "cache-status"),
    "Cache-Status",
    earlier === undefined ? own : `${earlier}, ${own}`,
  ];
}

/** The value of the annotation. */
export const annotationOf = ({ outcome, why, ageMs, ttlMs, stored }: Done): object => ({
  outcome,
  ...(why === undefined ? {} : { why }),
  ...(ageMs === undefined ? {} : { ageS: inSeconds(ageMs) }),
  ...(ttlMs === undefined ? {} : { ttlS: inSeconds(ttlMs) }),
  ...(stored === undefined ? {} : { stored }),
});
