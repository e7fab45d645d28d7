/**
 * The camera of the graph on the page. It follows the selection, and stays where the user has put it.
 *
 *   picture, path, step ──▶ fit, show ──▶ viewport ──▶ minimap's frame, beans out of sight, camera memory
 *
 * With a path, it is never further away than names are legible.
 */

import { useSignal, type ReadonlySignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Use } from "../store/slice.ts";
import { sceneSlice } from "./scene.ts";
import { cameraSlice } from "./camera-memory.ts";
import { LEGIBLE, unseenBeans } from "../../run/graph/geometry.ts";
import { focusNode, type CameraActions } from "./graph-keys.ts";
import { frame } from "./minimap.tsx";
import { graphSlice } from "./picture.ts";
import type { Size } from "../../run/graph/shapes.ts";
import { createViewport, type Viewport } from "./viewport.ts";

/** At least the height of a line in the footer, in pixels. */
const FOOTER_LINE = 36;

/** Moves the camera for the user. */
export interface CameraControls extends CameraActions {
  readonly find: (id: string) => void;
  readonly center: (x: number, y: number) => void;
  /** Moves to the next beans of the path that are out of sight. */
  readonly further: () => void;
}

/** Controls the camera of the element that `refs.host` refers to; `unseen` counts the beans of the path out of sight. */
export function useCamera(use: Use) {
  const refs = {
    host: useRef<HTMLDivElement>(null),
    still: useRef<SVGGElement>(null),
    moving: useRef<SVGGElement>(null),
    sight: useRef<SVGRectElement>(null),
  };
  const { picture, groups, pathBeans, screen: size, openGroupOf } = use(graphSlice);
  const { bean } = use(sceneSlice);
  const viewport = useRef<Viewport>(null);
  const unseen = useSignal<readonly string[]>([]);
  useLayoutEffect(() => {
    const [host, still, moving] = [refs.host.current, refs.still.current, refs.moving.current];
    if (!host || !still || !moving) return undefined;
    const made = createViewport(host, [still, moving], (at, screen, byHand) => {
      if (refs.sight.current) frame(refs.sight.current, at, screen, picture.value);
      if (isOther(screen, size.value)) size.value = screen;
      if (byHand) use(cameraSlice).keep(at);
      const beyond = unseenBeans(picture.value, pathBeans.value, at, screen);
      if (String(beyond) !== String(unseen.value)) unseen.value = beyond;
    });
    viewport.current = made;
    return () => made.stop();
  }, []);
  const camera = controls(use, viewport, refs.host, unseen);
  useFollow(use, viewport, camera);
  useLayoutEffect(() => {
    if (bean.value !== null) openGroupOf(bean.value);
  }, [bean.value, groups.value]);
  return { refs, camera, unseen: unseen.value.length, focus: useFocusKept(picture.value, () => refs.host.current) };
}

/**
 * Whether the room changed enough to rearrange beans. A line of the footer is not enough, because its text, such
 * as the number of beans out of sight, depends on their places, and they would move to and fro.
 */
const isOther = (now: Size, before: Size | null): boolean =>
  now.width !== before?.width || Math.abs(now.height - before.height) > FOOTER_LINE;

function floorOf(use: Use): number | undefined {
  return use(graphSlice).pathBeans.value.size > 0 ? LEGIBLE : undefined;
}

/** Shows the path, or else the reachable beans, or else everything. */
function fitTo(use: Use, viewport: RefObject<Viewport | null>, all: boolean): void {
  const { picture, pathBeans, groups, entry } = use(graphSlice);
  const near = pathBeans.value.size > 0 ? pathBeans.value : use(sceneSlice).reach.value;
  const isWhole = all || groups.value.length > 0 || !near?.size;
  viewport.current?.fit(picture.value, isWhole ? picture.value.beans.keys() : near, entry.value, floorOf(use));
}

function controls(
  use: Use,
  viewport: RefObject<Viewport | null>,
  host: RefObject<Element | null>,
  unseen: ReadonlySignal<readonly string[]>,
): CameraControls {
  const { picture } = use(graphSlice);
  const show = (id: string): void => viewport.current?.reveal(picture.value.beans.get(id));
  return {
    fit: (all = false) => {
      use(cameraSlice).forget();
      fitTo(use, viewport, all);
    },
    zoom: (factor) => viewport.current?.zoom(factor),
    center: (x, y) => viewport.current?.center(x, y),
    show,
    find: (id) => {
      // After its group has opened.
      requestAnimationFrame(() => {
        show(id);
        focusNode(host.current, id);
      });
    },
    further: () => {
      const beans = unseen.value.flatMap((id) => picture.value.beans.get(id) ?? []);
      viewport.current?.reveal(beans.sort((a, b) => a.x - b.x)[0]);
    },
  };
}

/** The camera goes to new parts of the picture, and along with the steps of the path. */
function useFollow(use: Use, viewport: RefObject<Viewport | null>, camera: CameraControls): void {
  const { picture, pathBeans } = use(graphSlice);
  const { reach, step, path } = use(sceneSlice);
  useLayoutEffect(() => {
    const kept = use(cameraSlice).kept();
    if (!kept) fitTo(use, viewport, false);
    else viewport.current?.place(kept, floorOf(use));
  }, [picture.value, reach.value, pathBeans.value]);
  useLayoutEffect(() => {
    const call = step.value === null || step.value === 0 ? undefined : path.value?.steps[step.value - 1]?.call;
    if (call) camera.show(call.bean);
  }, [step.value]);
}

/** When the focused bean leaves the picture, the focus stays in the graph. */
function useFocusKept(picture: unknown, host: () => HTMLElement | null) {
  const had = useRef(false);
  useLayoutEffect(() => {
    if (had.current && document.activeElement === document.body) host()?.focus({ preventScroll: true });
  }, [picture]);
  return {
    onFocusIn: () => {
      had.current = true;
    },
    onFocusOut: (event: FocusEvent) => {
      had.current = event.relatedTarget === null;
    },
  };
}
