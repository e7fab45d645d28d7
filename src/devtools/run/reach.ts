/**
 * Reach: the part of the bean graph that is reachable from given beans. Pure.
 *
 * Spec: spec/graph.md
 */
import type { BeanGraph } from "./shapes.ts";

/** Dependencies of each bean, or with `reverse` its dependents. */
export function neighbours(graph: BeanGraph, reverse = false): Map<string, string[]> {
  const map = new Map<string, string[]>(graph.nodes.map((node) => [node.id, []]));
  for (const { from, to } of graph.edges) map.get(reverse ? to : from)?.push(reverse ? from : to);
  return map;
}

/** Every bean reachable from the entry beans, including them. */
export function reachable(graph: BeanGraph, entries: readonly string[]): Set<string> {
  const next = neighbours(graph);
  const found = new Set(entries.filter((id) => next.has(id)));
  for (const id of found) for (const to of next.get(id) ?? []) found.add(to);
  return found;
}
