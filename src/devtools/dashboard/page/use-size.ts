/**
 * The size of an element on screen, for a view that needs it.
 */

import { useSignal, type ReadonlySignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

/** Width and height in pixels. */
export interface BoxSize {
  readonly width: number;
  readonly height: number;
}

/** The size of an element's content, zero before it is on screen. */
export function useSize(element: RefObject<Element | null>): ReadonlySignal<BoxSize> {
  const size = useSignal<BoxSize>({ width: 0, height: 0 });
  useLayoutEffect(() => {
    if (!element.current) return undefined;
    const watcher = new ResizeObserver(([entry]) => {
      if (entry) size.value = entry.contentRect;
    });
    watcher.observe(element.current);
    return () => watcher.disconnect();
  }, []);
  return size;
}
