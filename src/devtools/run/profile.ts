/**
 * Profile: the lines of a profiled run, each with its call and its share. Pure.
 *
 *   trace.profile ──▶ 41.2 ms  81 %  QuotePdf.render  render at quote-pdf.ts:31
 */
import type { Call, ProfiledLine, Trace } from "./shapes.ts";

/** A line of code and its part of the run's processor time. */
export interface ProfileRow {
  readonly line: ProfiledLine;
  /** Undefined for the request outside of calls. */
  readonly call: Call | undefined;
  /** From 0 to 1. */
  readonly share: number;
}

/** A line with a smaller share is left out. */
const LEAST = 0.01;

/** The lines of a profiled run, the most expensive first. */
export function profileRows({ profile, calls }: Pick<Trace, "profile" | "calls">): readonly ProfileRow[] {
  if (profile === undefined || profile.ownUs === 0) return [];
  return profile.lines.flatMap((line) => {
    const share = line.us / profile.ownUs;
    return share < LEAST ? [] : [{ line, call: calls.find(({ id }) => id === line.call), share }];
  });
}

/** `render at quote-pdf.ts:31`, or V8's name for its own work. */
export const placeText = ({ name, file, line }: Pick<ProfiledLine, "name" | "file" | "line">): string =>
  file === "" ? name : `${name} at ${file}:${line}`;
