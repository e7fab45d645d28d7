/**
 * Preconditions: the conditions of a request about the current representation (RFC 9110 §13).
 *
 *   If-Match ── none matches ──▶ failed (412)
 *     └─ absent: If-Unmodified-Since ── modified ──▶ failed
 *          └──▶ If-None-Match ── one matches ──▶ notModified (304; failed for a method that changes something)
 *                 └─ absent: If-Modified-Since ── not modified ──▶ notModified
 *                      └──▶ met
 *
 * QUERY is conditional like GET (RFC 10008 §2.6), although RFC 9110 knows only GET and HEAD.
 *
 * Spec: spec/conditional.md
 */

/** Known facts about a representation. */
export interface Validators {
  /** Its entity tag, as the header has it: `"v7"`, `W/"v7"`. */
  readonly etag?: string | undefined;
  /** The value of its `Last-Modified`. */
  readonly lastModified?: string | undefined;
}

/** The outcome of the conditions. */
export type PreconditionVerdict = "met" | "notModified" | "failed";

/** The part of a request that is used. */
export interface ConditionalRequest {
  readonly method: string;
  header(name: string): string | undefined;
}

/** Is that method read-only, so that "not modified" is a response to it? */
export const isRead = (method: string): boolean => method === "GET" || method === "HEAD" || method === "QUERY";

/**
 * Evaluates the conditions of a request, in the order of RFC 9110 §13.2.2.
 *
 * @param validators of the current representation, or undefined when there is none
 */
export function evaluatePreconditions(
  request: ConditionalRequest,
  validators: Validators | undefined,
): PreconditionVerdict {
  const { etag, lastModified } = validators ?? {};
  const modifiedAt = dateOf(lastModified);
  const ifMatch = request.header("if-match");
  const exists = validators !== undefined;
  if (ifMatch !== undefined) {
    if (!lists(ifMatch, etag, exists, matchesStrongly)) return "failed";
  } else {
    const since = dateOf(request.header("if-unmodified-since"));
    if (modifiedAt > since) return "failed";
  }
  const ifNoneMatch = request.header("if-none-match");
  if (ifNoneMatch !== undefined) {
    if (!lists(ifNoneMatch, etag, exists, matchesWeakly)) return "met";
    return isRead(request.method) ? "notModified" : "failed";
  }
  if (!isRead(request.method)) return "met";
  const since = dateOf(request.header("if-modified-since"));
  return modifiedAt <= since ? "notModified" : "met";
}

const guards = ["If-Match", "If-Unmodified-Since"] as const;
const refreshes = ["If-None-Match", "If-Modified-Since"] as const;

/**
 * Reports which of a request's conditions decided, and the value it was compared with, to observers. Nothing without
 * conditions.
 */
export function annotateVerdict(
  request: ConditionalRequest & { readonly annotations: { add(name: string, value: unknown): void } | undefined },
  { etag, lastModified }: Validators,
  outcome: PreconditionVerdict,
): void {
  const { annotations } = request;
  if (annotations === undefined) return;
  const order = outcome === "failed" ? [...guards, ...refreshes] : [...refreshes, ...guards];
  const by = order.find((name) => request.header(name) !== undefined);
  if (by === undefined) return;
  annotations.add("conditional", {
    outcome,
    by,
    value: request.header(by),
    ...(etag === undefined ? {} : { etag }),
    ...(lastModified === undefined ? {} : { lastModified }),
  });
}

/**
 * Is a part of the representation wanted although it may have changed (RFC 9110 §13.1.5)? Yes without `If-Range`. With one only
 * if the representation is exactly that one.
 */
export function isRangeWanted(ifRange: string | undefined, { etag, lastModified }: Validators): boolean {
  return ifRange === undefined || matchesStrongly(ifRange, etag) || dateOf(ifRange) === dateOf(lastModified);
}

/** Is `tag` an entity tag (RFC 9110 §8.8.3)? */
export const isEntityTag = (tag: string): boolean => /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/.test(tag);

/** The weak form of an entity tag, which means "equivalent", not "the same bytes". */
export const weakened = (tag: string): string => (tag.startsWith("W/") ? tag : `W/${tag}`);

const opaque = (tag: string): string => (tag.startsWith("W/") ? tag.slice(2) : tag);

/** Are they the same, byte for byte (RFC 9110 §8.8.3.2)? */
const matchesStrongly = (a: string, b: string | undefined): boolean => a === b && !a.startsWith("W/");

/** Are they equivalent? */
const matchesWeakly = (a: string, b: string): boolean => opaque(a) === opaque(b);

/** Does a list of entity tags contain that strong tag? */
export const listsStrongly = (field: string, etag: string): boolean => lists(field, etag, false, matchesStrongly);

/** One member of a list of entity tags, at its start. */
const member = /[ \t]*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*)?(?:,|$)/y;

/** Is `etag` in the field's list? `*` is every existing representation. A list ends at its first malformed member. */
function lists(
  field: string,
  etag: string | undefined,
  exists: boolean,
  matches: (a: string, b: string) => boolean,
): boolean {
  if (field.trim() === "*") return exists;
  if (etag === undefined) return false;
  member.lastIndex = 0;
  while (member.lastIndex < field.length) {
    const found = member.exec(field);
    if (found === null) return false;
    const [, tag] = found;
    if (tag !== undefined && matches(tag, etag)) return true;
  }
  return false;
}

/** The three forms of a date (RFC 9110 §5.6.7): the current one, and two obsolete ones. */
// Literal, because a bundle keeps concatenated pieces even when it needs none of them.
const fixdate =
  /^[A-Z][a-z]{2}, (?<day>\d{2}) (?<month>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/;
const rfc850 =
  /^[A-Z][a-z]{5,8}, (?<day>\d{2})-(?<month>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)-(?<year>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/;
const asctime =
  /^[A-Z][a-z]{2} (?<month>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) (?<day>[ \d]\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/;
const monthNames = "JanFebMarAprMayJunJulAugSepOctNovDec";

/** The fields common to the three. */
interface DateParts {
  readonly day: string;
  readonly month: string;
  readonly year: string;
  readonly time: string;
}

/**
 * An HTTP date in milliseconds. NaN, which is before and after nothing, when it is invalid. `Date.parse` alone would accept a
 * bare number, read 31 February as 3 March, and the year 0000 as 2000.
 */
export function dateOf(text: string | undefined): number {
  if (text === undefined) return Number.NaN;
  for (const form of [fixdate, rfc850, asctime]) {
    const parts = form.exec(text)?.groups as DateParts | undefined;
    if (parts === undefined) continue;
    const { day, month, year, time } = parts;
    const [hours = 0, minutes = 0, seconds = 0] = time.split(":").map(Number);
    const at = Date.UTC(fullYear(year), monthNames.indexOf(month) / 3, Number(day), hours, minutes, seconds);
    const written = new Date(at).toUTCString();
    return Number(written.slice(5, 7)) === Number(day) && written.slice(17, 25) === time ? at : Number.NaN;
  }
  return Number.NaN;
}

/** Two digits are of this century, or of the one before when that is more than 50 years away (RFC 9110 §5.6.7). */
function fullYear(digits: string): number {
  const year = Number(digits);
  if (digits.length > 2) return year < 100 ? Number.NaN : year; // `Date.UTC` reads 0 to 99 as 1900 to 1999.
  const thisYear = new Date().getUTCFullYear();
  const full = thisYear - (thisYear % 100) + year;
  return full > thisYear + 50 ? full - 100 : full;
}
