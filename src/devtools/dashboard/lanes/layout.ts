/**
 * Where the runs are on the picture of Lanes. Pure.
 *
 *   runs ──▶ a band for each route ──▶ runs that overlap take the next lane ──▶ boxes ──▶ one SVG path a kind
 *        └─▶ counts for each slice of time ──▶ the strip over all runs, with the brush
 */

import { clamp, clock, count, duration, shownPath } from "../../run/format.ts";
import type { Trace } from "../../run/shapes.ts";
import { groupBy } from "../../run/values.ts";
import { isError, type Between } from "../runs/history.ts";

/** What a lane needs to know of a run. A hit of a search has no more. */
export type LaneRun = Pick<
  Trace,
  "instance" | "sequence" | "method" | "path" | "route" | "status" | "startedAt" | "durationUs"
> &
  Partial<Pick<Trace, "error" | "aborted" | "correlationId">>;

/** A run at its place, in milliseconds since 1970 and in pixels. */
export interface Box {
  readonly run: LaneRun;
  readonly top: number;
  readonly height: number;
}

/** The runs of one route. */
export interface Band {
  readonly method: string;
  /** The route, or the name of work without one. */
  readonly route: string;
  readonly top: number;
  readonly height: number;
  readonly boxes: readonly Box[];
}

/** The end of a run, in milliseconds since 1970. */
export const endOf = ({ startedAt, durationUs }: LaneRun): number => startedAt + durationUs / 1_000;

/** The least height of a band, which has two lines of text, and its margin. */
const BAND = 42;
const MARGIN = 6;
/** Heights of a lane: with up to so many lanes. */
const LANES = [
  [4, 14],
  [12, 8],
  [Infinity, 4],
] as const;

/** The bands, the busiest route first. */
export function bandsOf(runs: readonly LaneRun[]): readonly Band[] {
  const groups = [...groupBy(runs, ({ method, route }) => `${method} ${route ?? ""}`).values()];
  let top = 0;
  return groups
    .sort((a, b) => b.length - a.length)
    .map((own) => {
      const [first] = own;
      const lanes = lanesOf(own);
      const [, each] = LANES.find(([most]) => lanes.count <= most) ?? LANES[2];
      const height = Math.max(BAND, lanes.count * each + 2 * MARGIN);
      const boxes = lanes.runs.map(([run, lane]) => ({
        run,
        top: top + MARGIN + lane * each,
        height: each - (each > 4 ? 2 : 1),
      }));
      const band = { method: first?.method ?? "", route: first?.route ?? "no route", top, height, boxes };
      top += height;
      return band;
    });
}

/** The lane of each run: the first one that is free when it begins. */
function lanesOf(runs: readonly LaneRun[]): {
  readonly count: number;
  readonly runs: readonly (readonly [LaneRun, number])[];
} {
  const free: number[] = [];
  const placed = runs
    .toSorted((a, b) => a.startedAt - b.startedAt)
    .map((run) => {
      const found = free.findIndex((end) => end <= run.startedAt);
      const lane = found < 0 ? free.length : found;
      free[lane] = endOf(run);
      return [run, lane] as const;
    });
  return { count: free.length, runs: placed };
}

/** A scale from time to pixels. */
export const scaleOf = ([from, to]: Between, width: number) => ({
  x: (at: number): number => ((at - from) / (to - from)) * width,
  at: (x: number): number => from + (x / Math.max(1, width)) * (to - from),
});

/** A run is at least so many pixels wide. */
const LEAST = 2;

/** The path of some boxes, larger by `by` pixels at each side. */
export function pathOf(boxes: readonly Box[], x: (at: number) => number, by = 0): string {
  const n = (value: number): string => value.toFixed(1);
  return boxes
    .map(({ run, top, height }) => {
      const left = x(run.startedAt);
      const width = Math.max(LEAST, x(endOf(run)) - left) + 2 * by;
      return `M${n(left - by)} ${n(top - by)}h${n(width)}v${height + 2 * by}h-${n(width)}z`;
    })
    .join("");
}

