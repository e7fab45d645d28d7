/** Runs to search, made of a few members; the others are those of an ordinary request. */
import type { Call, Trace } from "../shapes.ts";

/** A run of `GET /orders/7`. */
export function runOf(members: Partial<Trace> = {}): Trace {
  return {
    instance: "b7a1",
    id: "req-1",
    sequence: 1,
    correlationId: null,
    method: "GET",
    path: "/orders/7",
    route: "/orders/{id}",
    status: 200,
    startedAt: 1_764_000_000_000,
    durationUs: 12_000,
    aborted: false,
    request: { pathParams: { id: "7" }, query: {}, headers: { accept: ["application/json"] }, body: null },
    response: { headers: { "content-type": ["application/json"] }, body: { id: 7, total: 120 }, bytes: 20 },
    calls: [],
    droppedCalls: 0,
    leaves: [],
    droppedLeaves: 0,
    error: null,
    ...members,
  };
}

/** A call without arguments that returns null. */
export function callOf(id: number, bean: string, method: string, members: Partial<Call> = {}): Call {
  return {
    id,
    parentId: id === 0 ? null : 0,
    depth: id === 0 ? 0 : 1,
    bean,
    declaredBy: bean,
    stereotype: "service",
    method,
    args: [],
    result: null,
    error: null,
    startUs: id * 100,
    durationUs: 1e3,
    async: false,
    ...members,
  };
}
