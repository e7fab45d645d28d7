/**
 * Calls, statements and runs for tests, short to write.
 */
import type { BeanGraph, Call, HttpDetail, Leaf, Trace } from "./shapes.ts";

/** A call with defaults. */
export function callOf(id: number, parentId: number | null, bean: string, more: Partial<Call> = {}): Call {
  return {
    id,
    parentId,
    bean,
    depth: parentId === null ? 0 : 1,
    declaredBy: bean,
    stereotype: "bean",
    method: "run",
    args: [id],
    result: null,
    error: null,
    startUs: id * 10,
    durationUs: 5,
    async: false,
    ...more,
  };
}

type LeafProps = Partial<Pick<Leaf, "startUs" | "durationUs" | "error">>;

/** A statement with defaults. */
export function sqlOf(id: number, parentId: number | null, statement: string, more: LeafProps = {}): Leaf {
  const detail = { system: "sqlite", statement, parameters: [id], rows: 1 };
  return {
    id,
    parentId,
    kind: "sql",
    name: "SELECT",
    detail,
    error: null,
    startUs: id * 10 + 1,
    durationUs: 2,
    ...more,
  };
}

/** A trace of `GET /x/{id}`. */
export function traceOf(calls: readonly Call[], more: Partial<Trace> = {}): Trace {
  return {
    instance: "i1",
    id: "r1",
    sequence: 1,
    correlationId: null,
    method: "GET",
    path: "/x/1",
    route: "/x/{id}",
    status: 200,
    startedAt: 1_000,
    durationUs: 100,
    aborted: false,
    request: { pathParams: { id: "1" }, query: {}, headers: {}, body: null },
    response: { headers: {}, body: null, bytes: 0 },
    calls,
    droppedCalls: 0,
    leaves: [],
    droppedLeaves: 0,
    error: null,
    ...more,
  };
}

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

/** A log line. */
export function logOf(id: number, parentId: number | null, message: string, level = "info"): Leaf {
  const detail = { level, message, fields: { at: id } };
  return { id, parentId, kind: "log", name: level, detail, error: null, startUs: id * 10 + 1, durationUs: 0 };
}

/** A request. It leads to a run of another service if one is given. */
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