/** How far beside a run a click still means it, in pixels. */
const NEAR = 5;

/** The box under a point, or the nearest one beside it. */
export function boxAt(bands: readonly Band[], x: (at: number) => number, left: number, y: number): Box | undefined {
  const beside = ({ run }: Box): number => Math.max(x(run.startedAt) - left, left - x(endOf(run)), 0);
  const near = bands
    .find((band) => y >= band.top && y < band.top + band.height)
    ?.boxes.filter((box) => beside(box) <= NEAR && y >= box.top - 2 && y <= box.top + box.height + 2);
  return near?.sort((a, b) => beside(a) - beside(b))[0];
}

/** The time from the first run to the last one, or null without a run. */
export function extentOf(runs: readonly LaneRun[]): Between | null {
  if (runs.length === 0) return null;
  const from = runs.reduce((least, { startedAt }) => Math.min(least, startedAt), Infinity);
  const to = runs.reduce((most, run) => Math.max(most, endOf(run)), from + 1);
  return [Math.floor(from), Math.ceil(to)];
}

/** A pause of this length ends what belongs together. */
const PAUSE_MS = 5 * 60_000;

/** The newest stretch without a long pause. @param runs sorted by their start */
export function newestStretch(runs: readonly LaneRun[]): Between | null {
  const at = runs.findLastIndex((run, i) => {
    const before = runs[i - 1];
    return before === undefined || run.startedAt - endOf(before) > PAUSE_MS;
  });
  return extentOf(runs.slice(Math.max(0, at)));
}

/** A stretch, moved or resized within another one. @param by the parts of its length by which both ends move */
export function changed(now: Between, by: Between, within: Between): Between {
  const length = now[1] - now[0];
  const least = 1;
  const [a, b] = [now[0] + by[0] * length, now[1] + by[1] * length];
  const wanted = clamp(b - a, least, within[1] - within[0]);
  const from = clamp(by[0] === 0 ? now[0] : a, within[0], within[1] - (by[0] === by[1] ? wanted : least));
  return [Math.round(from), Math.round(clamp(from + wanted, from + least, within[1]))];
}

/** How many runs are in one slice of time, and how many of them failed. */
export interface Slice {
  readonly all: number;
  readonly failed: number;
}

/** The counts of so many slices. A run counts where it begins. */
export function slicesOf(runs: readonly LaneRun[], [from, to]: Between, slices: number): readonly Slice[] {
  const counts = Array.from({ length: slices }, () => ({ all: 0, failed: 0 }));
  for (const run of runs) {
    const one = counts[clamp(Math.floor(((run.startedAt - from) / (to - from)) * slices), 0, slices - 1)];
    if (one === undefined) continue;
    one.all += 1;
    if (isError(run)) one.failed += 1;
  }
  return counts;
}

/** The most runs of these that were in progress at the same time. */
export function mostAtOnce(runs: readonly LaneRun[]): number {
  const steps = runs.flatMap((run) => [[run.startedAt, 1] as const, [endOf(run), -1] as const]);
  let [now, most] = [0, 0];
  for (const [, by] of steps.sort((a, b) => a[0] - b[0] || a[1] - b[1])) most = Math.max(most, (now += by));
  return most;
}

/** A time with milliseconds: `14:03:07.250`. */
export const exact = (at: number): string => `${clock(at)}.${String(Math.floor(at) % 1_000).padStart(3, "0")}`;

/** A stretch in words: `14:03:07 to 14:03:09`, with milliseconds if it is short. */
export const between = ([from, to]: Between): string => [from, to].map(to - from < 5_000 ? exact : clock).join(" to ");

/** A run in words. */
export const saidOf = (run: LaneRun, more: readonly string[] = []): string =>
  [
    `${run.method} ${shownPath(run.path)} ${run.status || "—"}`,
    duration(run.durationUs),
    exact(run.startedAt),
    ...more,
  ].join(", ");

/** `interleaved with 2 runs`. */
export const besideSaid = (n: number): string => `interleaved with ${count(n, "run")}`;
