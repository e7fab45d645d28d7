/**
 * The camera for a route or a run, as near as possible.
 */

import { fitRoute, MARGINS } from "../../run/graph/geometry.ts";
import type { Camera, Entry } from "../../run/graph/geometry.ts";
import type { Layout } from "../../run/graph/shapes.ts";

/** From this number of beans, the right border is kept free for the minimap. */
export const MINIMAP_FROM = 31;
const MINIMAP_ROOM = 190;

/** The camera for these beans of a picture, never further away than `floor`, or null without any. */
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
