/**
 * Layered layout of the bean graph, left to right: a bean is left of its dependencies.
 *
 *   ids, edges ──▶ turn cycles ──▶ layers ──▶ bends ──▶ order (layout-order) ──▶ places (layout-place) ──▶ paths
 *
 * Pure and deterministic. Guarantees, each property-tested: no two beans overlap, no edge runs under a bean, every bean is
 * placed, cycles and self-loops are accepted. An edge that closes a cycle is drawn with `back: true`. Beans without any edge are
 * on a shelf below.
 */

import { orderLayers, type Vertex } from "./layout-order.ts";
import { placeVertices } from "./layout-place.ts";
import { selfLoop } from "./detour.ts";
import { LAYER_GAP, type DrawnEdge, type Layout, type PlacedBean, type Size } from "./shapes.ts";
import type { BeanEdge } from "../shapes.ts";

interface Link {
  from: number;
  to: number;
  turned: boolean;
  readonly edge: BeanEdge;
}

/** The distances between things. */
export interface Spacing {
  /** Between beans of a column. */
  readonly gap: number;
  /** Between columns, where edges run. */
  readonly layerGap: number;
  /** Between a bean and an edge that passes its column. */
  readonly bendGap: number;
  /** Between two edges that pass a column. */
  readonly lane: number;
  /** The least width of the shelf before it wraps. */
  readonly shelf: number;
  /** The most beans in a column; the rest goes to the next columns. */
  readonly rows: number;
  /** With limited columns, whether a bean is as far right as possible. */
  readonly late?: boolean;
}

/** The most readable spacing. */
export const ROOMY: Spacing = { gap: 16, layerGap: LAYER_GAP, bendGap: 12.6, lane: 15.6, shelf: 900, rows: Infinity };

/** Places every bean of `ids`; edges to other ids are left out. */
export function layout(
  ids: readonly string[],
  edges: readonly BeanEdge[],
  sizeOf: (id: string) => Size,
  spacing: Spacing = ROOMY,
): Layout {
  const sizes = ids.map(sizeOf);
  const links = toLinks(ids, edges);
  turnCycles(ids.length, links);
  const ranks = rankBeans(ids.length, links, spacing);
  const linked = new Set(links.flatMap((link) => [link.from, link.to]));
  const vertices: Vertex[] = sizes.map((s, bean) => ({ bean, rank: ranks[bean] ?? 0, ...s, up: [], down: [] }));
  const bends = new Map<string, number>();
  const chains = links.map((link) => bend(vertices, link, bends));
  const shelf = new Set([...ids.keys()].filter((bean) => !linked.has(bean)));
  const layers = orderLayers(vertices, shelf);
  const y = placeVertices(vertices, layers, spacing);
  const columns = toColumns(vertices, layers, spacing.layerGap);
  const top = Math.min(0, ...layers.flat().map((v) => (y[v] ?? 0) - (vertices[v]?.height ?? 0) / 2));
  const beans = new Map<string, PlacedBean>();
  layers.flat().forEach((v) => {
    const vertex = vertices[v];
    const id = ids[vertex?.bean ?? -1];
    if (!vertex || id === undefined) return;
    const { rank: layer, width, height } = vertex;
    beans.set(id, { id, x: columns[layer]?.x ?? 0, y: (y[v] ?? 0) - top - height / 2, width, height, layer });
  });
  const shelfIds = ids.filter((_, bean) => shelf.has(bean));
  placeShelf(beans, shelfIds, sizeOf, layers.length, spacing);
  const drawn = chains.map(({ link, chain }) => ({
    from: link.edge.from,
    to: link.edge.to,
    back: link.turned,
    d: draw(vertices, columns, chain, (v) => (y[v] ?? 0) - top),
  }));
  const all = [...beans.values()];
  return {
    beans,
    edges: [...drawn, ...selfLoops(edges, beans)],
    layers: [...layers.map((layer) => layer.flatMap((v) => ids[vertices[v]?.bean ?? -1] ?? [])), shelfIds].filter(
      (layer) => layer.length > 0,
    ),
    width: Math.max(0, ...all.map((b) => b.x + b.width)),
    height: Math.max(0, ...all.map((b) => b.y + b.height)),
    layerGap: spacing.layerGap,
    shelf: Math.min(...shelfIds.map((id) => beans.get(id)?.y ?? Infinity)),
  };
}

