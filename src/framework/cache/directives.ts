/**
 * Cache-Control, and the other fields that decide how long a response is fresh (RFC 9111 §4.2, §5).
 *
 *   Cache-Control: max-age=60, private="set-cookie"  ──▶ { "max-age": "60", private: "set-cookie" }
 *
 * Of a directive that is there twice, the first one counts. An invalid number is 0: such a response is stale.
 *
 * Spec: spec/cache.md
 */
import { fieldsOf } from "../http/headers.ts";

/** The directives by lower-case name. One without an argument is "". */
export type Directives = ReadonlyMap<string, string>;

const directive = /^([!#$%&'*+.^_`|~\w-]+)(?:=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*)))?$/;

/** The directives of a field. */
export function directivesOf(field: string | undefined): Directives {
  const found = new Map<string, string>();
  for (const member of membersOf(field ?? "")) {
    const [, name = "", quoted, token] = directive.exec(member.trim()) ?? [];
    const lower = name.toLowerCase();
    if (name !== "" && !found.has(lower)) found.set(lower, quoted?.replaceAll(/\\(.)/g, "$1") ?? token ?? "");
  }
  return found;
}

/** The members of a list, which commas outside of quoted texts separate. A client writes it, so this is one pass. */
function* membersOf(field: string): Generator<string> {
  let from = 0;
  let isQuoted = false;
  for (let at = 0; at < field.length; at += 1) {
    const char = field[at];
    if (isQuoted && char === "\\") at += 1;
    else if (char === '"') isQuoted = !isQuoted;
    else if (char === "," && !isQuoted) {
      yield field.slice(from, at);
      from = at + 1;
    }
  }
  yield field.slice(from);
}

/** The seconds of a directive. Undefined without it, 0 when it is invalid. */
export function secondsOf(directives: Directives, name: string): number | undefined {
  const value = directives.get(name);
  if (value === undefined) return undefined;
  return /^\d+$/.test(value) ? Math.min(Number(value), 2 ** 31) : 0;
}

/** The names in a qualified directive, such as `no-cache="set-cookie"`. */
export const namesOf = (directives: Directives, name: string): readonly string[] =>
  (directives.get(name) ?? "")
    .split(",")
    .map((one) => one.trim().toLowerCase())
    .filter((one) => one !== "");

const days = "(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?";
const months = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)";
/** The three forms of an HTTP date (RFC 9110 §5.6.7). */
const httpDates: readonly RegExp[] = [
  new RegExp(`^${days}, \\d\\d ${months} \\d{4} \\d\\d:\\d\\d:\\d\\d GMT$`, "i"),
  new RegExp(`^${days}, \\d\\d-${months}-\\d\\d \\d\\d:\\d\\d:\\d\\d GMT$`, "i"),
  new RegExp(`^${days} ${months} [ \\d]\\d \\d\\d:\\d\\d:\\d\\d \\d{4}$`, "i"),
];

/** A date field in milliseconds, or undefined when it is missing or no HTTP date. */
export function dateOf(headers: readonly string[], name: string): number | undefined {
  const text = fieldsOf(headers, name);
  const form = text === undefined ? -1 : httpDates.findIndex((one) => one.test(text));
  if (text === undefined || form < 0) return undefined;
  if (form === 2) return timeOf(`${text} GMT`);
  return timeOf(
    form === 0
      ? text
      : text.replace(
          /(\d\d)-(\w{3})-(\d\d) /,
          (_, day: string, month: string, year: string) => `${day} ${month} ${centuryOf(Number(year))} `,
        ),
  );
}

/** A year of two digits that would be more than 50 years in the future is one of the past. */
function centuryOf(year: number): number {
  const now = new Date().getUTCFullYear();
  const full = Math.floor(now / 100) * 100 + year;
  return full > now + 50 ? full - 100 : full;
}

function timeOf(text: string): number | undefined {
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

/** A dictionary of structured fields (RFC 9651 §3.2), as far as RFC 9213 needs it. */
const member = String.raw`[a-z*][\w.*-]*(?:=(?:-?\d+(?:\.\d+)?|\?[01]|"(?:[^"\\]|\\["\\])*"|[A-Za-z*][\w!#$%&'*+.^|~:/-]*))?(?:;\s*[a-z*][\w.*-]*(?:=[\w".-]+)?)*`;
const dictionary = new RegExp(`^\\s*${member}(?:\\s*,\\s*${member})*\\s*$`);

/**
 * What a response says to this cache: the directives of its targeted field (RFC 9213), if there is a valid one, else those of
 * Cache-Control.
 */
export function saidOf(
  headers: readonly string[],
  target: string | undefined,
): { readonly said: Directives; readonly isTargeted: boolean } {
  const targeted = target === undefined ? undefined : fieldsOf(headers, target);
  if (targeted === undefined || !dictionary.test(targeted))
    return { said: directivesOf(fieldsOf(headers, "cache-control")), isTargeted: false };
  // An integer in quotes is none.
  const integers = targeted.replaceAll(/;[^,]*/g, "").replaceAll(/(max-?age)="[^"]*"/g, "$1=none");
  return { said: directivesOf(integers), isTargeted: true };
}

/** The Age field in seconds. Of several the first. Invalid ones are 0. */
export function ageOf(headers: readonly string[]): number {
  const [first = ""] = (fieldsOf(headers, "age") ?? "0").split(",");
  return /^\s*\d+\s*$/.test(first) ? Math.min(Number(first), 2 ** 31) : 0;
}
