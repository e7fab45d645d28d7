/**
 * How many runs passed unseen, by the holes in their sequence numbers. Pure, except for its own state.
 */

import type { Trace } from "../../run/shapes.ts";

/**
 * Counts the runs between the last one seen and the oldest that the application still has. For a process that began
 * while the page knew an older one, it counts from its first run. A page that has just been opened missed nothing.
 */
export function createMissedCounter() {
  const last = new Map<string, number>();
  const seen = (traces: readonly Trace[]): void => {
    for (const { instance, sequence } of traces) last.set(instance, Math.max(last.get(instance) ?? 0, sequence));
  };
  const listed = (traces: readonly Trace[]): number => {
    const isFirst = last.size === 0;
    let holes = 0;
    for (const instance of new Set(traces.map((trace) => trace.instance))) {
      const oldest = Math.min(...traces.filter((trace) => trace.instance === instance).map((one) => one.sequence));
      holes += Math.max(0, oldest - (last.get(instance) ?? (isFirst ? oldest : 0)) - 1);
    }
    seen(traces);
    return holes;
  };
  return { seen, listed };
}
