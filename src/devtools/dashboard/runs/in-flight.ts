/**
 * Runs between start and end, as the stream reports them, and their duration so far.
 *
 *   event: started ──▶ known, with the page's own time ──▶ its trace comes │ not reported for a while │ stream lost ──▶ gone
 *
 * Clocks of two machines differ, so the elapsed time is the server's, plus the time that has passed here.
 */

import { computed, signal } from "@preact/signals";
import type { Started } from "../../run/shapes.ts";
import { jsonOf } from "../../run/values.ts";
import { applicationSlice } from "../store/application.ts";
import { browserSlice } from "../store/browser.ts";
import type { Use } from "../store/slice.ts";

interface StartedRun {
  readonly started: Started;
  readonly at: number;
}

/** A run in progress and its duration so far. */
export interface RunUnderWay {
  readonly key: string;
  readonly started: Started;
  readonly elapsedUs: number;
}

/** The server reports each second, so three and a half seconds of silence mean that the end was missed. */
const SILENCE_MS = 3_500;
const TICK_MS = 200;

const keyOf = ({ instance, run }: Pick<Started, "instance" | "run">): string => `${instance}.${run}`;

/** The runs in progress. */
export function inFlightSlice(use: Use) {
  const { traces, online } = use(applicationSlice);
  const { now, every } = use(browserSlice);
  const told = signal<ReadonlyMap<string, StartedRun>>(new Map());
  const time = signal(0);
  let stop: (() => void) | undefined;
  const tick = (): void => {
    time.value = now();
    const isKept = ({ at }: StartedRun): boolean => online.value !== false && time.value - at < SILENCE_MS;
    const kept = [...told.value].filter(([, one]) => isKept(one));
    if (kept.length < told.value.size) told.value = new Map(kept);
    if (kept.length > 0) return;
    stop?.();
    stop = undefined;
  };
  return {
    /** Takes an event of the stream, as JSON. */
    hear: (json: string): void => {
      // Made by our own server; a cut or foreign line is left out.
      const started = jsonOf(json) as Started | undefined;
      if (!started) return;
      time.value = now();
      told.value = new Map([...told.value, [keyOf(started), { started, at: time.value }]]);
      stop ??= every(TICK_MS, tick);
    },
    /** Those without a trace yet, the newest first. */
    underWay: computed((): readonly RunUnderWay[] => {
      const over = new Set(traces.value.map(({ instance, run = 0 }) => keyOf({ instance, run })));
      return [...told.value]
        .filter(([key]) => !over.has(key))
        .map(([key, { started, at }]) => {
          const since = Math.max(0, time.value - at) * 1_000;
          return { key, started, elapsedUs: started.elapsedUs + since };
        })
        .sort((a, b) => b.started.run - a.started.run);
    }),
  };
}
