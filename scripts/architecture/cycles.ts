/**
 * Import cycles, type-only imports included: each strongly connected component is one finding.
 */
import type { Source } from "./source.ts";

/** One sentence a cycle, naming a shortest way round it. */
export function cycleFindings(sources: readonly Source[]): readonly string[] {
  const graph = new Map(sources.map(({ path, imports }) => [path, imports.flatMap(({ target }) => target ?? [])]));
  const seen = new Set<string>();
  return [...graph.keys()].toSorted().flatMap((path) => {
    if (seen.has(path)) return [];
    const cycle = shortestWayBack(path, graph);
    if (!cycle) return [];
    for (const member of cycle) seen.add(member);
    return [`import cycle: ${cycle.join(" → ")}`];
  });
}

/** Breadth first from `start` until an import leads back to it. */
function shortestWayBack(start: string, graph: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const visited = new Set<string>();
  let ways: readonly (readonly string[])[] = [[start]];
  while (ways.length > 0) {
    const next: (readonly string[])[] = [];
    for (const way of ways) {
      for (const target of graph.get(way.at(-1) ?? start) ?? []) {
        if (target === start) return [...way, start];
        if (visited.has(target)) continue;
        visited.add(target);
        next.push([...way, target]);
      }
    }
    ways = next;
  }
  return undefined;
}
