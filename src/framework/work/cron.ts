/**
 * Cron: the times of a line of five fields, in a time zone.
 *
 *   "30 2 * * 1-5", "Europe/Berlin" ──▶ the next minute after a time whose clock there shows it
 *
 * As cron does it, a day fits when its day of the month or its day of the week fits, if both are restricted. A fixed time that
 * a change of the clock skips is due right after the change, and one that happens twice is due once. A line that is due every
 * hour follows the real time, so it is due in both of the hours that have the same name.
 */
import { shown, usageError } from "../internal/usage-errors.ts";

/** The times of a schedule. */
export interface Cron {
  /** The first time after that one, both in milliseconds since 1970. */
  next(afterMs: number): number;
}

interface Fields {
  readonly minute: ReadonlySet<number>;
  readonly hour: ReadonlySet<number>;
  readonly day: ReadonlySet<number>;
  readonly month: ReadonlySet<number>;
  readonly weekday: ReadonlySet<number>;
  readonly isAnyDay: boolean;
  readonly isAnyWeekday: boolean;
  readonly isAnyHour: boolean;
}

/** What a clock in the time zone shows. */
interface Clock {
  readonly minute: number;
  readonly hour: number;
  readonly day: number;
  readonly month: number;
  readonly weekday: number;
  /** As if it were UTC, in milliseconds since 1970. */
  readonly wallMs: number;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** The 29th of February can be eight years away. */
const horizonMs = 9 * 366 * 24 * hourMs;
const names: Readonly<Record<string, number>> = Object.fromEntries([
  ...["sun", "mon", "tue", "wed", "thu", "fri", "sat"].map((name, at) => [name, at] as const),
  ...["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"].map(
    (name, at) => [name, at + 1] as const,
  ),
]);
const shorthands: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@hourly": "0 * * * *",
};

/** @throws TypeError (`WORK_INVALID`) naming the wrong field or zone, or that the time never comes. */
export function cronOf(where: string, line: string, timeZone: string): Cron {
  const fields = fieldsOf(where, line);
  const clock = clockOf(where, timeZone);
  const cron: Cron = { next: (afterMs) => nextOf(fields, clock, afterMs) ?? never(where, line) };
  cron.next(Date.now());
  return cron;
}

function never(where: string, line: string): never {
  throw usageError("WORK_INVALID", `${where} has the cron line ${shown(line)}, whose time never comes`);
}

function fieldsOf(where: string, line: string): Fields {
  const parts = typeof line === "string" ? (shorthands[line.trim()] ?? line).trim().split(/\s+/) : [];
  const [minute, hour, day, month, weekday] = parts;
  if (parts.length !== 5 || !minute || !hour || !day || !month || !weekday)
    throw usageError(
      "WORK_INVALID",
      `${where} has the cron line ${shown(line)}: five fields are allowed, minute, hour, day, month and weekday`,
    );
  const field = (text: string, name: string, least: number, most: number): Set<number> =>
    setOf(`${where} has the cron line ${shown(line)}, and its ${name}`, text, least, most);
  const weekdays = field(weekday, "weekday", 0, 7);
  if (weekdays.has(7)) weekdays.add(0);
  return {
    minute: field(minute, "minute", 0, 59),
    hour: field(hour, "hour", 0, 23),
    day: field(day, "day", 1, 31),
    month: field(month, "month", 1, 12),
    weekday: weekdays,
    isAnyDay: day.startsWith("*"),
    isAnyWeekday: weekday.startsWith("*"),
    isAnyHour: hour.startsWith("*"),
  };
}

/** `*`, `5`, `1-5`, `*\/15`, `mon-fri`, and lists of them. */
function setOf(where: string, text: string, least: number, most: number): Set<number> {
  const wrong = (): Error =>
    usageError(
      "WORK_INVALID",
      `${where} is ${shown(text)}: numbers from ${least} to ${most}, *, a-b, */n and lists are allowed`,
    );
  const values = new Set<number>();
  for (const part of text.toLowerCase().split(",")) {
    const [range = "", step, ...rest] = part.split("/");
    const limits = range === "*" ? [String(least), String(most)] : range.split("-");
    const [from = "", to = step === undefined ? from : String(most), ...more] = limits;
    const [first, last, every] = [numberOf(from), numberOf(to), numberOf(step ?? "1")];
    const fits = first >= least && last <= most && first <= last && every >= 1;
    if (rest.length > 0 || more.length > 0 || !fits) throw wrong();
    for (let value = first; value <= last; value += every) values.add(value);
  }
  return values;
}

