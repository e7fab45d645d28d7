/**
 * A chain of beans that is wider than the screen, continued in rows below like the lines of a text. Pure.
 *
 *   A ─▶ B ─▶ C ─▶ D ─▶ E         A ─▶ B ─▶ C ─┐
 *                          ──▶   ┌──────────────┘
 *                                └▶ D ─▶ E
 */

import { routeAround } from "./detour.ts";
import type { DrawnEdge, Layout, PlacedBean } from "./shapes.ts";

/** Between two rows, so that an edge has room between them. */
const GAP = 28;

/** The picture in rows of at most this width, or null if it is one row already, or an edge would skip a row. */
export function banded(at: Layout, room: number): Layout | null {
  if (at.shelf !== Infinity || at.width <= room) return null;
  const bandOf = bandsOf(at, room);
  const bands = bandOf.length === 0 ? 0 : Math.max(...bandOf) + 1;
  const band = ({ layer }: PlacedBean): number => bandOf[layer] ?? 0;
  const all = [...at.beans.values()];
  const starts = Array.from({ length: bands }, (_, i) =>
    all.reduce((left, bean) => (band(bean) === i ? Math.min(left, bean.x) : left), Infinity),
  );
  const shift = (bean: PlacedBean): readonly [dx: number, dy: number] => [
    -(starts[band(bean)] ?? 0),
    band(bean) * (at.height + GAP),
  ];
  const beans = new Map(
    all.map((bean) => {
      const [dx, dy] = shift(bean);
      return [bean.id, { ...bean, x: bean.x + dx, y: bean.y + dy }] as const;
    }),
  );
  const placed: Layout = {
    ...at,
    beans,
    edges: [],
    width: [...beans.values()].reduce((right, bean) => Math.max(right, bean.x + bean.width), 0),
    height: bands * (at.height + GAP) - GAP,
  };
  const edges: DrawnEdge[] = [];
  for (const edge of at.edges) {
    const [from, to] = [at.beans.get(edge.from), at.beans.get(edge.to)];
    const [a, b] = [beans.get(edge.from), beans.get(edge.to)];
    if (!from || !to || !a || !b) continue;
    const rows = band(to) - band(from);
    if (Math.abs(rows) > 1) return null;
    edges.push({ ...edge, d: rows === 0 ? moved(edge.d, ...shift(from)) : pathBetween(placed, edge, a, b) });
  }
  return { ...placed, edges };
}

/** An edge that closes a cycle is drawn against its direction. */
const pathBetween = (at: Layout, { back }: DrawnEdge, a: PlacedBean, b: PlacedBean): string =>
  back ? routeAround(at, b, a) : routeAround(at, a, b);

/** The row of each column. */
function bandsOf(at: Layout, room: number): readonly number[] {
  let [band, start] = [0, 0];
  return at.layers.map((ids) => {
    const beans = ids.flatMap((id) => at.beans.get(id) ?? []);
    const left = beans.reduce((least, { x }) => Math.min(least, x), Infinity);
    const right = beans.reduce((most, { x, width }) => Math.max(most, x + width), 0);
    if (right - start > room && left > start) [band, start] = [band + 1, left];
    return band;
  });
}

/** A path moved elsewhere. All of its commands are absolute. */
export function moved(d: string, dx: number, dy: number): string {
  return d.replace(/([A-Z])([^A-Z]*)/g, (_, command: string, rest: string) => {
    const by = command === "H" ? [dx, dx] : command === "V" ? [dy, dy] : [dx, dy];
    let i = 0;
    return (
      command + rest.replace(/-?\d+(?:\.\d+)?/g, (n) => String(Math.round((Number(n) + (by[i++ % 2] ?? 0)) * 10) / 10))
    );
  });
}
