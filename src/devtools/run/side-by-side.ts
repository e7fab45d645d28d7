/**
 * Side by side: calls and leaves of one caller that ran at the same time. Pure.
 *
 *   A ██████            A and B are a group, since B began before A had ended. C is alone.
 *   B    ██████
 *   C            ████
 */
import { byParent, endOf } from "./calls.ts";
import type { Call, Leaf, Trace } from "./shapes.ts";

/** Two or more calls or leaves of one caller, each with another that was running at the same time. */
export interface Beside {
  /** In the order of their starts. */
  readonly items: readonly (Call | Leaf)[];
  readonly startUs: number;
  readonly endUs: number;
}

/** The groups of a run. A log line and a call without duration overlap with nothing. */
export function sideBySide(trace: Trace): readonly Beside[] {
  const timed = [...trace.calls, ...trace.leaves.filter(({ kind }) => kind !== "log")].filter(
    (one) => endOf(one, trace) > one.startUs,
  );
  return [...byParent<Call | Leaf>(timed).values()].flatMap((siblings) => groupsOf(siblings, trace));
}

function groupsOf(siblings: readonly (Call | Leaf)[], trace: Trace): readonly Beside[] {
  const groups: { items: (Call | Leaf)[]; startUs: number; endUs: number }[] = [];
  for (const one of siblings.toSorted((a, b) => a.startUs - b.startUs)) {
    const last = groups.at(-1);
    const endUs = endOf(one, trace);
    if (!last || one.startUs >= last.endUs) groups.push({ items: [one], startUs: one.startUs, endUs });
    else {
      last.items.push(one);
      last.endUs = Math.max(last.endUs, endUs);
    }
  }
  return groups.filter(({ items }) => items.length > 1);
}
