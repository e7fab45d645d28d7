/**
 * The critical path and the brackets of calls side by side as lines over the rows. Pure.
 *
 *   criticalPath, sideBySide ──▶ rows ──▶ pathIn, bracketsIn (window, rows on screen) ──▶ SVG paths
 */

import { criticalPath } from "../../run/critical-path.ts";
import type { Trace } from "../../run/shapes.ts";
import { sideBySide } from "../../run/side-by-side.ts";
import type { TimeWindow } from "../store/time.ts";
import type { RunLine } from "./leaf-lines.ts";
import { placeOf } from "./window.ts";

/** A part of the critical path in the row of its call or leaf, or of the nearest one around it that has a row. */
export interface RowPart {
  /** -1 is the row of the time outside of beans, above the others. */
  readonly row: number;
  readonly fromUs: number;
  readonly toUs: number;
}

/** Calls or leaves side by side, in these rows. */
export interface RowBracket {
  /** Of each call or leaf, in order. */
  readonly rows: readonly number[];
  readonly count: number;
  readonly startUs: number;
  readonly endUs: number;
}

/** The rows on screen, each `height` pixels high. */
export interface RowRange {
  readonly first: number;
  readonly last: number;
  readonly height: number;
}

/** The rows of calls and leaves. */
export interface RowsOf {
  readonly ofCall: ReadonlyMap<number, number>;
  readonly ofLeaf: ReadonlyMap<number, number>;
}

/** Where each call and leaf is. One without a row of its own is in that of the fold or the call around it. */
export function rowsOf(trace: Trace, lines: readonly RunLine[]): RowsOf {
  const ofCall = new Map<number, number>();
  const ofLeaf = new Map<number, number>();
  for (const [at, line] of lines.entries()) {
    if (line.kind === "leaf") ofLeaf.set(line.leaf.id, at);
    else if (line.kind === "call") ofCall.set(line.row.call.id, at);
    else if (!line.open) for (const { call } of line.rows) ofCall.set(call.id, at);
  }
  for (const { id, parentId } of trace.calls.toSorted((a, b) => a.id - b.id)) {
    const around = parentId === null ? undefined : ofCall.get(parentId);
    if (!ofCall.has(id) && around !== undefined) ofCall.set(id, around);
  }
  for (const { id, parentId } of trace.leaves) {
    const around = parentId === null ? undefined : ofCall.get(parentId);
    if (!ofLeaf.has(id) && around !== undefined) ofLeaf.set(id, around);
  }
  return { ofCall, ofLeaf };
}

/** The critical path over the rows; parts that follow each other in one row are one. */
export function rowParts(trace: Trace, { ofCall, ofLeaf }: RowsOf): readonly RowPart[] {
  const parts: { row: number; fromUs: number; toUs: number }[] = [];
  for (const { callId, leafId, fromUs, toUs } of criticalPath(trace)) {
    const row = (leafId === undefined ? undefined : ofLeaf.get(leafId)) ?? (callId === null ? -1 : ofCall.get(callId));
    if (row === undefined || toUs === fromUs) continue;
    const last = parts.at(-1);
    if (last?.row === row) last.toUs = toUs;
    else parts.push({ row, fromUs, toUs });
  }
  return parts;
}

/** The brackets of a run. Those within one row, such as of a fold, have none. */
export function rowBrackets(trace: Trace, { ofCall, ofLeaf }: RowsOf): readonly RowBracket[] {
  return sideBySide(trace).flatMap(({ items, startUs, endUs }) => {
    const rows = items.flatMap((one) => ("bean" in one ? ofCall : ofLeaf).get(one.id) ?? []).sort((a, b) => a - b);
    const apart = [...new Set(rows)];
    return apart.length < 2 ? [] : [{ rows: apart, count: items.length, startUs, endUs }];
  });
}

const round = (n: number): number => Math.round(n * 2) / 2;

/** The critical path in a window, as far as it is on screen. Parts too short to see belong to the one before. */
export function pathIn(
  parts: readonly RowPart[],
  window: TimeWindow,
  width: number,
  { first, last, height }: RowRange,
): string {
  const lowest = (last - first) * height;
  const bottomOf = (row: number): number => Math.max(-1, Math.min(lowest + 1, (row - first + 1) * height - 4));
  let d = "";
  let before: number | undefined;
  for (const { row, fromUs, toUs } of parts) {
    if (toUs < window.fromUs) {
      before = undefined;
      continue;
    }
    if (fromUs > window.toUs) break;
    const [x, end] = [fromUs, toUs].map((us) => round(Math.max(-1, Math.min(width, placeOf(us, window, width)))));
    if (x === undefined || end === undefined || end - x < 1) continue;
    const y = bottomOf(row);
    if (before !== undefined && before !== y) d += `M${x} ${before}V${y}`;
    if (row >= first && row < last) d += `M${x} ${y}H${end}`;
    before = y;
  }
  return d;
}

/** A bracket on screen, and its text. */
interface DrawnBracket {
  readonly d: string;
  readonly x: number;
  readonly y: number;
  readonly text: string;
  /** Whether the text ends at `x`. */
  readonly end: boolean;
}

/** The room for a bracket's words, and for its number alone. */
const WORDS = 84;
const NUMBER = 14;

/** The brackets in a window, as far as they are on screen. */
export function bracketsIn(
  brackets: readonly RowBracket[],
  window: TimeWindow,
  width: number,
  { first, last, height }: RowRange,
): readonly DrawnBracket[] {
  return brackets.flatMap(({ rows, count, startUs, endUs }) => {
    const [top = 0, bottom = 0] = [rows[0], rows.at(-1)];
    const left = placeOf(startUs, window, width);
    const right = placeOf(endUs, window, width);
    // With less room than for two bars beside each other it would only be a blot.
    if (bottom < first || top >= last || left > width || right < 0 || right - left < 8) return [];
    const x = round(Math.max(1, left - 3));
    const yOf = (row: number): number =>
      Math.max(-9, Math.min((last - first) * height + 9, (row - first + 0.5) * height));
    const ticks = rows.filter((row) => row >= first && row < last).map((row) => `M${x} ${yOf(row)}h3`);
    const words = `${count} side by side`;
    const [text, at, end] =
      left > WORDS
        ? [words, x - 4, true]
        : right + WORDS + 8 < width
          ? [words, right + 6, false]
          : left > NUMBER
            ? [String(count), x - 4, true]
            : ["", 0, false];
    // Its words are between the first two rows, where no label of a bar is.
    const y = (yOf(top) + yOf(rows[1] ?? top)) / 2 + 4;
    return [{ d: `M${x} ${yOf(top)}V${yOf(bottom)}${ticks.join("")}`, x: at, y, text, end }];
  });
}
