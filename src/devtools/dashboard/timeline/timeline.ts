/**
 * The calls of a run as lines of a waterfall, with equal consecutive calls in one line. Pure.
 */

import { byParent } from "../../run/calls.ts";
import { type TimelineRow } from "../../run/timeline-rows.ts";
import type { Call } from "../../run/shapes.ts";

/** A line of the timeline: a call, or equal consecutive calls. */
export type TimelineLine = { readonly kind: "call"; readonly row: TimelineRow } | TimelineFold;

/** Equal consecutive calls: of one method, by one caller, each with the same calls within, and none that failed. */
export interface TimelineFold {
  readonly kind: "fold";
  /** The id of its first call. */
  readonly key: number;
  readonly open: boolean;
  /** The calls, without those within them. */
  readonly rows: readonly TimelineRow[];
  readonly selfUs: number;
  /** The sum of all: more than the time between the first and the last if they overlap. */
  readonly totalUs: number;
  readonly startUs: number;
  readonly endUs: number;
}

/** This number of equal consecutive calls is folded. */
const FOLDED_FROM = 4;

/** The lines of a run. `opened` are the keys of folds that show their calls; so does one around the call `shown`. */
export function timelineLines(
  rows: readonly TimelineRow[],
  opened: ReadonlySet<number>,
  shown: number | null,
): TimelineLine[] {
  const children = byParent(rows.map(({ call }) => call));
  const byId = new Map(rows.map((row) => [row.call.id, row]));
  const shapes = shapesOf(rows, children);
  const hidden = new Set<number>();
  const folds = new Map<number, TimelineFold>();
  for (const siblings of children.values())
    for (const equal of equalInRow(siblings, shapes)) {
      const inside = equal.flatMap((call) => [...within(call, children)]);
      const key = equal[0]?.id ?? 0;
      const open = opened.has(key) || (shown !== null && inside.includes(shown));
      const calls = equal.flatMap((call) => byId.get(call.id) ?? []);
      folds.set(key, foldOf(key, open, calls));
      if (!open) for (const id of inside) hidden.add(id);
    }
  const isInside = ({ call }: TimelineRow): boolean => call.parentId !== null && hidden.has(call.parentId);
  return rows.flatMap((row): TimelineLine[] => {
    const fold = isInside(row) ? undefined : folds.get(row.call.id);
    const own: TimelineLine[] = hidden.has(row.call.id) ? [] : [{ kind: "call", row }];
    return fold ? [fold, ...own] : own;
  });
}

function foldOf(key: number, open: boolean, rows: readonly TimelineRow[]): TimelineFold {
  const startUs = rows.map(({ call }) => call.startUs);
  const endUs = rows.map(({ call, totalUs }) => call.startUs + (totalUs ?? 0));
  const sum = (of: (row: TimelineRow) => number): number => rows.reduce((all, row) => all + of(row), 0);
  return {
    kind: "fold",
    key,
    open,
    rows,
    selfUs: sum((row) => row.selfUs),
    totalUs: sum((row) => row.totalUs ?? 0),
    startUs: startUs.reduce((least, us) => Math.min(least, us), Infinity),
    endUs: endUs.reduce((most, us) => Math.max(most, us), 0),
  };
}

/** A number for each call, which equal calls share: bean, method, outcome, and the shapes of the calls within. */
function shapesOf(
  rows: readonly TimelineRow[],
  children: ReadonlyMap<number | null, readonly Call[]>,
): ReadonlyMap<number, number> {
  const numbers = new Map<string, number>();
  const shapes = new Map<number, number>();
  // From the last entered back, because a call's own calls were entered after it.
  for (const { call } of rows.toReversed()) {
    const inner = (children.get(call.id) ?? []).map(({ id }) => shapes.get(id)).join(",");
    const end = call.error ? `failed ${call.id}` : call.durationUs === null ? `pending ${call.id}` : "";
    const shape = `${call.bean}\n${call.method}\n${end}\n${inner}`;
    numbers.set(shape, numbers.get(shape) ?? numbers.size);
    shapes.set(call.id, numbers.get(shape) ?? 0);
  }
  return shapes;
}

/** Consecutive siblings of one shape, if there are enough. */
function equalInRow(siblings: readonly Call[], shapes: ReadonlyMap<number, number>): readonly (readonly Call[])[] {
  const runs = siblings.reduce<Call[][]>((found, call) => {
    const last = found.at(-1);
    if (last?.[0] && shapes.get(last[0].id) === shapes.get(call.id)) last.push(call);
    else found.push([call]);
    return found;
  }, []);
  return runs.filter(({ length }) => length >= FOLDED_FROM);
}

/** The ids of a call and of all calls within it. */
function* within(call: Call, children: ReadonlyMap<number | null, readonly Call[]>): Generator<number> {
  yield call.id;
  for (const child of children.get(call.id) ?? []) yield* within(child, children);
}

/** How wide the names of calls are, in pixels, so that no method's name is cut. The view has room for a part of the width only. */
export function methodRoom(rows: readonly TimelineRow[], slowUs = Infinity): number {
  const room = ({ call, repeat, retry, threw, totalUs }: TimelineRow): number => {
    const slow = (totalUs ?? 0) > slowUs ? 44 : 0;
    const flags = (!call.error ? 0 : threw ? 62 : 24) + (repeat ? 46 : 0) + (retry ? 84 : 0) + slow;
    return indentOf(call) + 16 + (call.method.length + 2) * 7.6 + flags;
  };
  return Math.ceil(rows.reduce((most, row) => Math.max(most, room(row)), 150));
}

/** The indent of a call. */
export function indentOf({ depth }: Pick<Call, "depth">): number {
  return Math.min(depth, 12) * 14;
}
