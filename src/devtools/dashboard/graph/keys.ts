/**
 * Keys of the graph: arrows walk dependencies (left, right) and layers (up, down), Enter opens, Esc closes.
 */

import { store } from "../store/browser.ts";
import type { Layout } from "./shapes.ts";

/** What the keys can do besides selecting. */
export interface GraphHands {
  readonly fit: (all?: boolean) => void;
  readonly show: (id: string) => void;
  readonly zoom: (factor: number) => void;
}

/** Handles a key press inside the graph. */
export function graphKey(event: KeyboardEvent, layout: Layout, hands: GraphHands): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const current = document.activeElement?.closest("[data-bean]")?.getAttribute("data-bean") ?? undefined;
  const simple: Record<string, () => void> = {
    f: () => hands.fit(),
    "0": () => hands.fit(true),
    "+": () => hands.zoom(1.25),
    "=": () => hands.zoom(1.25),
    "-": () => hands.zoom(0.8),
    Escape: () => store.selectBean(null),
  };
  const act = simple[event.key];
  if (act !== undefined) {
    event.preventDefault();
    return act();
  }
  if ((event.key === "Enter" || event.key === " ") && current !== undefined) {
    event.preventDefault();
    return store.selectBean(current);
  }
  const next = target(event.key, layout, current);
  if (next === undefined) return;
  event.preventDefault();
  if (event.currentTarget instanceof Element)
    event.currentTarget.querySelector<SVGGElement>(`[data-bean="${CSS.escape(next)}"] .handle`)?.focus();
  hands.show(next);
}

function target(key: string, layout: Layout, current: string | undefined): string | undefined {
  const home = store.entries.value.find((id) => layout.beans.has(id)) ?? layout.layers[0]?.[0];
  if (key === "Home") return home;
  if (!key.startsWith("Arrow")) return undefined;
  const from = current === undefined ? undefined : layout.beans.get(current);
  if (current === undefined || from === undefined) return home;
  const nearest = (ids: readonly string[]): string | undefined =>
    ids.flatMap((id) => layout.beans.get(id) ?? []).sort((a, b) => Math.abs(a.y - from.y) - Math.abs(b.y - from.y))[0]
      ?.id;
  const { edges } = store.graph.value;
  if (key === "ArrowRight") return nearest(edges.filter((e) => e.from === current).map((e) => e.to));
  if (key === "ArrowLeft") return nearest(edges.filter((e) => e.to === current).map((e) => e.from));
  const layer = layout.layers.find((ids) => ids.includes(current)) ?? [];
  return layer[layer.indexOf(current) + (key === "ArrowDown" ? 1 : -1)];
}
