/**
 * Calls, statements and runs for tests, short to write.
 */
import type { Call, Leaf, Trace } from "../wire.ts";

/** A call; what is not given is unremarkable. */
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

/** A statement; what is not given is unremarkable. */
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
