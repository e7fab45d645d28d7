/**
 * The shown part of a run's time: zoom, pan, and places on the screen. Pure.
 *
 *   whole run  |───────────────────────────|
 *   window          |────────|              fromUs, toUs ◀──▶ 0, width in pixels
 */

import { clamp } from "../../run/format.ts";
import type { TimeWindow } from "../store/time.ts";

/** The shortest window, in microseconds: the resolution of the recording. */
const LEAST_US = 4;

/** The place of a moment, in pixels from the left border of the bars. */
export function placeOf(us: number, { fromUs, toUs }: TimeWindow, width: number): number {
  return ((us - fromUs) / (toUs - fromUs)) * width;
}

/** The moment at a place. */
export function momentAt(place: number, { fromUs, toUs }: TimeWindow, width: number): number {
  return fromUs + (place / Math.max(1, width)) * (toUs - fromUs);
}

/** A window of this length that begins here, moved into the run. Null is the whole run. */
function within(fromUs: number, lengthUs: number, endUs: number): TimeWindow | null {
  if (lengthUs >= endUs) return null;
  const from = clamp(fromUs, 0, endUs - lengthUs);
  return { fromUs: from, toUs: from + lengthUs };
}

/** The window after a zoom by `factor`, in which the moment `atUs` stays at its place. */
export function zoomed(window: TimeWindow, factor: number, atUs: number, endUs: number): TimeWindow | null {
  const lengthUs = Math.max(Math.min(LEAST_US, endUs), (window.toUs - window.fromUs) / factor);
  const share = (atUs - window.fromUs) / (window.toUs - window.fromUs);
  return within(atUs - share * lengthUs, lengthUs, endUs);
}

/** The window moved by this share of its length. */
export function panned({ fromUs, toUs }: TimeWindow, share: number, endUs: number): TimeWindow | null {
  return within(fromUs + share * (toUs - fromUs), toUs - fromUs, endUs);
}

/** The window between two moments, in either order. */
export function between(aUs: number, bUs: number, endUs: number): TimeWindow | null {
  const [fromUs, toUs] = [Math.max(0, Math.min(aUs, bUs)), Math.min(endUs, Math.max(aUs, bUs))];
  return within(fromUs, Math.max(Math.min(LEAST_US, endUs), toUs - fromUs), endUs);
}
