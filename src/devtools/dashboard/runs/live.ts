/**
 * How runs come into the page.
 *
 *   stream (JSON text) ──▶ at most 200 wait ──▶ one flush a frame ──▶ parsed ──▶ merged, newest first
 *   list (after a gap) ──▶ holes in the sequence are counted as missed ──▶ merged
 *
 * A flood costs a constant amount: what is dropped was never parsed. While paused, all but the page's own last run
 * wait unseen.
 */

import { batch } from "@preact/signals";
import type { Trace } from "../../wire.ts";
import { mergeTraces } from "./history.ts";
import type { State, Surroundings } from "../store/state.ts";
import { traceKey } from "../store/keys.ts";

const MAX_WAITING = 200;

/** What takes runs in. */
export interface Intake {
  /** Runs from the list, at once. */
  readonly put: (fresh: readonly Trace[]) => void;
  /** A run from the stream, as JSON; shown with the next frame. */
  readonly hear: (json: string) => void;
  /** Shows what waits. */
  readonly flush: () => void;
}

/** Makes the intake of a page. */
export function createIntake(state: State, around: Surroundings): Intake {
  let waiting: string[] = [];
  let asked = false;
  const missed = createCounter();
  const merge = (fresh: readonly Trace[]): void => {
    const keep = new Set([...state.pinned.value, ...state.opened.value.keys()]);
    for (const key of [state.traceId.value, state.marks.value.a, state.marks.value.b]) if (key !== null) keep.add(key);
    const shown = fresh.filter((trace) => trace.startedAt > state.clearedAt.value);
    if (shown.length > 0) state.traces.value = mergeTraces(state.traces.value, shown, keep);
  };
  const isOwn = (trace: Trace): boolean =>
    trace.correlationId !== null && trace.correlationId === state.exchangeId.value;
  const flush = (): void => {
    asked = false;
    if (state.paused.value) {
      const own = state.exchangeId.value;
      if (own !== null)
        merge(
          waiting
            .filter((json) => json.includes(own))
            .flatMap(parse)
            .filter(isOwn),
        );
      state.waiting.value = waiting.length;
      return;
    }
    if (waiting.length === 0) return;
    const fresh = waiting.flatMap(parse);
    waiting = [];
    missed.heard(fresh);
    batch(() => {
      state.waiting.value = 0;
      merge(fresh);
    });
  };
  return {
    put: (list) =>
      batch(() => {
        state.missed.value += missed.listed(list);
        merge(state.paused.value ? list.filter(isOwn) : list);
      }),
    hear: (json) => {
      waiting.push(json);
      if (waiting.length > MAX_WAITING) waiting = waiting.slice(-MAX_WAITING);
      if (asked) return;
      asked = true;
      around.nextFrame(flush);
    },
    flush,
  };
}

/** What the stream carries is made by our own server; a line that is cut or foreign is left out. */
function parse(json: string): Trace[] {
  try {
    return [JSON.parse(json) as Trace];
  } catch {
    return [];
  }
}

/**
 * Counts the runs between the last one seen and the oldest that the application still has. Of a process that began
 * while the page knew an older one, that is from its first run on; a page that has just been opened missed nothing.
 */
function createCounter() {
  const seen = new Map<string, number>();
  const heard = (traces: readonly Trace[]): void => {
    for (const { instance, sequence } of traces) seen.set(instance, Math.max(seen.get(instance) ?? 0, sequence));
  };
  const listed = (traces: readonly Trace[]): number => {
    const oldest = new Map<string, number>();
    for (const { instance, sequence } of traces)
      oldest.set(instance, Math.min(oldest.get(instance) ?? sequence, sequence));
    const unseen = (first: number): number => (seen.size === 0 ? first : 0);
    const holes = [...oldest].map(([instance, first]) =>
      Math.max(0, first - (seen.get(instance) ?? unseen(first)) - 1),
    );
    heard(traces);
    return holes.reduce((sum, hole) => sum + hole, 0);
  };
  return { heard, listed };
}

/** Takes everything away but what is pinned or from a file. */
export function clearHistory(state: State): void {
  batch(() => {
    const kept = new Set([...state.pinned.value, ...state.opened.value.keys()]);
    state.clearedAt.value = Math.max(0, ...state.traces.value.map((t) => t.startedAt));
    state.traces.value = state.traces.value.filter((t) => kept.has(traceKey(t)));
    state.missed.value = 0;
    if (state.trace.value === null) state.traceId.value = null;
  });
}
