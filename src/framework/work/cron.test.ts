import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { cronOf } from "./cron.ts";

/** The next times of a line after a time, as ISO texts without seconds. */
function times(line: string, timeZone: string, after: string, count: number): string[] {
  const cron = cronOf("the schedule", line, timeZone);
  const found: string[] = [];
  for (let at = Date.parse(after); found.length < count; found.push(`${new Date(at).toISOString().slice(0, 16)}Z`))
    at = cron.next(at);
  return found;
}

describe("cronOf", () => {
  const lines: Record<string, [line: string, zone: string, after: string, times: string[]]> = {
    "is due each minute": ["* * * * *", "UTC", "2026-01-01T00:00:30Z", ["2026-01-01T00:01Z", "2026-01-01T00:02Z"]],
    "is due after the given time, not at it": ["0 * * * *", "UTC", "2026-01-01T00:00:00Z", ["2026-01-01T01:00Z"]],
    "takes steps, ranges and lists": [
      "*/20,7 8-9 * * *",
      "UTC",
      "2026-01-01T08:30:00Z",
      ["2026-01-01T08:40Z", "2026-01-01T09:00Z", "2026-01-01T09:07Z", "2026-01-01T09:20Z"],
    ],
    "takes a step from a number on": [
      "50/5 0 * * *",
      "UTC",
      "2026-01-01T00:00:00Z",
      ["2026-01-01T00:50Z", "2026-01-01T00:55Z"],
    ],
    "takes names, and 7 for Sunday": [
      "0 0 * feb sun-mon,7",
      "UTC",
      "2026-01-15T00:00:00Z",
      ["2026-02-01T00:00Z", "2026-02-02T00:00Z", "2026-02-08T00:00Z"],
    ],
    "is due on a day of the month or of the week, if both are restricted": [
      "0 0 13 * fri",
      "UTC",
      "2026-01-08T12:00:00Z",
      ["2026-01-09T00:00Z", "2026-01-13T00:00Z", "2026-01-16T00:00Z"],
    ],
    "waits for a leap year": ["0 0 29 2 *", "UTC", "2026-01-01T00:00:00Z", ["2028-02-29T00:00Z"]],
    "takes @daily": ["@daily", "America/New_York", "2026-07-01T00:00:00Z", ["2026-07-01T04:00Z"]],
    "follows the zone through the year": [
      "0 3 1 * *",
      "Europe/Berlin",
      "2026-03-15T00:00:00Z",
      ["2026-04-01T01:00Z", "2026-05-01T01:00Z"],
    ],
    "is due right after a change that skips its time": [
      "30 2 * * *",
      "Europe/Berlin",
      "2026-03-28T12:00:00Z",
      ["2026-03-29T01:00Z", "2026-03-30T00:30Z"],
    ],
    "is due once at a time that happens twice": [
      "30 2 * * *",
      "Europe/Berlin",
      "2026-10-24T12:00:00Z",
      ["2026-10-25T00:30Z", "2026-10-26T01:30Z"],
    ],
    "is due in both hours of one name when it is due every hour": [
      "30 * * * *",
      "Europe/Berlin",
      "2026-10-25T00:00:00Z",
      ["2026-10-25T00:30Z", "2026-10-25T01:30Z", "2026-10-25T02:30Z"],
    ],
    "skips no hour when the clock does, if it is due every hour": [
      "0 * * * *",
      "Europe/Berlin",
      "2026-03-29T00:00:00Z",
      ["2026-03-29T01:00Z", "2026-03-29T02:00Z"],
    ],
    "knows zones with half hours": [
      "0 9 * * *",
      "Asia/Kolkata",
      "2026-01-01T00:00:00Z",
      ["2026-01-01T03:30Z", "2026-01-02T03:30Z"],
    ],
    "knows a change of half an hour": [
      "15 2 * * *",
      "Australia/Lord_Howe",
      "2026-10-03T00:00:00Z",
      ["2026-10-03T15:30Z", "2026-10-04T15:15Z"],
    ],
  };
  for (const [title, [line, zone, after, expected]] of Object.entries(lines))
    test(title, () => assert.deepEqual(times(line, zone, after, expected.length), expected));

  const wrong: Record<string, [line: string, zone: string, message: RegExp]> = {
    "four fields": ["* * * *", "UTC", /the schedule has the cron line "\* \* \* \*": five fields are allowed/],
    "a minute too high": ["60 * * * *", "UTC", /and its minute is "60": numbers from 0 to 59/],
    "a range the wrong way round": ["* 5-3 * * *", "UTC", /and its hour is "5-3"/],
    "a step of nothing": ["*/0 * * * *", "UTC", /and its minute is "\*\/0"/],
    "a word": ["* * * foo *", "UTC", /and its month is "foo"/],
    "a time that never comes": ["0 0 31 2 *", "UTC", /"0 0 31 2 \*", whose time never comes/],
    "an unknown zone": ["* * * * *", "Europe/Atlantis", /the schedule has timeZone: "Europe\/Atlantis"/],
  };
  for (const [title, [line, zone, message]] of Object.entries(wrong))
    test(`throws on ${title}`, () =>
      assert.throws(() => cronOf("the schedule", line, zone), { code: "WORK_INVALID", message }));
});
