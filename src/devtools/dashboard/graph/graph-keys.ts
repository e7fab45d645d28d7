/**
 * Keys of the graph: arrows walk dependencies (left, right) and layers (up, down), Enter opens, Esc closes.
 */

import type { Use } from "../store/slice.ts";
import { sceneSlice } from "./scene.ts";
import { graphSlice } from "./picture.ts";

/** The actions of the keys besides selecting. */
export interface CameraActions {
  readonly fit: (all?: boolean) => void;
  readonly show: (id: string) => void;
  readonly zoom: (factor: number) => void;
}

/** Handles a key press inside the graph. */
export function graphKey(use: Use, event: KeyboardEvent, camera: CameraActions): void {
  const { selectBean, open } = use(sceneSlice);
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const current = document.activeElement?.closest("[data-bean]")?.getAttribute("data-bean") ?? undefined;
  const simple: Record<string, () => void> = {
    f: () => camera.fit(),
    "0": () => camera.fit(true),
    "+": () => camera.zoom(1.25),
    "=": () => camera.zoom(1.25),
    "-": () => camera.zoom(0.8),
    Escape: () => selectBean(null),
  };
  const act = simple[event.key];
  if (act) {
    event.preventDefault();
    return act();
  }
  if ((event.key === "Enter" || event.key === " ") && current !== undefined) {
    event.preventDefault();
    return open(current);
  }
  const next = target(use, event.key, current);
  if (next === undefined) return;
  event.preventDefault();
  if (event.currentTarget instanceof Element) focusNode(event.currentTarget, next);
  camera.show(next);
}

/** Moves the focus to a bean. */
export function focusNode(graph: Element | null, id: string): void {
  graph?.querySelector<SVGGElement>(`[data-bean="${CSS.escape(id)}"] .handle`)?.focus({ preventScroll: true });
}

function target(use: Use, key: string, current: string | undefined): string | undefined {
  const { entries, graph } = use(sceneSlice);
  const layout = use(graphSlice).picture.value;
  const home = entries.value.find((id) => layout.beans.has(id)) ?? layout.layers[0]?.[0];
  if (key === "Home") return home;
  if (!key.startsWith("Arrow")) return undefined;
  const from = current === undefined ? undefined : layout.beans.get(current);
  if (current === undefined || !from) return home;
  const nearest = (ids: readonly string[]): string | undefined =>
    ids.flatMap((id) => layout.beans.get(id) ?? []).sort((a, b) => Math.abs(a.y - from.y) - Math.abs(b.y - from.y))[0]
      ?.id;
  const { edges } = graph.value;
  if (key === "ArrowRight") return nearest(edges.filter((e) => e.from === current).map((e) => e.to));
  if (key === "ArrowLeft") return nearest(edges.filter((e) => e.to === current).map((e) => e.from));
  const layer = layout.layers.find((ids) => ids.includes(current)) ?? [];
  return layer[layer.indexOf(current) + (key === "ArrowDown" ? 1 : -1)];
}
