/**
 * The flame view's bars: the run, its calls and its leaves over time, each below its caller, and next to concurrent
 * ones. Pure.
 *
 *   Trace ──▶ flameBars ──▶ bars in lanes ──▶ drawnBars(window, width, lanes on screen) ──▶ those that are seen
 */

import { endOf } from "../../run/calls.ts";
import type { Call, Leaf, Trace } from "../../run/shapes.ts";

/** One bar. The first is the run itself. */
export interface FlameBar {
  readonly kind: "run" | "call" | "leaf";
  readonly call?: Call | undefined;
  readonly leaf?: Leaf | undefined;
  /** The position of its caller in the list; -1 for the run. */
  readonly parent: number;
  /** 0 is the run's; a bar is lower than its caller. */
  readonly lane: number;
  readonly startUs: number;
  readonly endUs: number;
}

/** The shown part of the time. */
export interface FlameWindow {
  readonly fromUs: number;
  readonly toUs: number;
}

/** A bar on screen, in pixels. */
export interface DrawnBar {
  readonly at: number;
  readonly left: number;
  readonly width: number;
}

type Item = Pick<FlameBar, "call" | "leaf"> & { readonly startUs: number; readonly endUs: number };

/** All bars, by their start. An unfinished one ends with the run. */
export function flameBars(trace: Trace): FlameBar[] {
  const items: Item[] = [
    ...trace.calls.map((call) => ({ call, startUs: call.startUs, endUs: endOf(call, trace) })),
    ...trace.leaves.map((leaf) => ({ leaf, startUs: leaf.startUs, endUs: endOf(leaf, trace) })),
  ];
  items.sort((a, b) => a.startUs - b.startUs || order(a) - order(b));
  const wholeUs = Math.max(trace.durationUs, 1, ...items.map(({ endUs }) => endUs));
  const bars: FlameBar[] = [{ kind: "run", parent: -1, lane: 0, startUs: 0, endUs: wholeUs }];
  const placeOf = new Map<number, number>();
  /** When the last bar of each lane ends. */
  const ends = [Infinity];
  for (const item of items) {
    const parentId = (item.call ?? item.leaf)?.parentId ?? null;
    const parent = (parentId === null ? undefined : placeOf.get(parentId)) ?? 0;
    let lane = (bars[parent]?.lane ?? 0) + 1;
    while ((ends[lane] ?? 0) > item.startUs) lane++;
    ends[lane] = item.endUs;
    if (item.call) placeOf.set(item.call.id, bars.length);
    bars.push({ ...item, kind: item.call ? "call" : "leaf", parent, lane });
  }
  return bars;
}

/** With the same start, calls come first, in the order of their ids, so that a caller is before its callees. */
const order = ({ call, leaf }: Item): number => call?.id ?? 1e9 + (leaf?.id ?? 0);

/** The least width of a bar, in pixels. */
const LEAST = 3;

/** The bars in a window, in these lanes. Of those too narrow to distinguish, only the first is drawn, and `always`. */
export function drawnBars(
  bars: readonly FlameBar[],
  { fromUs, toUs }: FlameWindow,
  width: number,
  [firstLane, lastLane]: readonly [first: number, last: number],
  always: number,
): DrawnBar[] {
  const scale = width / Math.max(1, toUs - fromUs);
  const filled: number[] = [];
  const drawn: DrawnBar[] = [];
  bars.forEach(({ lane, startUs, endUs }, at) => {
    if (at !== always && (lane < firstLane || lane > lastLane)) return;
    if (startUs > toUs || endUs < fromUs) return;
    const left = Math.max(0, (startUs - fromUs) * scale);
    const right = Math.min(width, (endUs - fromUs) * scale);
    const isLost = right - left < LEAST && left < (filled[lane] ?? -1);
    if (isLost && at !== always) return;
    const wide = Math.max(LEAST, right - left);
    filled[lane] = Math.max(filled[lane] ?? 0, left + wide);
    drawn.push({ at, left, width: wide });
  });
  return drawn;
}

/** The target of a key: along a lane, to a bar's caller, or to its first callee. */
export function flameStep(bars: readonly FlameBar[], at: number, key: string): number | undefined {
  const here = bars[at];
  if (!here) return undefined;
  const inLane = ({ lane }: FlameBar): boolean => lane === here.lane;
  switch (key) {
    case "ArrowUp":
      return Math.max(0, here.parent);
    case "ArrowDown":
      return found(
        bars.findIndex((bar) => bar.parent === at),
        at,
      );
    case "ArrowLeft":
      return found(bars.slice(0, at).findLastIndex(inLane), at);
    case "ArrowRight":
      return found(
        bars.findIndex((bar, i) => i > at && inLane(bar)),
        at,
      );
    case "Home":
      return 0;
    default:
      return undefined;
  }
}

const found = (index: number, otherwise: number): number => (index === -1 ? otherwise : index);

/** The window that a bar fills; for an instant, a hundredth of the run around it. */
export function windowOf(bars: readonly FlameBar[], at: number): FlameWindow {
  const [run, bar] = [bars[0], bars[at]];
  if (!run || !bar) return { fromUs: 0, toUs: 1 };
  const least = Math.max(1, (run.endUs - run.startUs) / 100);
  const room = Math.max(0, least - (bar.endUs - bar.startUs)) / 2;
  return { fromUs: Math.max(0, bar.startUs - room), toUs: bar.endUs + room };
}
