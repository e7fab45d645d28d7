/**
 * The bean graph: the bound types, their implementations, and the observed dependencies.
 *
 * A pure function of the container's state. Reading the graph creates nothing.
 *
 * Spec: spec/graph.md
 */
import type { BeanGraph, BeanInfo, BeanNode, UntracedReason } from "./types.ts";

/** A bean, as the graph needs it. */
export interface GraphEntry {
  readonly info: BeanInfo;
  /** Its class. Undefined until the bean exists. */
  readonly implementation: string | undefined;
  /** Why its calls are not recorded. Undefined when they are. */
  readonly reason: UntracedReason | undefined;
  /** Ids of the beans it asked for, in that order. */
  readonly dependencies: ReadonlySet<string>;
}

/** The graph of these beans, nodes in the same order. */
export function graphOf(entries: Iterable<GraphEntry>): BeanGraph {
  const nodes = Array.from(entries, nodeOf);
  return {
    nodes,
    edges: nodes.flatMap(({ id, dependencies }) => dependencies.map((to) => ({ from: id, to }))),
    unspied: nodes.filter((node) => !node.traceable).map((node) => node.id),
  };
}

function nodeOf({ info, implementation, reason, dependencies }: GraphEntry): BeanNode {
  return {
    id: info.id,
    name: info.name,
    stereotype: info.stereotype,
    implementation: implementation ?? info.name,
    traceable: reason === undefined,
    ...(reason === undefined ? {} : { reason }),
    dependencies: [...dependencies],
  };
}
