/**
 * Where things stand on the canvas: text widths, the entry pill and its way to the entry beans,
 * the camera that shows a set of beans. Pure but for the measuring of text.
 */

import type { BeanNode } from "../../wire.ts";
import type { Layout, PlacedBean, Size } from "./shapes.ts";

/** Camera: screen = world × scale + offset. */
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
/** Left of the first column, where the pill stands. */
const PILL_X = -148;
const CLEARANCE = 9;
const MIN_SCALE = 0.06;
const MAX_SCALE = 1.15;

let context: CanvasRenderingContext2D | null | undefined;

/** The width of a name in the graph's font. */
export function textWidth(text: string): number {
  context ??= document.createElement("canvas").getContext("2d");
  if (context === null) return text.length * 7.5;
  context.font = '13px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace';
  return context.measureText(text).width;
}

/** The box of a bean; untraceable ones have room for their mark. */
export function beanSize(bean: BeanNode | undefined): Size {
  const name = bean?.name ?? "";
  return {
    width: Math.max(124, Math.ceil(textWidth(name)) + 62 + (bean?.traceable === false ? 18 : 0)),
    height: BEAN_HEIGHT,
  };
}

/** The pill at the left, and a way to each entry bean that runs behind no other bean. */
export function placeEntry(layout: Layout, entries: readonly string[]): Entry | null {
  const beans = entries.flatMap((id) => layout.beans.get(id) ?? []);
  const [first] = beans;
  if (first === undefined) return null;
  const corridor = (bean: PlacedBean): number => freeRow(layout, bean);
  const y = corridor(first);
  const from = PILL_X + PILL.width;
  const edges = beans.map((bean) => {
    const row = corridor(bean);
    const target = bean.y + bean.height / 2;
    const start = `M${from},${y}C${from / 2},${y} ${from / 2},${row} 0,${row}`;
    if (bean.layer === 0 || bean.x === 0)
      return { bean: bean.id, d: `M${from},${y}C${from / 2},${y} ${from / 2},${target} ${bean.x},${target}` };
    const turn = bean.x - 42;
    return { bean: bean.id, d: `${start}H${turn - 20}C${turn},${row} ${turn},${target} ${bean.x},${target}` };
  });
  return { x: PILL_X, y: y - PILL.height / 2, edges };
}

/** The height nearest to the bean at which nothing stands between it and the left border. */
function freeRow(layout: Layout, bean: PlacedBean): number {
  const middle = bean.y + bean.height / 2;
  const inTheWay = [...layout.beans.values()].filter((other) => other.x < bean.x && other.id !== bean.id);
  const isFree = (y: number): boolean => inTheWay.every((o) => y < o.y - CLEARANCE || y > o.y + o.height + CLEARANCE);
  const candidates = [middle, ...inTheWay.flatMap((o) => [o.y - CLEARANCE - 1, o.y + o.height + CLEARANCE + 1])];
  const free = candidates.filter(isFree).sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle));
  return free[0] ?? -2 * CLEARANCE;
}

/** The camera that shows these beans, the entry pill included when there is one. */
export function fitCamera(
  layout: Layout,
  ids: Iterable<string>,
  entry: Entry | null,
  screen: Size,
  margins: Margins,
): Camera | null {
  const beans = [...ids].flatMap((id) => layout.beans.get(id) ?? []);
  if (beans.length === 0) return null;
  const left = Math.min(entry?.x ?? Infinity, ...beans.map((b) => b.x));
  const right = Math.max(...beans.map((b) => b.x + b.width)) + 14;
  const top = Math.min(entry?.y ?? Infinity, ...beans.map((b) => b.y)) - 10;
  const bottom = Math.max(...beans.map((b) => b.y + b.height));
  const width = Math.max(50, screen.width - margins.left - margins.right);
  const height = Math.max(50, screen.height - margins.top - margins.bottom);
  const scale = Math.min(MAX_SCALE, Math.max(MIN_SCALE, Math.min(width / (right - left), height / (bottom - top))));
  return {
    scale,
    x: margins.left + width / 2 - ((left + right) / 2) * scale,
    y: margins.top + height / 2 - ((top + bottom) / 2) * scale,
  };
}

/** Below this scale names are hard to read. */
const LEGIBLE = 0.66;
/** How much smaller everything may be than the reachable part alone, to be shown whole. */
const WORTH = 0.72;

/** Room that is taken at each side of the screen. */
export interface Margins {
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly left: number;
}

/** A part of the screen that is taken. */
export interface Box extends Size {
  readonly x: number;
  readonly y: number;
}

/** Does a bean stand under one of these parts of the screen? */
export function isCovered(layout: Layout, camera: Camera, boxes: readonly Box[]): boolean {
  return [...layout.beans.values()].some((bean) => {
    const [x, y] = [bean.x * camera.scale + camera.x, bean.y * camera.scale + camera.y];
    const [width, height] = [bean.width * camera.scale, bean.height * camera.scale];
    return boxes.some((b) => x < b.x + b.width && b.x < x + width && y - 12 < b.y + b.height && b.y < y + height);
  });
}

/**
 * The camera for a route: everything, if that is hardly smaller than the reachable part alone, so that no bean is cut
 * at the border without need; else the reachable part.
 */
export function fitRoute(
  layout: Layout,
  ids: Iterable<string>,
  entry: Entry | null,
  screen: Size,
  margins: Margins,
): Camera | null {
  const near = fitCamera(layout, ids, entry, screen, margins);
  const all = fitCamera(layout, layout.beans.keys(), entry, screen, margins);
  if (near === null || all === null) return near;
  return all.scale >= Math.min(near.scale, LEGIBLE) && all.scale >= near.scale * WORTH ? all : near;
}

/** The camera zoomed by a factor, the given screen point staying where it is. */
export function zoomCamera(camera: Camera, factor: number, x: number, y: number): Camera {
  const scale = Math.min(2.5, Math.max(0.05, camera.scale * factor));
  const ratio = scale / camera.scale;
  return { scale, x: x - (x - camera.x) * ratio, y: y - (y - camera.y) * ratio };
}
