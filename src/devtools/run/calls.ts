/**
 * Self time, the critical path and repeated calls of a recorded run. Pure.
 *
 *   trace ──▶ rows: own time, on the critical path?, where an error began, which of how many equal calls
 *
 * Self time is a call's own duration minus the union of its children's intervals, so children that overlap (Promise.all) are not
 * subtracted twice. The critical path is the chain that bounds the end: from the latest-finishing root, walking backwards, each
 * child that was running when the next one began. The page and the terminal share this room, so that both show the same facts.
 */
import type { Call, Json, Leaf, Trace } from "./shapes.ts";
import { REDACTED } from "./wire.ts";
import { groupBy } from "./values.ts";

/** One call as a row of the timeline. */
export interface TimelineRow {
  readonly call: Call;
  readonly selfUs: number;
  /** Null while unsettled; the row then ends with the request. */
  readonly totalUs: number | null;
  readonly critical: boolean;
  readonly threw: boolean;
  /** The position among equal calls, and their number; absent if there is only one. */
  readonly repeat?: { readonly index: number; readonly count: number; readonly repeatsUs: number } | undefined;
}

/** Rows in entry order. */
export function timelineRows(trace: Trace): TimelineRow[] {
  const calls = [...trace.calls].sort((a, b) => a.id - b.id);
  const children = byParent(calls);
  const end = (one: Interval): number => endOf(one, trace);
  const critical = criticalCalls(children, end);
  const repeats = repeated(calls);
  return calls.map((call) => ({
    call,
    selfUs: selfTime(call, children.get(call.id) ?? [], end),
    totalUs: call.durationUs,
    critical: critical.has(call.id),
    threw: threwHere(call, children.get(call.id) ?? []),
    repeat: repeats.get(call.id),
  }));
}

/** Calls or leaves by the call around them, or null for direct children of the run. */
export const byParent = <T extends Pick<Call, "parentId">>(items: readonly T[]): Map<number | null, T[]> =>
  groupBy(items, ({ parentId }) => parentId);

/** The call around a leaf. */
export function callerOf(leaf: Leaf, calls: ReadonlyMap<number, Call>): Call | undefined {
  return leaf.parentId === null ? undefined : calls.get(leaf.parentId);
}

/** A call's own duration without the time of its children. */
export function selfTime(call: Call, children: readonly Interval[], end: (one: Interval) => number): number {
  const limit = end(call);
  return Math.max(0, limit - call.startUs - coveredUs(children, end, limit, call.startUs));
}

/** Ids of the calls that bound the end of the run. */
export function criticalCalls(
  children: ReadonlyMap<number | null, readonly Call[]>,
  end: (call: Call) => number,
): Set<number> {
  const found = new Set<number>();
  const walk = (parent: number | null, until: number): void => {
    const latestFirst = [...(children.get(parent) ?? [])].sort((a, b) => end(b) - end(a) || b.id - a.id);
    let bound = until;
    for (const call of latestFirst) {
      if (end(call) > bound) continue;
      found.add(call.id);
      walk(call.id, end(call));
      bound = call.startUs;
    }
  };
  walk(null, Infinity);
  return found;
}

function repeated(calls: readonly Call[]): Map<number, { index: number; count: number; repeatsUs: number }> {
  const groups = groupBy(
    calls.filter(({ args }) => args.every(isWhole)),
    ({ bean, method, args }) => `${bean}\n${method}\n${JSON.stringify(args)}`,
  );
  const result = new Map<number, { index: number; count: number; repeatsUs: number }>();
  for (const same of groups.values()) {
    if (same.length < 2) continue;
    const repeatsUs = same.slice(1).reduce((sum, call) => sum + (call.durationUs ?? 0), 0);
    same.forEach((call, i) => result.set(call.id, { index: i + 1, count: same.length, repeatsUs }));
  }
  return result;
}

/** Marks of incomplete values. Two of them can look alike and differ. */
const PARTIAL: ReadonlySet<string> = new Set(
  [
    "function",
    "symbol",
    "bytes",
    "stream",
    "thenable",
    "pending",
    "circular",
    "evicted",
    "string",
    "truncated",
    "private",
  ].map((name) => `$${name}`),
);

/** Whether the recording has the complete value. It has not if the value is cut, hidden, or a function. */
export function isWhole(value: Json): boolean {
  if (typeof value === "string") return !value.includes(REDACTED);
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(
    ([key, inner]) => !PARTIAL.has(key) && !(key === "$class" && inner === "Proxy") && isWhole(inner),
  );
}

/** The run itself: the time without a running call, and the start of the first one. */
export function rootOf(trace: Trace): { readonly selfUs: number; readonly firstUs: number } {
  const roots = trace.calls.filter(({ parentId }) => parentId === null);
  const end = (call: Call): number => endOf(call, trace);
  const covered = coveredUs(roots, end, trace.durationUs, 0);
  const firstUs = Math.min(trace.durationUs, ...trace.calls.map(({ startUs }) => startUs));
  return { selfUs: Math.max(0, trace.durationUs - covered), firstUs };
}

/** A method that was called again with the same arguments. */
export interface Repeat {
  readonly bean: string;
  readonly method: string;
  readonly count: number;
  /** The time of all calls after the first, in sum. */
  readonly repeatsUs: number;
}

/** Repeated calls, the longest first, each once. */
export function repeatsOf(rows: readonly TimelineRow[]): Repeat[] {
  return rows
    .flatMap(({ call, repeat }) =>
      repeat?.index === 1
        ? [{ bean: call.bean, method: call.method, count: repeat.count, repeatsUs: repeat.repeatsUs }]
        : [],
    )
    .sort((a, b) => b.repeatsUs - a.repeatsUs);
}

/** A start and a duration, which is null before the end. */
type Interval = Pick<Call, "startUs" | "durationUs">;

/** The end of a call or leaf; the end of the request if it was unsettled. */
export function endOf({ startUs, durationUs }: Interval, trace: Trace): number {
  return durationUs === null ? Math.max(startUs, trace.durationUs) : startUs + durationUs;
}

/** For how long at least one of these was running between `fromUs` and `toUs`. */
export function coveredUs<T extends { readonly startUs: number }>(
  items: readonly T[],
  end: (item: T) => number,
  toUs: number,
  fromUs = 0,
): number {
  let covered = 0;
  let reached = fromUs;
  for (const item of items.toSorted((a, b) => a.startUs - b.startUs)) {
    const to = Math.min(toUs, end(item));
    covered += Math.max(0, to - Math.max(reached, item.startUs));
    reached = Math.max(reached, to);
  }
  return covered;
}

/**
 * Whether the error of this call began in it. It did not if a call below failed with the same error. @param calls those below,
 * among others
 */
export function threwHere(call: Call, calls: readonly Call[]): boolean {
  const { error } = call;
  if (error === null) return false;
  return !calls.some(
    (other) => other.parentId === call.id && other.error?.name === error.name && other.error.message === error.message,
  );
}
