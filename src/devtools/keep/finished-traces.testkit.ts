/** Small traces for a store, each of a GET that did nothing, and the garbage collector, for those that it releases. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { FinishedTrace, UnnumberedTrace } from "../record/finished-trace.ts";

/** An ended run with a memory of 1 byte, unless `sizes` overrides it. */
export const finishedOf = (
  members: Partial<UnnumberedTrace> = {},
  sizes: Partial<Omit<FinishedTrace, "trace">> = {},
): FinishedTrace => ({
  trace: {
    id: "a",
    correlationId: null,
    method: "GET",
    path: "/",
    route: null,
    status: 200,
    startedAt: 0,
    durationUs: 1,
    aborted: false,
    calls: [],
    leaves: [],
    error: null,
    request: { pathParams: {}, query: {}, headers: {}, body: null },
    response: { headers: {}, body: null, bytes: 1 },
    ...members,
  },
  bytes: 1,
  payloadBytes: 0,
  dropped: { count: 0, leaves: 0 },
  ...sizes,
});

/** Runs a full garbage collection. */
export function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}
