/**
 * How many runs went by unseen, by the holes in their sequence numbers. Pure but for what it has seen.
 */

import type { Trace } from "../../wire.ts";

/**
 * Counts the runs between the last one seen and the oldest that the application still has. Of a process that began
 * while the page knew an older one, that is from its first run on; a page that has just been opened missed nothing.
 */
export function createMissedCounter() {
  const last = new Map<string, number>();
  const seen = (traces: readonly Trace[]): void => {
    for (const { instance, sequence } of traces) last.set(instance, Math.max(last.get(instance) ?? 0, sequence));
  };
  const listed = (traces: readonly Trace[]): number => {
    const oldest = new Map<string, number>();
    for (const { instance, sequence } of traces)
      oldest.set(instance, Math.min(oldest.get(instance) ?? sequence, sequence));
    const unseen = (first: number): number => (last.size === 0 ? first : 0);
    const holes = [...oldest].map(([instance, first]) =>
      Math.max(0, first - (last.get(instance) ?? unseen(first)) - 1),
    );
    seen(traces);
    return holes.reduce((sum, hole) => sum + hole, 0);
  };
  return { seen, listed };
}
