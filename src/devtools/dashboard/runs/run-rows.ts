/**
 * The rows of the table of runs: sorted by any column, over one axis of time. Pure.
 *
 *   Trace ──▶ RunEntry ──▶ sorted by a column │ axisOf(the rows on screen) ──▶ a bar for each run, marks for the head
 */

import { spentByKind } from "../../run/spent.ts";
import type { Trace } from "../../run/shapes.ts";
import { clamp, shownPath, traceKey } from "../../run/format.ts";

/** A run in the table. */
export interface RunEntry {
  readonly key: string;
  readonly trace: Trace;
  /** The text of its query, empty without one. */
  readonly query: string;
  /** In milliseconds since 1970, like `startedAt`. */
  readonly endedAt: number;
  readonly sqlCount: number;
  readonly sqlUs: number;
}

/** A column to sort by. */
export type RunColumn = "start" | "method" | "route" | "status" | "duration" | "end" | "sql" | "sqlTime" | "size";

/** The column that sorts a table, and the direction. */
export interface RunOrder {
  readonly by: RunColumn;
  readonly isUp: boolean;
}

const VALUES: Readonly<Record<RunColumn, (entry: RunEntry) => string | number>> = {
  start: ({ trace }) => trace.startedAt,
  method: ({ trace }) => trace.method,
  route: ({ trace, query }) => shownPath(trace.path) + (query && `?${query}`),
  status: ({ trace }) => trace.status,
  duration: ({ trace }) => trace.durationUs,
  end: ({ endedAt }) => endedAt,
  sql: ({ sqlCount }) => sqlCount,
  sqlTime: ({ sqlUs }) => sqlUs,
  size: ({ trace }) => trace.response.bytes,
};

const known = new WeakMap<Trace, RunEntry>();

/** A run as a row. The same run has the same row. */
export function entryOf(trace: Trace): RunEntry {
  const found = known.get(trace);
  if (found) return found;
  const sql = spentByKind(trace.leaves, trace.durationUs).find(({ kind }) => kind === "sql");
  const pairs = Object.entries(trace.request.query).flatMap(([name, values]) => values.map((value) => [name, value]));
  const made = {
    key: traceKey(trace),
    trace,
    query: String(new URLSearchParams(pairs)),
    endedAt: trace.startedAt + trace.durationUs / 1_000,
    sqlCount: sql?.count ?? 0,
    sqlUs: sql?.totalUs ?? 0,
  };
  known.set(trace, made);
  return made;
}

/** The rows in the order of a column; of equal ones the newest comes first. */
export function sortedRuns(entries: readonly RunEntry[], { by, isUp }: RunOrder): RunEntry[] {
  const valueOf = VALUES[by];
  const newest = (a: RunEntry, b: RunEntry): number =>
    b.trace.startedAt - a.trace.startedAt || b.trace.sequence - a.trace.sequence;
  return entries.toSorted((a, b) => {
    const [x, y] = [valueOf(a), valueOf(b)];
    return x === y ? newest(a, b) : x < y === isUp ? -1 : 1;
  });
}

/** The order after a click on a column: names from A to Z and numbers from the largest, and the other way at the next click. */
export function orderAfter(before: RunOrder, by: RunColumn): RunOrder {
  return { by, isUp: before.by === by ? !before.isUp : by === "method" || by === "route" };
}

/** A stretch of time, in milliseconds since 1970, and the marks on it. */
export interface TimeAxis {
  readonly from: number;
  readonly to: number;
  readonly marks: readonly { readonly at: number; readonly label: string }[];
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** The distances of marks, in milliseconds: 1, 2 or 5 of each power of ten, then parts of a minute, an hour and a day. */
const STEPS = [
  ...[1, 10, 100, SECOND].flatMap((power) => [power, 2 * power, 5 * power]),
  ...[10, 15, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30, 60, 120, 360, 720, 1_440].map((n) => n * MINUTE),
];
const MAX_MARKS = 6;
/** The room of a mark with its label, in pixels. */
const MARK = 46;

/** The axis over these runs on so many pixels, or null without a run. */
export function axisOf(entries: readonly RunEntry[], width: number): TimeAxis | null {
  if (entries.length === 0) return null;
  const from = Math.min(...entries.map(({ trace }) => trace.startedAt));
  return axisOver(from, Math.max(from + 1, ...entries.map(({ endedAt }) => endedAt)), width);
}

/** The axis over a stretch of time. */
export function axisOver(from: number, to: number, width: number): TimeAxis {
  const most = clamp(width / MARK, 1, MAX_MARKS);
  const step = STEPS.find((one) => (to - from) / one <= most) ?? (to - from) / most;
  const marks = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) marks.push({ at, label: labelOf(at, step) });
  return { from, to, marks };
}

/** `:04`, `:04.250`, or `09:42` at a full minute, as exact as the distance of marks needs. */
function labelOf(at: number, step: number): string {
  const [hours = "", minutes = "", seconds = ""] = new Date(at).toTimeString().slice(0, 8).split(":");
  if (step >= SECOND && at % MINUTE === 0) return `${hours}:${minutes}`;
  if (step >= SECOND) return `:${seconds}`;
  const digits = step >= 100 ? 1 : step >= 10 ? 2 : 3;
  return `:${seconds}.${String(Math.floor(at) % SECOND)
    .padStart(3, "0")
    .slice(0, digits)}`;
}

/** Where a time is on the axis, in percent. */
export const placeOn = ({ from, to }: TimeAxis, at: number): number => (100 * (at - from)) / (to - from);
