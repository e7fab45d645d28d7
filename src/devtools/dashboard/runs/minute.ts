/**
 * The last minute of the application, from the runs that the stream brings.
 *
 *   kept.receive ──▶ add ──▶ minute │ twice a second, while a view follows ──▶ tick ──▶ what is computed from it
 */

import { signal } from "@preact/signals";
import { clamp } from "../../run/format.ts";
import { createMinute, SECONDS, type Minute } from "../../run/overview/minute.ts";
import type { Trace } from "../../run/shapes.ts";
import { MAX_TRACES } from "../../run/wire.ts";
import { browserSlice } from "../store/browser.ts";
import type { Use } from "../store/slice.ts";

const UPDATE_MS = 500;

/** The minute, and when it changes. */
export function minuteSlice(use: Use) {
  const { every } = use(browserSlice);
  const minute = createMinute();
  const tick = signal(0);
  /** Runs that ended before this may be missing; undefined before the first list. */
  let since: number | undefined;
  return {
    minute,
    /** Grows when the minute has changed. */
    tick,
    /** The minute, for a value that is computed again when it changes. */
    followed: (): Minute => {
      void tick.value;
      return minute;
    },
    add: (runs: readonly Trace[]): void => {
      minute.add(runs);
      minute.expire(Date.now());
    },
    /** The application's list came. Runs before its oldest one may be missing if it is full and the page lacked some. */
    listed: (list: readonly Trace[], hasMissed: boolean): void => {
      if (since !== undefined && !hasMissed) return;
      const oldest = Math.min(...list.map(({ startedAt }) => startedAt));
      since = list.length < MAX_TRACES ? 0 : oldest;
    },
    /** How many seconds of the last minute are known. */
    seconds: (): number => clamp((Date.now() - (since ?? 0)) / 1_000, 1, SECONDS),
    /** Updates until the returned function is called. */
    follow: (): (() => void) =>
      every(UPDATE_MS, () => {
        if (document.visibilityState !== "hidden" && minute.expire(Date.now())) tick.value += 1;
      }),
  };
}
