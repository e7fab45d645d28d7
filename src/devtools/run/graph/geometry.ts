/**
 * Geometry of the canvas: text widths, the entry pill and its paths to the entry beans, and the camera that shows a set of beans.
 * Pure, except for measuring text.
 */

import type { BeanNode } from "../shapes.ts";
import { clamp } from "../format.ts";
import { freeHeight, isShelved, routeAround } from "./detour.ts";
import { LAYER_GAP, type Layout, type PlacedBean, type Size } from "./shapes.ts";

/** A camera with screen = world × scale + offset. */
export interface Camera {
  readonly scale: number;
  readonly x: number;
  readonly y: number;
}

/** The entry pill and one path per entry bean. */
export interface Entry {
  readonly x: number;
  readonly y: number;
  readonly edges: readonly { readonly bean: string; readonly d: string }[];
}

/** Size of the entry pill. */
export const PILL: Size = { width: 92, height: 32 };
/** Height of a bean's box. */
export const BEAN_HEIGHT = 44;
/** Height of a bean's box if room is short and its count is inside. */
export const DENSE_HEIGHT = 32;
/** Height of a box with a name on two lines, if width is short too. */
export const FOLDED_HEIGHT = 47;
/** How much room beans have. Dense puts the count inside, folded puts names on two lines. */
export type Density = "roomy" | "dense" | "folded";
/** At this scale and above, the names and times of the graph are at least 11 pixels high on the screen. */
export const LEGIBLE: number = 11 / 13 + 0.001;
/** Between a bean and a path to an entry bean, in a roomy and in a dense graph. */
const CLEARANCE = 9.5;
const DENSE_CLEARANCE = 3.5;
/** Names of this length stay on one line. */
const LONG_NAME = 12;
/** The smallest scale of the camera. */
export const MIN_SCALE = 0.06;
const MAX_SCALE = 1.15;

/** The graph's font, on the page and in a picture of it. */
export const FONT = 'ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace';

let context: CanvasRenderingContext2D | null | undefined;

/** The width of a name in the graph's font. */
export function textWidth(text: string): number {
  context ??= document.createElement("canvas").getContext("2d");
  if (!context) return text.length * 7.5;
  context.font = `13px ${FONT}`;
  return context.measureText(text).width;
}

/** The box of a bean. Untraceable ones have room for their mark. */
export function beanSize(bean: BeanNode | undefined, density: Density = "roomy"): Size {
  const lines = density === "folded" ? foldName(bean?.name ?? "") : [bean?.name ?? ""];
  const name = Math.ceil(Math.max(...lines.map(textWidth))) + (bean?.traceable === false ? 18 : 0);
  if (density === "roomy") return { width: Math.max(148, name + 62), height: BEAN_HEIGHT };
  return {
    width: Math.max(density === "dense" ? 146 : 136, name + 34),
    height: lines.length > 1 ? FOLDED_HEIGHT : DENSE_HEIGHT,
  };
}

/** A long name on two lines, split at the start of a word so that the longer line is as short as possible. */
export function foldName(name: string): readonly string[] {
  if (name.length <= LONG_NAME) return [name];
  const starts = [...name.matchAll(/(?<=[^A-Z])[A-Z]|(?<=[._-])[^._-]/g)].map((match) => match.index);
  const longer = (at: number): number => Math.max(at, name.length - at);
  const [best] = starts.sort((a, b) => longer(a) - longer(b));
  return best === undefined ? [name] : [name.slice(0, best), name.slice(best)];
}

/** Left free at the borders of the graph. */
export const MARGINS: Margins = { top: 8, right: 14, bottom: 8, left: 14 };

/** The place of the pill, left of the first column. */
export function pillX({ layerGap }: Layout): number {
  return -PILL.width - (layerGap < LAYER_GAP ? layerGap - 10 : 56);
}

/** The pill at the left, and a path to each entry bean that passes under no other bean. */
export function placeEntry(layout: Layout, entries: readonly string[]): Entry | null {
  const beans = entries.flatMap((id) => layout.beans.get(id) ?? []);
  const [first] = beans;
  if (!first) return null;
  const y = freeRow(layout, first);
  const x = pillX(layout);
  const from = x + PILL.width;
  const [before, half] = [Math.round(layout.layerGap * 0.55), Math.round(layout.layerGap * 0.26)];
  const edges = beans.map((bean) => {
    const row = freeRow(layout, bean);
    const target = bean.y + bean.height / 2;
    const start = `M${from},${y}C${from / 2},${y} ${from / 2},${row} 0,${row}`;
    if (bean.layer === 0 || bean.x === 0)
      return { bean: bean.id, d: `M${from},${y}C${from / 2},${y} ${from / 2},${target} ${bean.x},${target}` };
    if (isShelved(layout, bean)) return { bean: bean.id, d: routeAround(layout, { x: from, y }, bean) };
    const turn = bean.x - before;
    return { bean: bean.id, d: `${start}H${turn - half}C${turn},${row} ${turn},${target} ${bean.x},${target}` };
  });
  return { x, y: y - PILL.height / 2, edges };
}

