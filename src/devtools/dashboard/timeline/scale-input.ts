/**
 * Zoom and pan of the timeline's scale, by wheel, drag and keys, as in a profiler.
 *
 *   wheel over the bars, Ctrl + wheel ──▶ zoom at the pointer      drag on the bars          ──▶ pan
 *   Shift + wheel                     ──▶ scroll the rows          drag on the ruler, or with Shift ──▶ zoom into that range
 *   ← → pan, + − zoom, 0 whole run                                 click on the ruler, or drag of the line ──▶ another moment
 */

import { useSignal, type ReadonlySignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";
import type { KeyActs } from "../page/on-keys.ts";
import { wheelZoom } from "../page/wheel.ts";
import { time } from "../store/page-store.ts";
import type { TimeWindow } from "../store/time.ts";
import { between, momentAt, panned, zoomed } from "./window.ts";

/** A button or a key zooms by this factor. */
const STEP = 1.5;
/** A key pans by this share of the window. */
const PAN = 0.2;
/** A pointer that moves less is a click. */
const CLICK = 4;

/** Zooms around the middle of the window, or around the moment if it is in sight. */
export function zoomBy(factor: number): void {
  const { fromUs, toUs } = time.shown.value;
  const at = time.at.value;
  const middle = at !== null && at >= fromUs && at <= toUs ? at : (fromUs + toUs) / 2;
  time.show(zoomed(time.shown.value, factor, middle, time.endUs.value));
}

/** Moves the window by steps, to the right if positive. */
export const panBy = (steps: number): void => time.show(panned(time.shown.value, steps * PAN, time.endUs.value));

/** The keys that zoom. */
export const zoomKeys: KeyActs = {
  "+": () => zoomBy(STEP),
  "=": () => zoomBy(STEP),
  "-": () => zoomBy(1 / STEP),
  "0": () => time.show(null),
};

/** The keys that pan, and those that zoom. */
export const scaleKeys: KeyActs = { ...zoomKeys, ArrowLeft: () => panBy(-1), ArrowRight: () => panBy(1) };

/** The two ends of a range while it is dragged. */
export type Range = readonly [aUs: number, bUs: number];

interface Drag {
  readonly kind: "pan" | "range" | "moment";
  readonly x: number;
  readonly y: number;
  readonly window: TimeWindow;
  readonly top: number;
  readonly scroller: Element | null;
  moved: boolean;
}

/** Listens in `host`, in which `scale` is the element with the width and the place of the bars. The result is the range so far. */
export function useScaleInput(
  host: RefObject<HTMLElement | null>,
  scale: RefObject<Element | null>,
): ReadonlySignal<Range | null> {
  const range = useSignal<Range | null>(null);
  useLayoutEffect(() => {
    if (!host.current) return undefined;
    const controller = new AbortController();
    listen(host.current, () => scale.current?.getBoundingClientRect() ?? new DOMRect(), range, controller.signal);
    return () => controller.abort();
  }, []);
  return range;
}

function listen(host: HTMLElement, box: () => DOMRect, range: { value: Range | null }, signal: AbortSignal): void {
  const on = <K extends keyof HTMLElementEventMap>(name: K, run: (event: HTMLElementEventMap[K]) => void): void =>
    host.addEventListener(name, run, { passive: false, signal });
  let drag: Drag | null = null;
  let wasDrag = false;
  const momentOf = (event: MouseEvent): number => {
    const { left, width } = box();
    return momentAt(event.clientX - left, time.shown.value, width);
  };
  on("wheel", (event) => onWheel(event, box(), momentOf(event)));
  on("pointerdown", (event) => {
    wasDrag = false;
    drag = begin(event, box());
  });
  on("pointermove", (event) => {
    if (!drag) return;
    const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
    if (!drag.moved && Math.hypot(dx, dy) < CLICK) return;
    if (!drag.moved) host.setPointerCapture(event.pointerId);
    drag.moved = true;
    const { left, width } = box();
    if (drag.kind === "moment") time.seek(momentOf(event));
    else if (drag.kind === "range") range.value = [momentAt(drag.x - left, drag.window, width), momentOf(event)];
    else {
      time.show(panned(drag.window, -dx / Math.max(1, width), time.endUs.value));
      if (drag.scroller) drag.scroller.scrollTop = drag.top - dy;
    }
  });
  const end = (event: PointerEvent): void => {
    if (drag && !drag.moved && drag.kind === "range" && !event.shiftKey && event.type === "pointerup")
      time.seek(momentOf(event));
    if (range.value && event.type === "pointerup") time.show(between(...range.value, time.endUs.value));
    range.value = null;
    wasDrag = drag?.moved === true;
    drag = null;
  };
  on("pointerup", end);
  on("pointercancel", end);
  // The click that follows a drag must not open a row.
  host.addEventListener("click", (event) => wasDrag && event.stopPropagation(), { capture: true, signal });
}

function onWheel(event: WheelEvent, { left }: DOMRect, atUs: number): void {
  if (event.clientX < left) return;
  const factor = wheelZoom(event);
  const scroller = event.target instanceof Element ? event.target.closest(".call-rows, .flame") : null;
  const isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
  if (event.shiftKey) {
    if (scroller) scroller.scrollTop += event.deltaY === 0 ? event.deltaX : event.deltaY;
  } else if (factor !== undefined) time.show(zoomed(time.shown.value, factor, atUs, time.endUs.value));
  else if (isSideways) time.show(panned(time.shown.value, event.deltaX / 600, time.endUs.value));
  else return;
  event.preventDefault();
}

/** What a pointer begins where it is pressed. Over names and buttons it is nothing. */
function begin(event: PointerEvent, { left, right }: DOMRect): Drag | null {
  const { target, clientX: x, clientY: y } = event;
  if (event.button !== 0 || !(target instanceof Element) || x < left || x > right) return null;
  const scroller = target.closest(".call-rows, .flame");
  const isRuler = target.closest(".ruler") !== null;
  if (!isRuler && !scroller) return null;
  const kind = target.closest(".moment") ? "moment" : isRuler || event.shiftKey ? "range" : "pan";
  return { kind, x, y, window: time.shown.value, top: scroller?.scrollTop ?? 0, scroller, moved: false };
}
