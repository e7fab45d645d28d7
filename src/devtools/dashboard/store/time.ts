/**
 * The moment of the selected run that graph, timeline and logs show, and the part of its time that the timeline shows.
 *
 *   play, ruler, keys ──▶ at ──▶ graph: calls so far, dots on edges │ timeline: the line │ logs: the lines so far
 *
 * Both belong to one run. Another run has neither.
 */

import { batch, computed, signal, type ReadonlySignal } from "@preact/signals";
import { clamp } from "../../run/format.ts";
import { selectionSlice } from "./selection.ts";
import type { Use } from "./slice.ts";

/** A part of a run's time. */
export interface TimeWindow {
  readonly fromUs: number;
  readonly toUs: number;
}

/** From the start of a run to its end takes this time, whatever the run took. */
export const PLAY_MS = 2_800;

/** The moment, and the shown part. */
export function timeSlice(use: Use) {
  const endUs = endOfRun(use);
  return { endUs, ...createMoment(use, endUs), ...createWindow(use, endUs) };
}

/** The end of the run, or of a call that ended after the response. */
function endOfRun(use: Use): ReadonlySignal<number> {
  const { whole } = use(selectionSlice);
  return computed(() => {
    const trace = whole.value;
    if (!trace) return 1;
    const ends = [...trace.calls, ...trace.leaves].map((one) => one.startUs + (one.durationUs ?? 0));
    return ends.reduce((most, end) => Math.max(most, end), Math.max(1, trace.durationUs));
  });
}

function createWindow(use: Use, endUs: ReadonlySignal<number>) {
  const { traceId } = use(selectionSlice);
  /** The last part, and the run that it belongs to. */
  const part = signal<{ readonly of: string | null; readonly window: TimeWindow } | null>(null);
  return {
    /** The part of the time that the timeline shows. */
    shown: computed<TimeWindow>(() =>
      part.value?.of === traceId.value && part.value ? part.value.window : { fromUs: 0, toUs: endUs.value },
    ),
    show: (window: TimeWindow | null): void => {
      part.value = window && { of: traceId.value, window };
    },
  };
}

function createMoment(use: Use, endUs: ReadonlySignal<number>) {
  const { traceId, path, step, replay, replays } = use(selectionSlice);
  /** Changes when a run is selected, also the same one again. */
  const showing = computed(() => `${traceId.value} ${replays.value}`);
  /** The last moment, and what was shown then. */
  const moment = signal<{ readonly of: string; readonly us: number } | null>(null);
  const playing = signal(false);
  const playedFromUs = signal(0);
  const at = computed(() => {
    if (step.value !== null) return path.value?.steps[step.value - 1]?.call.startUs ?? 0;
    return moment.value?.of === showing.value ? (moment.value?.us ?? null) : null;
  });
  const seek = (us: number | null, plays = false): void =>
    batch(() => {
      step.value = null;
      playing.value = plays;
      moment.value = us === null ? null : { of: showing.value, us: clamp(us, 0, endUs.value) };
    });
  const play = (isStill: boolean, fromUs: number = at.value ?? 0): void => {
    playedFromUs.value = fromUs;
    seek(isStill ? null : fromUs, !isStill);
  };
  return {
    /** The moment in microseconds, that of the step, or null if the whole run is shown. */
    at,
    /** How many calls had begun by then, or null for all. */
    begun: computed(() => {
      if (step.value !== null) return step.value;
      const us = at.value;
      return us === null ? null : (path.value?.steps.filter(({ call }) => call.startUs <= us).length ?? 0);
    }),
    /** Where playing began; what began before it is not drawn anew. */
    playedFromUs,
    playing: computed(() => playing.value && at.value !== null && step.value === null),
    /** Shows another moment, and stops playing. Null is the whole run. */
    seek: (us: number | null): void => seek(us),
    /** Moves on by this time of a person while it plays; at the end the whole run is shown. */
    advance: (ms: number): void => {
      const next = (at.value ?? 0) + (ms / PLAY_MS) * endUs.value;
      if (next < endUs.value) seek(next, true);
      else seek(null);
    },
    /** Plays from this moment, or from the shown one. Without motion it shows the whole run. */
    play,
    /** Draws the path again and plays from the start. */
    replay: (isStill: boolean): void =>
      batch(() => {
        replay();
        play(isStill, 0);
      }),
  };
}