function toLinks(ids: readonly string[], edges: readonly BeanEdge[]): Link[] {
  const index = new Map(ids.map((id, i) => [id, i]));
  const seen = new Set<string>();
  return edges.flatMap((edge) => {
    const [from, to] = [index.get(edge.from), index.get(edge.to)];
    const key = `${edge.from}>${edge.to}`;
    if (from === undefined || to === undefined || from === to || seen.has(key)) return [];
    seen.add(key);
    return [{ from, to, turned: false, edge }];
  });
}

/** Depth-first from the sources. An edge into the current stack closes a cycle and is reversed. */
function turnCycles(size: number, links: readonly Link[]): void {
  const out: Link[][] = Array.from({ length: size }, () => []);
  const incoming = new Int32Array(size);
  for (const link of links) {
    out[link.from]?.push(link);
    incoming[link.to] = (incoming[link.to] ?? 0) + 1;
  }
  const state = new Uint8Array(size);
  const back: Link[] = [];
  const visit = (root: number): void => {
    if (state[root] !== 0) return;
    state[root] = 1;
    const stack = [{ bean: root, next: 0 }];
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const link = out[top.bean]?.[top.next++];
      if (!link) {
        state[top.bean] = 2;
        stack.pop();
      } else if (state[link.to] === 1) back.push(link);
      else if (state[link.to] === 0) {
        state[link.to] = 1;
        stack.push({ bean: link.to, next: 0 });
      }
    }
  };
  for (let bean = 0; bean < size; bean++) if (incoming[bean] === 0) visit(bean);
  for (let bean = 0; bean < size; bean++) visit(bean);
  for (const link of back) {
    [link.from, link.to] = [link.to, link.from];
    link.turned = true;
  }
}

/** Longest path from a source, then pulled right towards dependencies if that shortens more edges than it lengthens. */
function rankBeans(size: number, links: readonly Link[], { rows, late = false }: Spacing): Int32Array {
  const rank = new Int32Array(size);
  const out: Link[][] = Array.from({ length: size }, () => []);
  const open = new Int32Array(size);
  for (const link of links) {
    out[link.from]?.push(link);
    open[link.to] = (open[link.to] ?? 0) + 1;
  }
  const incoming = Int32Array.from(open);
  const order: number[] = [];
  for (let bean = 0; bean < size; bean++) if (open[bean] === 0) order.push(bean);
  for (const bean of order) {
    for (const { to } of out[bean] ?? []) {
      rank[to] = Math.max(rank[to] ?? 0, (rank[bean] ?? 0) + 1);
      open[to] = (open[to] ?? 0) - 1;
      if (open[to] === 0) order.push(to);
    }
  }
  if (rows < Infinity) return late ? limitRowsFromEnd(rank, links, rows) : limitRows(rank, links, rows);
  for (let pass = 0; pass < 4; pass++) {
    for (const bean of order.toReversed()) {
      const targets = out[bean] ?? [];
      if (targets.length <= (incoming[bean] ?? 0)) continue;
      const nearest = Math.min(...targets.map((link) => rank[link.to] ?? 0));
      rank[bean] = Math.max(rank[bean] ?? 0, nearest - 1);
    }
  }
  return rank;
}

/** As early as dependencies allow, in the first column with room. Beans without any edge need no room there. */
function limitRows(rank: Int32Array, links: readonly Pick<Link, "from" | "to">[], rows: number): Int32Array {
  const least = new Int32Array(rank.length);
  const taken: number[] = [];
  const out = new Map<number, number[]>();
  for (const { from, to } of links) out.set(from, [...(out.get(from) ?? []), to]);
  const linked = new Set(links.flatMap((link) => [link.from, link.to]));
  const order = [...linked].sort((a, b) => (rank[a] ?? 0) - (rank[b] ?? 0) || a - b);
  for (const bean of order) {
    let at = least[bean] ?? 0;
    while ((taken[at] ?? 0) >= rows) at++;
    taken[at] = (taken[at] ?? 0) + 1;
    least[bean] = at;
    for (const to of out.get(bean) ?? []) least[to] = Math.max(least[to] ?? 0, at + 1);
  }
  return least;
}

