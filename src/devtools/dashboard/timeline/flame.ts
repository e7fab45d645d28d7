/**
 * The flame view's bars: the run, its calls and its leaves over time. Pure.
 *
 *   Trace ──▶ flameBars ──▶ bars in lanes ──▶ drawnBars(window, width, lanes on screen) ──▶ those that are seen
 *
 * A bar is directly below its caller. A bar that overlaps with a sibling is below everything that the sibling called, so that
 * calls side by side do not look like calls within each other:
 *
 *   Web ██████████████
 *   A   █████████         A called B, and C ran beside both
 *   B     ██████
 *   C      █████████
 */

import { endOf } from "../../run/calls.ts";
import { sideBySide } from "../../run/side-by-side.ts";
import type { Call, Leaf, Trace } from "../../run/shapes.ts";
import type { TimeWindow } from "../store/time.ts";

/** One bar. The first is the run itself. */
export interface FlameBar {
  readonly kind: "run" | "call" | "leaf";
  readonly call?: Call | undefined;
  readonly leaf?: Leaf | undefined;
  /** The position of its caller in the list; -1 for the run. */
  readonly parent: number;
  /** 0 is the run's; a bar is lower than its caller. */
  readonly lane: number;
  /** How many callers are around it. */
  readonly level: number;
  readonly startUs: number;
  readonly endUs: number;
}

/** A bar on screen, in pixels. */
export interface DrawnBar {
  readonly at: number;
  readonly left: number;
  readonly width: number;
}

type Item = Pick<FlameBar, "call" | "leaf" | "startUs" | "endUs">;

/** A bar before it has a lane. */
interface Block extends Item {
  readonly parent: number;
  readonly inside: number[];
  /** The end of everything within it. */
  reachUs: number;
  /** How many lanes it takes with everything within it. */
  lanes: number;
  /** How many lanes it is below its caller. */
  below: number;
}

/** All bars, by their start. An unfinished one ends with the run. */
export function flameBars(trace: Trace): FlameBar[] {
  const items: Item[] = [
    ...trace.calls.map((call) => ({ call, startUs: call.startUs, endUs: endOf(call, trace) })),
    ...trace.leaves.map((leaf) => ({ leaf, startUs: leaf.startUs, endUs: endOf(leaf, trace) })),
  ];
  items.sort((a, b) => a.startUs - b.startUs || order(a) - order(b));
  const wholeUs = Math.max(trace.durationUs, 1, latest(items));
  const blocks = [block({ startUs: 0, endUs: wholeUs }, -1)];
  const placeOf = new Map<number, number>();
  for (const item of items) {
    const parentId = (item.call ?? item.leaf)?.parentId ?? null;
    const parent = (parentId === null ? undefined : placeOf.get(parentId)) ?? 0;
    if (item.call) placeOf.set(item.call.id, blocks.length);
    blocks[parent]?.inside.push(blocks.length);
    blocks.push(block(item, parent));
  }
  // From the last one back, because what is within a block comes after it.
  for (const one of blocks.toReversed()) stack(one, blocks);
  const bars: FlameBar[] = [];
  for (const { call, leaf, startUs, endUs, parent, below } of blocks) {
    const caller = bars[parent];
    const [lane, level] = caller ? [caller.lane + below, caller.level + 1] : [0, 0];
    bars.push({ kind: call ? "call" : leaf ? "leaf" : "run", call, leaf, parent, lane, level, startUs, endUs });
  }
  return bars;
}

const latest = (items: readonly Item[]): number => items.reduce((end, { endUs }) => Math.max(end, endUs), 0);

const block = (item: Item, parent: number): Block => ({
  ...item,
  parent,
  inside: [],
  reachUs: item.endUs,
  lanes: 1,
  below: 1,
});

/** Places what is within a block: of those that overlap, each below the whole of the one before. */
function stack(around: Block, blocks: readonly Block[]): void {
  const inside = around.inside.flatMap((at) => blocks[at] ?? []);
  let tracks: { endUs: number; lanes: number; blocks: Block[] }[] = [];
  const close = (): void => {
    let below = 1;
    for (const track of tracks) {
      for (const one of track.blocks) one.below = below;
      below += track.lanes;
    }
    around.lanes = Math.max(around.lanes, below);
    tracks = [];
  };
  for (const one of inside) {
    if (tracks.every(({ endUs }) => endUs <= one.startUs)) close();
    const free = tracks.find(({ endUs }) => endUs <= one.startUs);
    if (!free) tracks.push({ endUs: one.reachUs, lanes: one.lanes, blocks: [one] });
    else {
      free.blocks.push(one);
      free.endUs = one.reachUs;
      free.lanes = Math.max(free.lanes, one.lanes);
    }
    around.reachUs = Math.max(around.reachUs, one.reachUs);
  }
  close();
}

/** Calls and leaves that ran side by side, as a bracket at their left. */
export interface FlameBracket {
  readonly count: number;
  readonly startUs: number;
  readonly fromLane: number;
  readonly toLane: number;
}

/** The brackets of these bars. */
export function flameBrackets(trace: Trace, bars: readonly FlameBar[]): readonly FlameBracket[] {
  const laneOf = new Map(bars.map((bar) => [bar.call ?? bar.leaf, bar.lane] as const));
  return sideBySide(trace).map(({ items, startUs }) => {
    const lanes = items.flatMap((one) => laneOf.get(one) ?? []);
    const [fromLane, toLane] = lanes.reduce(([a, b], lane) => [Math.min(a, lane), Math.max(b, lane)], [Infinity, 0]);
    return { count: items.length, startUs, fromLane, toLane };
  });
}

/** With the same start, calls come first, in the order of their ids, so that a caller is before its callees. */
const order = ({ call, leaf }: Item): number => call?.id ?? 1e9 + (leaf?.id ?? 0);

/** The least width of a bar, in pixels. */
const LEAST = 3;

/** The bars in a window, in these lanes. Of those too narrow to distinguish, only the first is drawn, and `always`. */
export function drawnBars(
  bars: readonly FlameBar[],
  { fromUs, toUs }: TimeWindow,
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

/** The target of a key: along the bars with as many callers around them, to a bar's caller, or to its first callee. */
export function flameStep(bars: readonly FlameBar[], at: number, key: string): number | undefined {
  const here = bars[at];
  if (!here) return undefined;
  const isLevel = ({ level }: FlameBar): boolean => level === here.level;
  switch (key) {
    case "ArrowUp":
      return Math.max(0, here.parent);
    case "ArrowDown":
      return found(
        bars.findIndex((bar) => bar.parent === at),
        at,
      );
    case "ArrowLeft":
      return found(bars.slice(0, at).findLastIndex(isLevel), at);
    case "ArrowRight":
      return found(
        bars.findIndex((bar, i) => i > at && isLevel(bar)),
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
export function windowOf(bars: readonly FlameBar[], at: number): TimeWindow {
  const [run, bar] = [bars[0], bars[at]];
  if (!run || !bar) return { fromUs: 0, toUs: 1 };
  const least = Math.max(1, (run.endUs - run.startUs) / 100);
  const room = Math.max(0, least - (bar.endUs - bar.startUs)) / 2;
  return { fromUs: Math.max(0, bar.startUs - room), toUs: bar.endUs + room };
}
