/**
 * What may be stored, and how long it is fresh (RFC 9111 §3, §4.2).
 *
 *   response ──▶ lifetimeOf: not at all │ fresh for …, then stale for … while it is revalidated, or if that fails
 *   stored   ──▶ ageMsOf: Age and Date when it came, and the time since
 *
 * A shared cache: no `private`, no `Set-Cookie`, and with `Authorization` only what says so. A time before it was stored means that
 * a clock was set back: the response counts as stale.
 *
 * Spec: spec/cache.md
 */
import { fieldsOf } from "../http/headers.ts";
import { ageOf, dateOf, type Directives, namesOf, saidOf, secondsOf } from "./directives.ts";

/** A response, as far as it decides. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: readonly string[];
}

/** How long a response may be used, in milliseconds of its age. */
export interface Lifetime {
  readonly freshMs: number;
  /** After that: while it is revalidated in the background. */
  readonly whileRevalidateMs: number;
  /** After that: if the origin fails. */
  readonly ifErrorMs: number;
}

/** The settings of the cache that matter here. */
export interface LifetimeSettings {
  readonly isHeuristic: boolean;
  /** The name of its targeted field. */
  readonly target: string | undefined;
}

/** Statuses that a response may be stored with although it says nothing (RFC 9110 §15.1). */
const heuristic: ReadonlySet<number> = new Set([200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]);
/** Statuses whose caching this cache understands, for `must-understand`. */
const understood: ReadonlySet<number> = new Set([...heuristic, 302, 303, 307, 400, 401, 403, 500, 502, 503, 504]);

/** Why a response may not be stored. Undefined when it may. */
export function unstorable(
  request: { readonly authorization: boolean; readonly directives: Directives },
  { status, headers }: ResponseHead,
  target: string | undefined,
): string | undefined {
  const { said } = saidOf(headers, target);
  const isUnderstood = said.has("must-understand") && understood.has(status);
  if (said.has("must-understand") && !isUnderstood) return "must-understand";
  if (request.directives.has("no-store")) return "no-store of the request";
  if (said.has("no-store") && !isUnderstood) return "no-store";
  if (said.has("private")) return "private";
  if (status === 206 || status === 304 || status < 200 || status === 416) return `status ${status}`;
  if (
    fieldsOf(headers, "vary")
      ?.split(",")
      .some((one) => one.trim() === "*") === true
  )
    return "Vary: *";
  if (fieldsOf(headers, "set-cookie") !== undefined && !namesOf(said, "no-cache").includes("set-cookie"))
    return "Set-Cookie";
  if (request.authorization && !["public", "s-maxage", "must-revalidate"].some((name) => said.has(name)))
    return "Authorization";
  if (/^text\/event-stream/i.test(fieldsOf(headers, "content-type") ?? "")) return "events";
  return undefined;
}

/** How long a response may be used. Undefined when nothing says so, and it has no validator to ask with. */
export function lifetimeOf(
  { status, headers }: ResponseHead,
  now: number,
  settings: LifetimeSettings,
): Lifetime | undefined {
  const { isHeuristic, target } = settings;
  const { said, isTargeted } = saidOf(headers, target);
  const freshMs =
    explicitMs(said, isTargeted ? [] : headers, now) ??
    (isHeuristic ? heuristicMs(said, status, headers, now) : undefined);
  const hasValidator = ["etag", "last-modified"].some((name) => fieldsOf(headers, name) !== undefined);
  if (freshMs === undefined && !(hasValidator && (heuristic.has(status) || said.has("public")))) return undefined;
  const isBlocked = said.has("no-cache") && namesOf(said, "no-cache").length === 0;
  const isStrict = ["must-revalidate", "proxy-revalidate", "s-maxage"].some((name) => said.has(name)) || isBlocked;
  const stale = (name: string): number => (isStrict ? 0 : (secondsOf(said, name) ?? 0) * 1_000);
  return {
    freshMs: isBlocked ? 0 : (freshMs ?? 0),
    whileRevalidateMs: stale("stale-while-revalidate"),
    ifErrorMs: stale("stale-if-error"),
  };
}

function explicitMs(said: Directives, headers: readonly string[], now: number): number | undefined {
  const seconds = secondsOf(said, "s-maxage") ?? secondsOf(said, "max-age");
  if (seconds !== undefined) return seconds * 1_000;
  if (fieldsOf(headers, "expires") === undefined) return undefined;
  const expires = dateOf(headers, "expires");
  return expires === undefined ? 0 : Math.max(0, expires - (dateOf(headers, "date") ?? now));
}

/** A tenth of the time since the last change, a day at most. */
function heuristicMs(said: Directives, status: number, headers: readonly string[], now: number): number | undefined {
  const modified = dateOf(headers, "last-modified");
  if (modified === undefined || !(heuristic.has(status) || said.has("public"))) return undefined;
  return Math.min(86_400_000, Math.max(0, (dateOf(headers, "date") ?? now) - modified) / 10);
}

/** The age of a stored response when it came, in milliseconds (RFC 9111 §4.2.3). */
export function initialAgeMs(headers: readonly string[], requestedAt: number, receivedAt: number): number {
  const date = dateOf(headers, "date") ?? receivedAt;
  return Math.max(0, receivedAt - date, ageOf(headers) * 1_000 + (receivedAt - requestedAt));
}

/** The age of a stored response. Infinite when a clock was set back. */
export const ageMsOf = (stored: { readonly receivedAt: number; readonly initialAgeMs: number }, now: number): number =>
  now < stored.receivedAt - 1_000
    ? Number.POSITIVE_INFINITY
    : stored.initialAgeMs + Math.max(0, now - stored.receivedAt);
