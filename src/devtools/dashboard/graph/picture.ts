/**
 * The picture of the graph as it is shown: laid out, with the entry pill and the way of every bold edge.
 */

import { computed } from "@preact/signals";
import { beanSize, PILL, placeEntry } from "./geometry.ts";
import type { Entry } from "./geometry.ts";
import { store } from "../store/browser.ts";
import { layout } from "./layout.ts";
import type { Layout } from "./layout.ts";
import { edgeKey, ENTRY } from "../store/path.ts";
import type { PathEdge } from "../store/path.ts";

/** The picture of the beans that are shown. */
export const picture = computed(() =>
  layout(store.shown.value, store.graph.value.edges, (id) => beanSize(store.beans.value.get(id))),
);

/** The entry pill of the selected route. */
export const entry = computed(() => placeEntry(picture.value, store.entries.value));

/** Where a bold edge runs. */
export interface BoldPath {
  readonly d: string;
  /** Drawn against its direction, since it closes a cycle. */
  readonly back: boolean;
}

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
