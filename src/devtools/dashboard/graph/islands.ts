/**
 * Other services next to the application's own beans. Each is an island with a frame and its name, right of everything
 * else and at the height of the bean that leads to it. Pure.
 */

import { moved } from "../../run/graph/bands.ts";
import { textWidth } from "../../run/graph/geometry.ts";
import type { DrawnEdge, Island, Layout, PlacedBean } from "../../run/graph/shapes.ts";

/** Between an island and its left neighbour, with room for edges to turn. */
const GAP = 72;
const PADDING = 14;
/** For the name above the beans. */
const LABEL = 22;

/** A service to draw. */
export interface Service {
  readonly name: string;
  /** Its own beans, laid out alone. */
  readonly layout: Layout;
  readonly from: string | null;
}

/** How much wider islands make the picture. */
export const islandsWidth = (services: readonly Service[]): number =>
  services.reduce((sum, service) => sum + frameSize(service).width + GAP, 0);

/** The picture with the islands. */
export function withIslands(own: Layout, services: readonly Service[]): Layout {
  return services.reduce(addIsland, own);
}

function frameSize({ name, layout }: Service): { readonly width: number; readonly height: number } {
  const width = Math.max(layout.width, textWidth(name)) + 2 * PADDING;
  return { width, height: layout.height + 2 * PADDING + LABEL };
}

function addIsland(at: Layout, service: Service): Layout {
  const { name, layout, from } = service;
  const { width, height } = frameSize(service);
  const bean = from === null ? undefined : at.beans.get(from);
  const middle = bean ? bean.y + bean.height / 2 : at.height / 2;
  // An island below the top of the shelf would look like a part of it.
  const lowest = Math.min(at.shelf, Math.max(at.height, height)) - height;
  const frame: Island = {
    name,
    x: at.width + GAP,
    y: Math.max(0, Math.min(middle - height / 2, lowest)),
    width,
    height,
  };
  const [dx, dy] = [frame.x + PADDING, frame.y + PADDING + LABEL];
  const layers = at.layers.length;
  const beans = [...layout.beans.values()].map((one): PlacedBean => ({
    ...one,
    x: one.x + dx,
    y: one.y + dy,
    layer: one.layer + layers,
  }));
  return {
    ...at,
    width: frame.x + width,
    height: Math.max(at.height, frame.y + height),
    beans: new Map([...at.beans, ...beans.map((one) => [one.id, one] as const)]),
    edges: [...at.edges, ...layout.edges.map((edge): DrawnEdge => ({ ...edge, d: moved(edge.d, dx, dy) }))],
    layers: [...at.layers, ...layout.layers],
    islands: [...(at.islands ?? []), frame],
  };
}
