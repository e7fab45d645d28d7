/**
 * Self time, ends and errors of the calls of a recorded run, and whether a value is wholly recorded. Pure.
 *
 * Self time is a call's own duration minus the union of its children's intervals, so children that overlap (Promise.all) are not
 * subtracted twice.
 */
import type { Call, Json, Leaf, Trace } from "./shapes.ts";
import { REDACTED } from "./wire.ts";
import { groupBy } from "./values.ts";

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

/** A start and a duration, which is null before the end. */
export type Interval = Pick<Call, "startUs" | "durationUs">;

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
