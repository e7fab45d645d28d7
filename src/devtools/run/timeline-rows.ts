/**
 * The calls of a recorded run as rows, in entry order. Pure.
 *
 *   trace ──▶ rows: own time, on the critical path?, where an error began, which of how many equal calls, which attempt
 *
 * The page, the terminal and agents share this room, so that they show the same facts.
 */
import { byParent, endOf, selfTime, threwHere, type Interval } from "./calls.ts";
import { criticalPath } from "./critical-path.ts";
import { repeatsOf, retriesOf } from "./retries.ts";
import type { Call, Trace } from "./shapes.ts";

/** One call as a row of the timeline. */
export interface TimelineRow {
  readonly call: Call;
  readonly selfUs: number;
  /** Null while unsettled; the row then ends with the request. */
  readonly totalUs: number | null;
  readonly critical: boolean;
  readonly threw: boolean;
  /** The position among equal calls, and their number; absent if there is only one. Of several attempts, the last has it. */
  readonly repeat?: RepeatPlace | undefined;
  /** Which attempt of the same call it is; absent if it was not tried again. */
  readonly retry?: RetryPlace | undefined;
}

/** The position among equal calls. */
export interface RepeatPlace {
  readonly index: number;
  readonly count: number;
  /** The time of all calls after the first, in sum. */
  readonly repeatsUs: number;
}

/** The position among the attempts of one call. */
export interface RetryPlace {
  readonly attempt: number;
  readonly attempts: number;
}

/** Rows in entry order. */
export function timelineRows(trace: Trace): TimelineRow[] {
  const calls = [...trace.calls].sort((a, b) => a.id - b.id);
  const children = byParent(calls);
  const end = (one: Interval): number => endOf(one, trace);
  const critical = new Set(criticalPath(trace).map(({ callId }) => callId));
  const [repeats, retries] = [repeatPlaces(trace), retryPlaces(trace)];
  return calls.map((call) => ({
    call,
    selfUs: selfTime(call, children.get(call.id) ?? [], end),
    totalUs: call.durationUs,
    critical: critical.has(call.id),
    threw: threwHere(call, children.get(call.id) ?? []),
    repeat: repeats.get(call.id),
    retry: retries.get(call.id),
  }));
}

function repeatPlaces(trace: Trace): ReadonlyMap<number, RepeatPlace> {
  return new Map(
    repeatsOf(trace).flatMap(({ calls, costUs }) =>
      calls.map(({ id }, at) => [id, { index: at + 1, count: calls.length, repeatsUs: costUs }] as const),
    ),
  );
}

function retryPlaces(trace: Trace): ReadonlyMap<number, RetryPlace> {
  return new Map(
    retriesOf(trace).flatMap(({ attempts }) =>
      attempts.map(({ id }, at) => [id, { attempt: at + 1, attempts: attempts.length }] as const),
    ),
  );
}

/** ` (attempt 2 of 3)`, or nothing for a call that was not tried again. */
export function retryText(retry: RetryPlace | undefined): string {
  return retry === undefined ? "" : ` (attempt ${retry.attempt} of ${retry.attempts})`;
}
