/**
 * Where the bold edges run: those of a path or of a comparison. Pure.
 */

import { edgeKey, ENTRY } from "../store/path.ts";
import type { PathEdge } from "../store/path.ts";
import { PILL } from "./geometry.ts";
import type { Entry } from "./geometry.ts";
import type { BoldPath, Layout } from "./shapes.ts";

/** The way of each bold edge that can be drawn, by its key. */
export function boldPaths(
  edges: ReadonlyMap<string, PathEdge>,
  drawn: Layout,
  pill: Entry | null,
): Map<string, BoldPath> {
  const own = new Map(drawn.edges.map((e) => [edgeKey(e.from, e.to), e] as const));
  const toEntry = new Map(pill?.edges.map((e) => [e.bean, e.d]));
  const result = new Map<string, BoldPath>();
  for (const [key, { from, to }] of edges) {
    const known = own.get(key);
    const d = (from === ENTRY ? toEntry.get(to) : known?.d) ?? strayPath(from, to, drawn, pill);
    if (d !== undefined) result.set(key, { d, back: known?.back ?? false });
  }
  return result;
}

/** A gentle curve for a call along no declared dependency. */
function strayPath(from: string, to: string, drawn: Layout, pill: Entry | null): string | undefined {
  const [a, b] = [drawn.beans.get(from), drawn.beans.get(to)];
  if (b === undefined || (a === undefined && from !== ENTRY)) return undefined;
  const [x1, y1] =
    a === undefined
      ? [(pill?.x ?? -148) + PILL.width, (pill?.y ?? b.y) + PILL.height / 2]
      : [a.x + a.width, a.y + a.height / 2];
  const bend = Math.max(40, Math.abs(b.x - x1) / 2);
  const y2 = b.y + b.height / 2;
  return `M${x1},${y1}C${x1 + bend},${y1} ${b.x - bend},${y2} ${b.x},${y2}`;
}
