/**
 * Reach: what of the bean graph can be got to from where. Pure.
 *
 * Spec: spec/graph.md
 */
import type { BeanGraph } from "./shapes.ts";

/** Dependencies by bean: of each, or with `reverse` those that use it. */
export function neighbours(graph: BeanGraph, reverse = false): Map<string, string[]> {
  const map = new Map<string, string[]>(graph.nodes.map((node) => [node.id, []]));
  for (const { from, to } of graph.edges) map.get(reverse ? to : from)?.push(reverse ? from : to);
  return map;
}

/** Every bean reachable from the entry beans, themselves included. */
export function reachable(graph: BeanGraph, entries: readonly string[]): Set<string> {
  const next = neighbours(graph);
  const found = new Set(entries.filter((id) => next.has(id)));
  for (const id of found) for (const to of next.get(id) ?? []) found.add(to);
  return found;
}
