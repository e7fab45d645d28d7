/**
 * Rows of one height. Only those on screen exist. One tab stop; arrows, Home and End go from row to row.
 */

import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { keepInSight } from "./box.ts";
import { useSize } from "./use-size.ts";
import { listKeys, onKeys } from "./on-keys.ts";

/** Rows beyond each end of the screen, drawn so that a slow scroll shows no gap. */
const OVERSCAN = 10;

interface VirtualRowsProps {
  readonly length: number;
  /** The height of a row, in pixels. */
  readonly height: number;
  /** The number of rows of the table before the first of these, including the head. */
  readonly before: number;
  /** A row; `tab` is whether Tab leads there. It has `aria-rowindex`, `index + before + 1`. */
  readonly row: (index: number, tab: boolean) => JSX.Element | null;
  /** What is over the rows from `first` to before `last`, in the element that begins with the first of them. */
  readonly over?: (first: number, last: number) => JSX.Element | null;
  /** A row to bring into view, whenever it has another key. */
  readonly reveal?: { readonly key: string; readonly index: number } | undefined;
  /** Called with the rows on screen, from the first up to the one after the last. */
  readonly onRange?: (first: number, end: number) => void;
}

/** The rows, scrolling in the remaining room. */
export function VirtualRows({ length, height, before, row, over, reveal, onRange }: VirtualRowsProps): JSX.Element {
  const [top, setTop] = useState(0);
  const [at, setAt] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  const room = useSize(box).value.height;
  const count = Math.ceil(room / height) + 1 + 2 * OVERSCAN;
  const seen = [Math.floor(top / height), Math.min(length, Math.ceil((top + room) / height))] as const;
  useLayoutEffect(() => onRange?.(...seen), [...seen]);
  useLayoutEffect(() => {
    if (!reveal || reveal.index < 0 || room === 0) return;
    setAt(reveal.index);
    keepInSight(box.current, reveal.index * height, (reveal.index + 1) * height);
  }, [reveal?.key, room === 0]);
  const first = Math.max(0, Math.min(Math.floor(top / height) - OVERSCAN, length - count));
  const last = Math.min(length, first + count);
  // The last row with focus, or the first on screen when that one is scrolled away.
  const stop = at >= first && at < last ? at : first;
  const rowOf = useKeptRows(row, first, last);
  const go = (next: number): void => {
    setAt(next);
    keepInSight(box.current, next * height, (next + 1) * height);
    // Two frames: one until the scroll is reported, one until its rows are drawn.
    requestAnimationFrame(() =>
      requestAnimationFrame(() =>
        box.current?.querySelector<HTMLElement>(`[aria-rowindex="${next + before + 1}"]`)?.focus(),
      ),
    );
  };
  return (
    <div
      ref={box}
      class="call-rows"
      role="rowgroup"
      onFocusIn={({ target }) => {
        const focused = target instanceof Element ? target.closest("[aria-rowindex]") : null;
        if (focused) setAt(Number(focused.getAttribute("aria-rowindex")) - before - 1);
      }}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      onKeyDown={onKeys(listKeys(stop, length, go))}
    >
      <div role="presentation" style={{ height: `${length * height}px` }}>
        <div role="presentation" class="drawn-rows" style={{ transform: `translateY(${first * height}px)` }}>
          {Array.from({ length: last - first }, (_, i) => rowOf(first + i, first + i === stop))}
          {over?.(first, last)}
        </div>
      </div>
    </div>
  );
}

/** The same rows as before while only the scroll changes, so that a frame renders those that are new on screen. */
function useKeptRows(row: VirtualRowsProps["row"], first: number, last: number): VirtualRowsProps["row"] {
  const kept = useRef({ row, rows: new Map<number, readonly [tab: boolean, made: JSX.Element | null]>() });
  if (kept.current.row !== row) kept.current = { row, rows: new Map() };
  const { rows } = kept.current;
  for (const index of rows.keys()) if (index < first || index >= last) rows.delete(index);
  return (index, tab) => {
    const known = rows.get(index);
    if (known?.[0] === tab) return known[1];
    const made = row(index, tab);
    rows.set(index, [tab, made]);
    return made;
  };
}
