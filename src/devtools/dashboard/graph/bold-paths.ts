/**
 * The paths of the bold edges of a run or of a comparison. Pure.
 */

import { edgeKey, ENTRY, type PathEdge } from "../store/path.ts";
import { routeAround, selfLoop } from "../../run/graph/detour.ts";
import { PILL, pillX, type Entry } from "../../run/graph/geometry.ts";
import type { BoldPath, Layout } from "../../run/graph/shapes.ts";

/** The path of each drawable bold edge, by its key. */
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

/** The path of a call along no declared dependency: round every bean, or a loop if a bean called itself. */
function strayPath(from: string, to: string, drawn: Layout, pill: Entry | null): string | undefined {
  const [a, b] = [drawn.beans.get(from), drawn.beans.get(to)];
  if (!b || (!a && from !== ENTRY)) return undefined;
  if (from === to) return selfLoop(b);
  const x = (pill?.x ?? pillX(drawn)) + PILL.width;
  return routeAround(drawn, a ?? { x, y: pill ? pill.y + PILL.height / 2 : b.y + b.height / 2 }, b);
}