/** The same from the other end: each bean is as late as its dependents allow. */
function limitRowsFromEnd(rank: Int32Array, links: readonly Link[], rows: number): Int32Array {
  const mirrored = links.map(({ from, to }) => ({ from: to, to: from }));
  const depth = rank.map((_, bean) => -(rank[bean] ?? 0));
  const found = limitRows(depth, mirrored, rows);
  const last = Math.max(0, ...found);
  const linked = new Set(links.flatMap((link) => [link.from, link.to]));
  return found.map((at, bean) => (linked.has(bean) ? last - at : 0));
}

/** Adds one bend for every layer that a link passes, and joins the chain; links of one bean share theirs. */
function bend(vertices: Vertex[], link: Link, bends: Map<string, number>): { link: Link; chain: number[] } {
  const chain = [link.from];
  const [first, last] = [vertices[link.from]?.rank ?? 0, vertices[link.to]?.rank ?? 0];
  for (let rank = first + 1; rank < last; rank++) {
    const key = `${link.from} ${rank} ${link.turned}`;
    const known = bends.get(key) ?? vertices.push({ bean: -1, rank, width: 0, height: 0, up: [], down: [] }) - 1;
    bends.set(key, known);
    chain.push(known);
  }
  chain.push(link.to);
  for (let i = 1; i < chain.length; i++) {
    const [above, below] = [chain[i - 1] ?? 0, chain[i] ?? 0];
    if (vertices[above]?.down.includes(below) === true) continue;
    vertices[above]?.down.push(below);
    vertices[below]?.up.push(above);
  }
  return { link, chain };
}

interface Column {
  readonly x: number;
  readonly width: number;
}

function toColumns(vertices: readonly Vertex[], layers: readonly number[][], gap: number): Column[] {
  let x = 0;
  return layers.map((layer) => {
    const width = Math.max(0, ...layer.map((v) => vertices[v]?.width ?? 0));
    const column = { x, width };
    x += width + gap;
    return column;
  });
}

function placeShelf(
  beans: Map<string, PlacedBean>,
  ids: readonly string[],
  sizeOf: (id: string) => Size,
  layer: number,
  { gap, shelf }: Spacing,
): void {
  const bottom = Math.max(0, ...[...beans.values()].map((b) => b.y + b.height + 2 * gap));
  const right = Math.max(shelf, ...[...beans.values()].map((b) => b.x + b.width));
  let [x, y, rowHeight] = [0, bottom, 0];
  for (const id of ids) {
    const { width, height } = sizeOf(id);
    if (x > 0 && x + width > right) [x, y, rowHeight] = [0, y + rowHeight + gap, 0];
    beans.set(id, { id, x, y, width, height, layer });
    x += width + gap;
    rowHeight = Math.max(rowHeight, height);
  }
}

/** Level inside a column, one curve with level ends in each gap, so that nothing can run under a bean. */
function draw(
  vertices: readonly Vertex[],
  columns: readonly Column[],
  chain: readonly number[],
  yOf: (v: number) => number,
): string {
  const n = (value: number): string => String(Math.round(value * 10) / 10);
  let d = "";
  chain.forEach((v, i) => {
    const vertex = vertices[v];
    const column = columns[vertex?.rank ?? 0] ?? { x: 0, width: 0 };
    const [y, right] = [yOf(v), column.x + column.width];
    if (i === 0) {
      d = `M${n(column.x + (vertex?.width ?? 0))},${n(y)}H${n(right)}`;
      return;
    }
    const before = columns[vertices[chain[i - 1] ?? 0]?.rank ?? 0] ?? { x: 0, width: 0 };
    const fromY = yOf(chain[i - 1] ?? 0);
    const middle = (before.x + before.width + column.x) / 2;
    d +=
      Math.abs(fromY - y) < 0.5
        ? `H${n(column.x)}`
        : `C${n(middle)},${n(fromY)} ${n(middle)},${n(y)} ${n(column.x)},${n(y)}`;
    if (i < chain.length - 1) d += `H${n(right)}`;
  });
  return d;
}

/** A bean that depends on itself gets a small loop above it, inside the gap. */
function selfLoops(edges: readonly BeanEdge[], beans: ReadonlyMap<string, PlacedBean>): DrawnEdge[] {
  return edges.flatMap(({ from, to }) => {
    const bean = beans.get(from);
    return from !== to || !bean ? [] : [{ from, to, back: false, d: selfLoop(bean) }];
  });
}
