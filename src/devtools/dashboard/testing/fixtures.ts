/**
 * Traces and graphs for the tests of this folder, short to write.
 */

import type { BeanGraph, HttpDetail, Leaf } from "../../wire.ts";

/** A graph from `{ A: ["B"] }`; the beans named in `unspied` are not traceable. */
export function graphOf(
  dependencies: Readonly<Record<string, readonly string[]>>,
  unspied: readonly string[] = [],
): BeanGraph {
  const nodes = Object.entries(dependencies).map(([id, to]) => ({
    id,
    name: id,
    stereotype: "bean" as const,
    implementation: `Default${id}`,
    traceable: !unspied.includes(id),
    dependencies: to,
  }));
  return { nodes, edges: nodes.flatMap((n) => n.dependencies.map((to) => ({ from: n.id, to }))), unspied };
}

export { callOf, sqlOf, traceOf } from "../../analysis/traces.testkit.ts";

/** A line of a log. */
export function logOf(id: number, parentId: number | null, message: string, level = "info"): Leaf {
  const detail = { level, message, fields: { at: id } };
  return { id, parentId, kind: "log", name: level, detail, error: null, startUs: id * 10 + 1, durationUs: 0 };
}

/** A request; it led to the run of another service where one is given. */
export function httpOf(
  id: number,
  parentId: number | null,
  run: HttpDetail["run"],
  more: Partial<Pick<Leaf, "startUs" | "durationUs" | "error">> = {},
): Leaf {
  const detail = { method: "GET", url: "http://a/", status: 200, requestHeaders: {}, responseHeaders: {}, run };
  return {
    id,
    parentId,
    kind: "http",
    name: "GET a",
    detail,
    error: null,
    startUs: id * 10 + 1,
    durationUs: 40,
    ...more,
  };
}
