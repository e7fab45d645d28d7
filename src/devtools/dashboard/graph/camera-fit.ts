/**
 * Where the camera stands to show a route: as near as it can without a bean under what lies over the graph.
 *
 *   legend, tools, footer (data-over-graph) ──▶ the roomiest margins under which no bean is covered ──▶ camera
 */

import { fitRoute, isCovered } from "./geometry.ts";
import type { Box, Camera, Entry } from "./geometry.ts";
import type { Layout } from "./shapes.ts";

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

/** The camera for these beans of a picture; null without any. */
export function bestFit(host: HTMLElement, layout: Layout, ids: readonly string[], entry: Entry | null): Camera | null {
  const screen = { width: host.clientWidth, height: host.clientHeight };
  const boxes = coveredBy(host);
  const right = layout.beans.size >= MINIMAP_FROM && ids.length < layout.beans.size ? MINIMAP_ROOM : MARGINS.right;
  for (const room of TIGHT) {
    const at = fitRoute(layout, ids, entry, screen, { ...MARGINS, ...room, right });
    if (at !== null && !isCovered(layout, at, boxes)) return at;
  }
  return fitRoute(layout, ids, entry, screen, { ...MARGINS, right });
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
