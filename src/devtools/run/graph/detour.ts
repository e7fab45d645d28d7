/**
 * Paths that follow no declared dependency. They go round every bean, never under one. Pure and deterministic.
 *
 *   bean ──▶ the gap beside its column ──▶ a height that is free between the two gaps ──▶ gap ──▶ bean
 *
 * Paths to and from beans of the shelf use the free line above their row and the left border.
 */

import { LAYER_GAP, type Layout, type PlacedBean } from "./shapes.ts";

/** A point of the picture. */
export type Point = Pick<PlacedBean, "x" | "y">;

/** Left of all beans, right of the pill. */
const BORDER = -14;
const CLEARANCE = 4;
const RADIUS = 7;

/** Whether the bean is on the shelf below the columns. */
export function isShelved(layout: Layout, bean: PlacedBean): boolean {
  return bean.y >= layout.shelf;
}

/** The path to a bean from another bean, or from a point left of all beans. */
export function routeAround(layout: Layout, from: PlacedBean | Point, to: PlacedBean): string {
  const source = "id" in from ? from : undefined;
  const start = source ? leave(layout, source) : [from];
  const end = enter(layout, to);
  const [out, into] = [start.at(-1) ?? from, end[0] ?? to];
  const isDirect = source !== undefined && !isShelved(layout, source) && !isShelved(layout, to);
  const y = freeBetween(layout, out, into);
  const between = isDirect
    ? [
        { x: out.x, y },
        { x: into.x, y },
      ]
    : [
        ...(source ? toBorder(layout, source, out) : [{ x: BORDER, y: out.y }]),
        ...toBorder(layout, to, into).toReversed(),
      ];
  return roundedPath([...start, ...between, ...end]);
}

/** From the gap next to a bean, or the line above its row of the shelf, to the left border. */
function toBorder(layout: Layout, bean: PlacedBean, from: Point): Point[] {
  if (isShelved(layout, bean)) return [{ x: BORDER, y: from.y }];
  const y = freeBetween(layout, from, { x: BORDER, y: from.y });
  return [
    { x: from.x, y },
    { x: BORDER, y },
  ];
}

/** The loop of a bean that calls itself, above it, inside the gap between beans. */
export function selfLoop(bean: PlacedBean): string {
  const [x, y] = [bean.x + 40, bean.y];
  return `M${x},${y}C${x - 6},${y - 10} ${x + 34},${y - 10} ${x + 28},${y}`;
}

/** From its right end into the gap after its column; from the shelf, to the line above its row. */
function leave(layout: Layout, bean: PlacedBean): Point[] {
  const middle = { x: bean.x + bean.width, y: bean.y + bean.height / 2 };
  const side = besideShelved(layout);
  if (isShelved(layout, bean))
    return [middle, { x: middle.x + side, y: middle.y }, { x: middle.x + side, y: bean.y - side }];
  const right = Math.max(...column(layout, bean).map((b) => b.x + b.width));
  return [middle, { x: right + layout.layerGap * 0.4, y: middle.y }];
}

/** Out of the gap before its column; on the shelf, down from the line above its row. */
function enter(layout: Layout, bean: PlacedBean): Point[] {
  const middle = { x: bean.x, y: bean.y + bean.height / 2 };
  const side = besideShelved(layout);
  if (!isShelved(layout, bean)) return [{ x: bean.x - layout.layerGap * 0.4, y: middle.y }, middle];
  return [{ x: bean.x - side, y: bean.y - side }, { x: bean.x - side, y: middle.y }, middle];
}

/** Half of the free space between two beans of the shelf. */
const besideShelved = (layout: Layout): number => (layout.layerGap >= LAYER_GAP ? 8 : CLEARANCE);

const column = (layout: Layout, bean: PlacedBean): PlacedBean[] =>
  [...layout.beans.values()].filter((other) => other.layer === bean.layer && !isShelved(layout, other));

/** The free height between two points that is nearest to both. */
function freeBetween({ beans, shelf }: Layout, a: Point, b: Point): number {
  const [left, right] = [Math.min(a.x, b.x), Math.max(a.x, b.x)];
  const inTheWay = [...beans.values()].filter((bean) => bean.x < right && bean.x + bean.width > left);
  return freeHeight([a.y, b.y], inTheWay, CLEARANCE, shelf);
}

/** The height nearest to these that is clear of beans and above `below`. */
export function freeHeight(
  heights: readonly number[],
  inTheWay: readonly PlacedBean[],
  clearance: number,
  below: number = Infinity,
): number {
  const isFree = (y: number): boolean =>
    y < below && inTheWay.every((bean) => y <= bean.y - clearance || y >= bean.y + bean.height + clearance);
  const cost = (y: number): number => heights.reduce((sum, height) => sum + Math.abs(y - height), 0);
  const edges = inTheWay.flatMap((bean) => [bean.y - clearance, bean.y + bean.height + clearance]);
  const [nearest] = [...heights, ...edges].filter(isFree).sort((p, q) => cost(p) - cost(q));
  return nearest ?? -2 * clearance;
}

function roundedPath(points: readonly Point[]): string {
  const n = (value: number): string => String(Math.round(value * 10) / 10);
  const way = points.filter((p, i) => i === 0 || p.x !== points[i - 1]?.x || p.y !== points[i - 1]?.y);
  return way.reduce((d, p, i) => {
    const [before, after] = [way[i - 1], way[i + 1]];
    if (!before) return `M${n(p.x)},${n(p.y)}`;
    if (!after) return `${d}L${n(p.x)},${n(p.y)}`;
    const [a, b] = [towards(p, before), towards(p, after)];
    return `${d}L${n(a.x)},${n(a.y)}Q${n(p.x)},${n(p.y)} ${n(b.x)},${n(b.y)}`;
  }, "");
}

/** A point on the way from one to another, a corner's radius away, at most halfway. */
function towards(from: Point, to: Point): Point {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  const part = length === 0 ? 0 : Math.min(RADIUS, length / 2) / length;
  return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
}
