/**
 * Controls which part of the graph is on screen by wheel, drag, fit and reveal. Writes two attributes a frame and renders
 * nothing.
 */

import { clamp } from "../../run/format.ts";
import { wantsNoMotion } from "../page/motion.ts";
import { wheelZoom } from "../page/wheel.ts";
import { fitRoute, MARGINS, zoomCamera, type Camera, type Entry } from "../../run/graph/geometry.ts";
import type { Layout, PlacedBean, Size } from "../../run/graph/shapes.ts";

/** Moves the camera. */
export interface Viewport {
  /** Shows these beans; `floor` is the smallest scale, from then on for every zoom too. */
  readonly fit: (layout: Layout, ids: Iterable<string>, entry: Entry | null, floor?: number) => void;
  /** Restores an earlier camera; `floor` as for `fit`. */
  readonly place: (camera: Camera, floor?: number) => void;
  readonly reveal: (bean: PlacedBean | undefined) => void;
  readonly zoom: (factor: number) => void;
  /** Brings a point of the picture to the middle of the screen. */
  readonly center: (x: number, y: number) => void;
  readonly stop: () => void;
}

/** Below this scale texts are left out. */
const FAR = 0.38;
const MOVE_MS = 320;
/** From this number of beans, the right border is kept free for the minimap. */
export const MINIMAP_FROM = 31;
const MINIMAP_ROOM = 190;

/** Controls the camera of a host element and the groups drawn in it; `onMove` is called with every move. */
export function createViewport(
  host: HTMLElement,
  groups: readonly SVGGElement[],
  onMove: (camera: Camera, screen: Size, byHand: boolean) => void = () => undefined,
): Viewport {
  let lowest: number | undefined;
  let camera: Camera = { scale: 1, x: 160, y: 80 };
  let lastFit: (() => Camera | null) | undefined;
  // Cached, because reading it from the host after a move would make the browser lay out the page in every frame.
  let screen = sizeOf(host);
  const apply = (next: Camera): void => {
    camera = next;
    for (const group of groups) group.setAttribute("transform", transformOf(next));
    host.dataset["detail"] = next.scale < FAR ? "far" : "near";
    onMove(next, screen, lastFit === undefined);
  };
  const transition = createTransition(() => camera, apply);
  const jump = (to: Camera): void => {
    transition.stop();
    lastFit = undefined;
    apply(to);
  };
  const release = listen(
    host,
    () => camera,
    jump,
    (at, factor, x, y) => zoomCamera(at, factor, x, y, lowest),
  );
  const watcher = new ResizeObserver(() => {
    screen = sizeOf(host);
    apply(lastFit?.() ?? camera);
  });
  watcher.observe(host);
  return {
    fit: (layout, ids, entry, floor) => {
      const kept = [...ids];
      lowest = floor;
      lastFit = () => bestFit(host, layout, kept, entry, floor);
      const to = lastFit();
      if (to) transition.start(to);
    },
    reveal: (bean) => {
      // Except while the camera moves, since the bean may be out of sight by its end.
      if (!bean || isInSight(bean, transition.goal() ?? camera, host)) return;
      lastFit = undefined;
      transition.start(centeredOn(bean, screen, Math.max(camera.scale, 0.75)));
    },
    center: (x, y) => jump(centered(screen, x, y, camera.scale)),
    zoom: (factor) => jump(zoomCamera(camera, factor, screen.width / 2, screen.height / 2, lowest)),
    place: (at, floor) => {
      lowest = floor;
      jump({ ...at, scale: Math.max(at.scale, floor ?? 0) });
    },
    stop: () => {
      transition.stop();
      watcher.disconnect();
      release();
    },
  };
}

