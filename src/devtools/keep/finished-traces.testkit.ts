/** Traces for a store, made of little: each is of a GET that did nothing; and the collector, for those that it lets go. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { FinishedTrace, UnnumberedTrace } from "../record/finished-trace.ts";

/** A run that has ended; what it takes in memory is 1 byte unless `sizes` say otherwise. */
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

/** Runs the garbage collector, whole. */
export function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}
