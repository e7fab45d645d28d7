/**
 * Moves the graph's camera: wheel, drag, fit, reveal. Writes two attributes a frame and renders nothing.
 */

import { fitRoute, isCovered, zoomCamera } from "./geometry.ts";
import type { Box, Camera, Entry } from "./geometry.ts";
import type { Layout, PlacedBean, Size } from "./layout.ts";

/** Who moves the camera. */
export interface Cameraman {
  readonly fit: (layout: Layout, ids: Iterable<string>, entry: Entry | null) => void;
  readonly reveal: (bean: PlacedBean | undefined) => void;
  readonly zoom: (factor: number) => void;
  /** Brings a point of the picture to the middle of the screen. */
  readonly center: (x: number, y: number) => void;
  readonly stop: () => void;
}

const MARGINS = { top: 56, right: 30, bottom: 54, left: 30 };
/** Tried first, from the roomiest on: what lies over the graph covers only parts of its borders. */
const TIGHT = [
  { top: 20, bottom: 16 },
  { top: 20, bottom: 54 },
  { top: 56, bottom: 16 },
] as const;
/** From this many beans on, the right border is kept free for the minimap. */
export const MINIMAP_FROM = 31;
const MINIMAP_ROOM = 190;
/** Below this scale texts are left out. */
const FAR = 0.38;
const MOVE_MS = 320;

/** Takes over the camera of a host element and the groups drawn in it; `onMove` hears of every move. */
export function createCameraman(
  host: HTMLElement,
  groups: readonly SVGGElement[],
  onMove: (camera: Camera, screen: Size) => void = () => undefined,
): Cameraman {
  let camera: Camera = { scale: 1, x: 160, y: 80 };
  let frame = 0;
  let moved = false;
  let lastFit: (() => Camera | null) | undefined;
  const apply = (next: Camera): void => {
    camera = next;
    for (const group of groups) group.setAttribute("transform", `translate(${next.x} ${next.y}) scale(${next.scale})`);
    host.dataset["detail"] = next.scale < FAR ? "far" : "near";
    onMove(next, { width: host.clientWidth, height: host.clientHeight });
  };
  const glide = (to: Camera): void => {
    cancelAnimationFrame(frame);
    const still =
      !moved || matchMedia("(prefers-reduced-motion: reduce)").matches || document.visibilityState === "hidden";
    moved = true;
    if (still) return apply(to);
    const from = camera;
    const started = performance.now();
    const step = (now: number): void => {
      const part = Math.min(1, Math.max(0, (now - started) / MOVE_MS));
      apply(between(from, to, 1 - (1 - part) ** 3));
      if (part < 1) frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
  };
  const jump = (to: Camera): void => {
    cancelAnimationFrame(frame);
    lastFit = undefined;
    apply(to);
  };
  const release = listen(host, () => camera, jump);
  const watcher = new ResizeObserver(() => apply(lastFit?.() ?? camera));
  watcher.observe(host);
  return {
    fit: (layout, ids, entry) => {
      const kept = [...ids];
      const right = layout.beans.size >= MINIMAP_FROM && kept.length < layout.beans.size ? MINIMAP_ROOM : MARGINS.right;
      lastFit = () => {
        const screen = { width: host.clientWidth, height: host.clientHeight };
        const boxes = coveredBy(host);
        const tight = TIGHT.map((room) => fitRoute(layout, kept, entry, screen, { ...MARGINS, ...room, right }));
        return (
          tight.find((at) => at !== null && !isCovered(layout, at, boxes)) ??
          fitRoute(layout, kept, entry, screen, { ...MARGINS, right })
        );
      };
      const to = lastFit();
      if (to !== null) glide(to);
    },
    reveal: (bean) => {
      if (bean === undefined) return;
      if (isInSight(bean, camera, host)) return;
      lastFit = undefined;
      const scale = Math.max(camera.scale, 0.75);
      glide({
        scale,
        x: host.clientWidth / 2 - (bean.x + bean.width / 2) * scale,
        y: host.clientHeight / 2 - (bean.y + bean.height / 2) * scale,
      });
    },
    center: (x, y) =>
      jump({
        scale: camera.scale,
        x: host.clientWidth / 2 - x * camera.scale,
        y: host.clientHeight / 2 - y * camera.scale,
      }),
    zoom: (factor) => jump(zoomCamera(camera, factor, host.clientWidth / 2, host.clientHeight / 2)),
    stop: () => {
      cancelAnimationFrame(frame);
      watcher.disconnect();
      release();
    },
  };
}

/** What lies over the graph, in its own coordinates. */
function coveredBy(host: HTMLElement): Box[] {
  const own = host.getBoundingClientRect();
  const over = host.parentElement?.querySelectorAll("[data-over-graph]") ?? [];
  return [...over].map((element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return { x: x - own.x, y: y - own.y, width, height };
  });
}

/** Can the bean be read where it stands? */
function isInSight(bean: PlacedBean, camera: Camera, host: HTMLElement): boolean {
  const [x, y] = [bean.x * camera.scale + camera.x, bean.y * camera.scale + camera.y];
  const [width, height] = [bean.width * camera.scale, bean.height * camera.scale];
  const right = host.clientWidth - 20;
  const bottom = host.clientHeight - 20;
  return camera.scale >= 0.55 && x > 20 && y > 50 && x + width < right && y + height < bottom;
}

/** The camera on its way, `part` of it done. */
function between(from: Camera, to: Camera, part: number): Camera {
  const mix = (a: number, b: number): number => a + (b - a) * part;
  return { scale: mix(from.scale, to.scale), x: mix(from.x, to.x), y: mix(from.y, to.y) };
}

/** Wheel and drag. Two-finger scrolling pans; a mouse wheel, or the wheel with Ctrl, zooms. */
function listen(host: HTMLElement, camera: () => Camera, jump: (to: Camera) => void): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  let grip: { x: number; y: number; from: Camera } | undefined;
  host.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const box = host.getBoundingClientRect();
      const from = camera();
      const zooms = event.ctrlKey || event.metaKey || event.deltaMode !== 0 || Math.abs(event.deltaY) >= 100;
      if (!zooms) return jump({ ...from, x: from.x - event.deltaX, y: from.y - event.deltaY });
      const factor = Math.exp(-event.deltaY * (event.deltaMode === 0 ? 0.0015 : 0.05));
      jump(zoomCamera(from, factor, event.clientX - box.left, event.clientY - box.top));
    },
    { passive: false, signal },
  );
  host.addEventListener(
    "pointerdown",
    (event) => {
      if (event.button !== 0 || (event.target instanceof Element && event.target.closest(".node") !== null)) return;
      grip = { x: event.clientX, y: event.clientY, from: camera() };
      host.setPointerCapture(event.pointerId);
    },
    { signal },
  );
  host.addEventListener(
    "pointermove",
    (event) => {
      if (grip !== undefined)
        jump({ ...grip.from, x: grip.from.x + event.clientX - grip.x, y: grip.from.y + event.clientY - grip.y });
    },
    { signal },
  );
  for (const name of ["pointerup", "pointercancel"] as const) {
    host.addEventListener(
      name,
      () => {
        grip = undefined;
      },
      { signal },
    );
  }
  return () => controller.abort();
}