/** The height nearest to the bean with a free line to the left border. */
function freeRow(layout: Layout, bean: PlacedBean): number {
  const inTheWay = [...layout.beans.values()].filter((other) => other.x < bean.x);
  const clearance = layout.layerGap < LAYER_GAP ? DENSE_CLEARANCE : CLEARANCE;
  return freeHeight([bean.y + bean.height / 2], inTheWay, clearance);
}

/**
 * The camera that shows these beans, and the entry pill if there is one. If they need a smaller scale than `floor`, the
 * camera is at `floor`, at the left end of the shown part and at the height of the entry.
 */
export function fitCamera(
  layout: Layout,
  ids: Iterable<string>,
  entry: Entry | null,
  screen: Size,
  margins: Margins,
  floor: number = MIN_SCALE,
): Camera | null {
  const beans = [...ids].flatMap((id) => layout.beans.get(id) ?? []);
  if (beans.length === 0) return null;
  const left = Math.min(entry?.x ?? Infinity, ...beans.map((b) => b.x));
  const right = Math.max(...beans.map((b) => b.x + b.width)) + 14;
  const top = Math.min(entry?.y ?? Infinity, ...beans.map((b) => b.y)) - 12;
  const bottom = Math.max(entry ? entry.y + PILL.height : -Infinity, ...beans.map((b) => b.y + b.height));
  const width = Math.max(50, screen.width - margins.left - margins.right);
  const height = Math.max(50, screen.height - margins.top - margins.bottom);
  const scale = clamp(Math.min(width / (right - left), height / (bottom - top)), floor, MAX_SCALE);
  const middle = entry ? entry.y + PILL.height / 2 : (top + bottom) / 2;
  const reach = height / scale / 2;
  const y = (bottom - top) * scale <= height ? (top + bottom) / 2 : clamp(middle, top + reach, bottom - reach);
  return {
    scale,
    x:
      (right - left) * scale <= width
        ? margins.left + width / 2 - ((left + right) / 2) * scale
        : margins.left - left * scale,
    y: margins.top + height / 2 - y * scale,
  };
}

/** Below this scale names are hard to read. */
const READABLE = 0.66;
/** Everything is shown if its scale is at least this share of the reachable part's scale. */
const WORTH = 0.72;

/** Room that is taken at each side of the screen. */
export interface Margins {
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly left: number;
}

/**
 * The camera for a route. It shows everything if that is hardly smaller than the reachable part alone, so that no bean is
 * cut off at the border without need; otherwise the reachable part.
 */
export function fitRoute(
  layout: Layout,
  ids: Iterable<string>,
  entry: Entry | null,
  screen: Size,
  margins: Margins,
  floor: number = MIN_SCALE,
): Camera | null {
  const near = fitCamera(layout, ids, entry, screen, margins, floor);
  const all = fitCamera(layout, layout.beans.keys(), entry, screen, margins);
  if (!near || !all) return near;
  return all.scale >= Math.min(near.scale, Math.max(READABLE, floor)) && all.scale >= near.scale * WORTH ? all : near;
}

/** The beans among these that are not wholly on the screen. */
export function unseenBeans(layout: Layout, ids: ReadonlySet<string>, camera: Camera, screen: Size): readonly string[] {
  const { scale, x, y } = camera;
  return [...ids].filter((id) => {
    const bean = layout.beans.get(id);
    if (!bean) return false;
    const [left, top] = [bean.x * scale + x, bean.y * scale + y];
    const [right, bottom] = [left + bean.width * scale, top + bean.height * scale];
    return left < 0 || top < 0 || right > screen.width || bottom > screen.height;
  });
}

/** The camera zoomed by a factor around the given screen point, out to `floor` at most. */
export function zoomCamera(camera: Camera, factor: number, x: number, y: number, floor = 0.05): Camera {
  const scale = clamp(camera.scale * factor, floor, 2.5);
  const ratio = scale / camera.scale;
  return { scale, x: x - (x - camera.x) * ratio, y: y - (y - camera.y) * ratio };
}
