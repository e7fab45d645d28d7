/**
 * The bars of a line of the timeline: stretches of time, and their pixels in a window. Pure.
 *
 *   call, what is below it ──▶ whole (pale: it waits) + own (full: nothing below it was running) ──▶ piecesIn(window) ──▶ pixels
 */

import { endOf } from "../../run/calls.ts";
import type { Call, Leaf, Trace } from "../../run/shapes.ts";
import { gapsBetween, type Span } from "../../run/spans.ts";
import type { TimeWindow } from "../store/time.ts";
import { placeOf } from "./window.ts";

/** A stretch of time in a row, or in one of several thin rows within it. */
export interface Stretch extends Span {
  readonly track: number;
}

/** A rectangle, in pixels. */
export interface Piece {
  readonly left: number;
  readonly width: number;
  readonly track: number;
}

/** How stretches become rectangles. */
export interface PieceRules {
  /** Narrower ones are widened to this. */
  readonly least: number;
  /** With a smaller gap to the one before, a narrow one is left out instead of joined, so that short parts do not look long. */
  readonly sparse?: number;
  /** Whether neighbours keep a gap, so that each can be counted. */
  readonly apart?: boolean;
}

/** Those of a window as rectangles. Narrow ones are widened, and joined with a neighbour of the same track. */
export function piecesIn(
  stretches: readonly Stretch[],
  window: TimeWindow,
  width: number,
  { least, sparse, apart }: PieceRules = { least: 2 },
): Piece[] {
  const pieces: { left: number; width: number; track: number }[] = [];
  const lastOf: { left: number; width: number; track: number }[] = [];
  for (const { startUs, endUs, track } of stretches) {
    if (endUs < window.fromUs || startUs > window.toUs) continue;
    const left = Math.max(-least, placeOf(startUs, window, width));
    const end = placeOf(endUs, window, width);
    const isNarrow = end - left < least;
    const right = Math.min(width + least, Math.max(end, left + least));
    const last = lastOf[track];
    const gap = last ? left - (last.left + last.width) : Infinity;
    if (isNarrow && sparse !== undefined && gap < sparse) continue;
    if (last && gap < 1 && !(apart === true && right - left > 3 && last.width > 3))
      last.width = Math.max(last.width, right - last.left);
    else pieces.push((lastOf[track] = { left, width: right - left, track }));
  }
  return apart === true ? pieces.map((one) => ({ ...one, width: one.width > 3 ? one.width - 1 : one.width })) : pieces;
}

/** The rectangles as one path, `height` pixels high each, for elements that would be too many. */
export function pathOf(pieces: readonly Piece[], topOf: (track: number) => number, height: number): string {
  const round = (n: number): number => Math.round(n * 10) / 10;
  return pieces
    .map(({ left, width, track }) => `M${round(left)} ${topOf(track)}h${round(width)}v${height}h${-round(width)}z`)
    .join("");
}

/** The time in which nothing below a call was running, a part of its own time. */
export function ownStretches(call: Call, below: readonly (Call | Leaf)[], trace: Trace): readonly Stretch[] {
  const busy = below
    .filter((one) => "bean" in one || one.kind !== "log")
    .map((one) => ({ startUs: one.startUs, endUs: endOf(one, trace) }));
  return gapsBetween(busy, call.startUs, endOf(call, trace)).map((span) => ({ ...span, track: 0 }));
}

/**
 * Whether a call blocked the event loop from its start to its end. The recording knows it of a call that returned no promise. Of
 * one that returned a promise it does not know how much of its own time was work, and how much it waited for a timer, so such a
 * call is never marked.
 */
export const isSynchronous = ({ async, durationUs }: Call): boolean => !async && durationUs !== null;

/** This many thin rows fit into a row. */
export const TRACKS = 4;

/** Calls or leaves in one row, each at its place. Those side by side are in thin rows of their own, as far as there are any. */
export function inTracks(items: readonly (Call | Leaf)[], trace: Trace): readonly Stretch[] {
  const ends: number[] = [];
  return items
    .toSorted((a, b) => a.startUs - b.startUs)
    .map((one) => {
      const free = ends.findIndex((endUs) => endUs <= one.startUs);
      const track = free === -1 ? Math.min(ends.length, TRACKS - 1) : free;
      const endUs = endOf(one, trace);
      ends[track] = Math.max(ends[track] ?? 0, endUs);
      return { startUs: one.startUs, endUs, track };
    });
}