const numberOf = (text: string): number => (/^\d{1,2}$/.test(text) ? Number(text) : (names[text] ?? Number.NaN));

/** @throws TypeError (`WORK_INVALID`) on an unknown zone. */
function clockOf(where: string, timeZone: string): (ms: number) => Clock {
  let format: Intl.DateTimeFormat;
  try {
    const numeric = { year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric" } as const;
    format = new Intl.DateTimeFormat("en-US", { timeZone, hourCycle: "h23", ...numeric });
  } catch {
    throw usageError(
      "WORK_INVALID",
      `${where} has timeZone: ${shown(timeZone)}; a name such as "Europe/Berlin" is allowed`,
    );
  }
  return (ms) => {
    const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    const of = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0;
    const [month, day, hour, minute] = [of("month"), of("day"), of("hour"), of("minute")];
    const wallMs = Date.UTC(of("year"), month - 1, day, hour, minute);
    return { minute, hour, day, month, weekday: new Date(wallMs).getUTCDay(), wallMs };
  };
}

function nextOf(fields: Fields, clock: (ms: number) => Clock, afterMs: number): number | undefined {
  let at = (Math.floor(afterMs / minuteMs) + 1) * minuteMs;
  const end = at + horizonMs;
  while (at < end) {
    const now = clock(at);
    // Whole hours are left out, so the end of an hour that the clock skips is looked at too.
    const jumped = skipped(fields, clock, at, now);
    if (jumped) return at;
    if (!isDay(fields, now) || !fields.hour.has(now.hour)) at = nextHour(clock, at, now);
    else if (fields.minute.has(now.minute) && !isSecondPass(fields, clock, at, now)) return at;
    else at += minuteMs;
  }
  return undefined;
}

/** The start of the next hour on that clock, or the minute of a change of the clock before it. */
function nextHour(clock: (ms: number) => Clock, at: number, now: Clock): number {
  const next = at + (60 - now.minute) * minuteMs;
  if (clock(next).wallMs - now.wallMs === next - at) return next;
  let change = at + minuteMs;
  while (change < next && clock(change).wallMs - now.wallMs === change - at) change += minuteMs;
  return change;
}

const isDay = ({ month, day, weekday, isAnyDay, isAnyWeekday }: Fields, now: Clock): boolean => {
  if (!month.has(now.month)) return false;
  const [fitsDay, fitsWeekday] = [day.has(now.day), weekday.has(now.weekday)];
  return isAnyDay || isAnyWeekday ? fitsDay && fitsWeekday : fitsDay || fitsWeekday;
};

/** Did the clock, with the step to this minute, skip a fixed time that fits? */
function skipped(fields: Fields, clock: (ms: number) => Clock, at: number, now: Clock): boolean {
  if (fields.isAnyHour) return false;
  const before = clock(at - minuteMs);
  for (let wallMs = before.wallMs + minuteMs; wallMs < now.wallMs; wallMs += minuteMs) {
    const wall = new Date(wallMs);
    const missed = {
      minute: wall.getUTCMinutes(),
      hour: wall.getUTCHours(),
      day: wall.getUTCDate(),
      month: wall.getUTCMonth() + 1,
      weekday: wall.getUTCDay(),
      wallMs,
    };
    if (isDay(fields, missed) && fields.hour.has(missed.hour) && fields.minute.has(missed.minute)) return true;
  }
  return false;
}

/** Has the clock shown this fixed time before, up to two hours ago? */
function isSecondPass(fields: Fields, clock: (ms: number) => Clock, at: number, now: Clock): boolean {
  if (fields.isAnyHour) return false;
  const turnedBack = clock(at - 3 * hourMs).wallMs + 3 * hourMs - now.wallMs;
  return turnedBack > 0 && clock(at - turnedBack).wallMs === now.wallMs;
}
