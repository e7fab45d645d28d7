/**
 * The places of groups in three columns, and the lines between them. Pure.
 *
 *   features │ shared │ base        a narrow picture has one column and no lines
 *      ├──────────┤       lines to a neighbouring column are curves; those past a column run through a gap between its boxes,
 *      └──────────────┤   all to one target together
 */

import { columns, type BeanFolder, type FolderEdge } from "./groups.ts";

/** The place of a group, in pixels. */
export interface FolderPlace {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A drawn edge; `d` is an SVG path. */
export interface FolderLine extends FolderEdge {
  readonly d: string;
}

/** The picture. */
export interface Placing {
  readonly places: ReadonlyMap<string, FolderPlace>;
  readonly lines: readonly FolderLine[];
  readonly height: number;
  /** The columns, one in a narrow picture. */
  readonly heads: readonly (Pick<FolderPlace, "x" | "width"> & Pick<BeanFolder, "column">)[];
  /** Whether there is room for columns. */
  readonly isWide: boolean;
}

/** The heights of a group, and of a bean in an open one, in pixels. */
export const HEIGHTS = { row: 46, card: 92, bean: 24, end: 6 } as const;
const GAP = { row: 8, card: 22, most: 84 } as const;
/** The columns' shares of the width. */
const SHARES = { feature: 0.5, shared: 0.18, base: 0.16 } as const;
/** How far a line between groups of a column bends out of it. */
const BEND = 28;
/** The least width with columns. */
const WIDE = 760;

/** The height of a group, which is a row or a card. */
export function folderHeight(beans: number, isOpen: boolean, isCard: boolean): number {
  return (isCard ? HEIGHTS.card : HEIGHTS.row) + (isOpen ? beans * HEIGHTS.bean + HEIGHTS.end : 0);
}

/** Places groups, in their order, on so many pixels of width. */
export function placing(
  folders: readonly BeanFolder[],
  edges: readonly FolderEdge[],
  opened: ReadonlySet<string>,
  width: number,
): Placing {
  const used = columns.filter((name) => folders.some(({ column }) => column === name));
  const isWide = width >= WIDE && used.length > 1;
  const heightOf = ({ name, column, beans }: BeanFolder): number =>
    folderHeight(beans.length, opened.has(name), isWide && column !== "feature");
  const places = new Map<string, FolderPlace>();
  const heads: Placing["heads"][number][] = [];
  const widthOf = (column: BeanFolder["column"]): number => (isWide ? Math.round(SHARES[column] * width) : width);
  const between = (width - used.reduce((sum, column) => sum + widthOf(column), 0)) / (used.length - 1);
  let [x, height] = [0, 0];
  for (const column of isWide ? used : used.slice(0, 1)) {
    const list = isWide ? folders.filter((one) => one.column === column) : inOrder(folders);
    const own = list.reduce((sum, folder) => sum + heightOf(folder), 0);
    const spread = Math.min(GAP.most, (height - own) / Math.max(1, list.length - 1));
    const gap = column === "feature" || !isWide ? GAP.row : Math.max(GAP.card, spread);
    const head = { column, x, width: widthOf(column) };
    let y = 0;
    for (const folder of list) {
      places.set(folder.name, { x, y, width: head.width, height: heightOf(folder) });
      y += heightOf(folder) + gap;
    }
    heads.push(head);
    height = Math.max(height, y - gap);
    x += head.width + between;
  }
  const middle = folders.flatMap(({ name, column }) => (column === "shared" ? (places.get(name) ?? []) : []));
  const lines = isWide ? edges.flatMap((edge) => lineOf(edge, places, middle, width)) : [];
  return { places, lines, height, heads, isWide };
}

/** By column. */
const inOrder = (folders: readonly BeanFolder[]): BeanFolder[] =>
  folders.toSorted((a, b) => columns.indexOf(a.column) - columns.indexOf(b.column));

const HEAD = HEIGHTS.row / 2;

function lineOf(
  edge: FolderEdge,
  places: ReadonlyMap<string, FolderPlace>,
  middle: readonly FolderPlace[],
  width: number,
): readonly FolderLine[] {
  const ends = [places.get(edge.from), places.get(edge.to)].flatMap((place) => place ?? []);
  const [a, b] = ends.toSorted((one, other) => one.x - other.x);
  if (!a || !b) return [];
  const [x1, y1, y2] = [a.x + a.width, a.y + HEAD, b.y + HEAD];
  if (a.x === b.x) {
    // At its left if there is no room at its right.
    const [x, bend] = x1 + BEND > width ? [a.x, a.x - BEND] : [x1, x1 + BEND];
    return [{ ...edge, d: `M${x},${y1}C${bend},${y1} ${bend},${y2} ${x},${y2}` }];
  }
  const x2 = b.x;
  const past = middle.filter(({ x }) => x > x1 && x < x2);
  const [first] = past;
  if (!first) return [{ ...edge, d: `M${x1},${y1}${curve(x1, y1, x2, y2)}` }];
  const lane = gapsOf(past).toSorted((one, other) => Math.abs(one - y2) - Math.abs(other - y2))[0] ?? y2;
  const [from, to] = [first.x, first.x + first.width];
  return [{ ...edge, d: `M${x1},${y1}${curve(x1, y1, from, lane)}H${to}${curve(to, lane, x2, y2)}` }];
}

/** The middles of the gaps between boxes, and one place below the last. */
function gapsOf(boxes: readonly FolderPlace[]): number[] {
  return boxes.map((box, i) => {
    const end = box.y + box.height;
    const next = boxes[i + 1];
    return next ? (end + next.y) / 2 : end + GAP.card / 2;
  });
}

function curve(x1: number, y1: number, x2: number, y2: number): string {
  const middle = (x1 + x2) / 2;
  return `C${middle},${y1} ${middle},${y2} ${x2},${y2}`;
}