/** Moves the camera smoothly, or immediately the first time and if motion is not wanted. */
function createTransition(camera: () => Camera, apply: (next: Camera) => void) {
  let frame = 0;
  let moved = false;
  let goal: Camera | undefined;
  const stop = (): void => {
    goal = undefined;
    cancelAnimationFrame(frame);
  };
  const start = (to: Camera): void => {
    stop();
    if (!moved || wantsNoMotion()) {
      moved = true;
      return apply(to);
    }
    goal = to;
    const from = camera();
    const startedAt = performance.now();
    const step = (now: number): void => {
      const part = clamp((now - startedAt) / MOVE_MS, 0, 1);
      apply(between(from, to, 1 - (1 - part) ** 3));
      if (part < 1) frame = requestAnimationFrame(step);
      else goal = undefined;
    };
    frame = requestAnimationFrame(step);
  };
  return {
    start,
    stop,
    /** The target of a moving camera, or undefined while it stands. */
    goal: () => goal,
  };
}

function transformOf({ x, y, scale }: Camera): string {
  return `translate(${x} ${y}) scale(${scale})`;
}

function sizeOf(host: HTMLElement): Size {
  return { width: host.clientWidth, height: host.clientHeight };
}

/** The camera that has a point of the picture in the middle of the screen. */
function centered(screen: Size, x: number, y: number, scale: number): Camera {
  return { scale, x: screen.width / 2 - x * scale, y: screen.height / 2 - y * scale };
}

const centeredOn = ({ x, y, width, height }: PlacedBean, screen: Size, scale: number): Camera =>
  centered(screen, x + width / 2, y + height / 2, scale);

function isInSight(bean: PlacedBean, camera: Camera, host: HTMLElement): boolean {
  const [x, y] = [bean.x * camera.scale + camera.x, bean.y * camera.scale + camera.y];
  const [width, height] = [bean.width * camera.scale, bean.height * camera.scale];
  const right = host.clientWidth - 4;
  const bottom = host.clientHeight - 4;
  return camera.scale >= 0.55 && x > 4 && y > 4 && x + width < right && y + height < bottom;
}

/** The moving camera, with `part` of the way done. */
function between(from: Camera, to: Camera, part: number): Camera {
  const mix = (a: number, b: number): number => a + (b - a) * part;
  return { scale: mix(from.scale, to.scale), x: mix(from.x, to.x), y: mix(from.y, to.y) };
}

/** Wheel and drag. Two-finger scrolling pans; a mouse wheel, or the wheel with Ctrl, zooms. */
function listen(
  host: HTMLElement,
  camera: () => Camera,
  jump: (to: Camera) => void,
  zoomed: (from: Camera, factor: number, x: number, y: number) => Camera,
): () => void {
  const controller = new AbortController();
  const on = <K extends keyof HTMLElementEventMap>(name: K, run: (event: HTMLElementEventMap[K]) => void): void =>
    host.addEventListener(name, run, { passive: false, signal: controller.signal });
  let grip: { x: number; y: number; from: Camera } | undefined;
  const letGo = (): void => (grip = undefined);
  on("wheel", (event) => {
    event.preventDefault();
    const box = host.getBoundingClientRect();
    const from = camera();
    const factor = wheelZoom(event);
    if (factor === undefined) return jump({ ...from, x: from.x - event.deltaX, y: from.y - event.deltaY });
    jump(zoomed(from, factor, event.clientX - box.left, event.clientY - box.top));
  });
  on("pointerdown", (event) => {
    if (event.button !== 0 || (event.target instanceof Element && event.target.closest(".node"))) return;
    grip = { x: event.clientX, y: event.clientY, from: camera() };
    host.setPointerCapture(event.pointerId);
  });
  on("pointermove", (event) => {
    if (grip) jump({ ...grip.from, x: grip.from.x + event.clientX - grip.x, y: grip.from.y + event.clientY - grip.y });
  });
  on("pointerup", letGo);
  on("pointercancel", letGo);
  return () => controller.abort();
}

/** The camera for these beans of a picture, as near as possible, never further away than `floor`, or null without any. */
export function bestFit(
  host: HTMLElement,
  layout: Layout,
  ids: readonly string[],
  entry: Entry | null,
  floor?: number,
): Camera | null {
  const screen = { width: host.clientWidth, height: host.clientHeight };
  const hasMap = floor === undefined && layout.beans.size >= MINIMAP_FROM && ids.length < layout.beans.size;
  return fitRoute(layout, ids, entry, screen, hasMap ? { ...MARGINS, right: MINIMAP_ROOM } : MARGINS, floor);
}
