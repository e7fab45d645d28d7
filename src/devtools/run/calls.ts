/**
 * Self time, the critical path, repeated calls and retries of a recorded run. Pure.
 *
 *   trace ──▶ rows: own time, on the critical path?, where an error began, which of how many equal calls, which attempt
 *
 * Self time is a call's own duration minus the union of its children's intervals, so children that overlap (Promise.all) are not
 * subtracted twice. An equal call that begins after one that threw is a retry, and an equal call after one that succeeded is a
 * repeat. The page, the terminal and agents share this room, so that they show the same facts.
 */
import { criticalPath } from "./critical-path.ts";
import type { Call, Json, Leaf, Trace } from "./shapes.ts";
import { REDACTED } from "./wire.ts";
import { groupBy } from "./values.ts";

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
  /** The time of all attempts after the first, in sum. */
  readonly retriesUs: number;
}

/** Rows in entry order. */
export function timelineRows(trace: Trace): TimelineRow[] {
  const calls = [...trace.calls].sort((a, b) => a.id - b.id);
  const children = byParent(calls);
  const end = (one: Interval): number => endOf(one, trace);
  const critical = new Set(criticalPath(trace).map(({ callId }) => callId));
  const equal = equalCalls(trace, calls);
  return calls.map((call) => ({
    call,
    selfUs: selfTime(call, children.get(call.id) ?? [], end),
    totalUs: call.durationUs,
    critical: critical.has(call.id),
    threw: threwHere(call, children.get(call.id) ?? []),
    ...equal.get(call.id),
  }));
}

/** Calls or leaves by the call around them, or null for direct children of the run. */
export const byParent = <T extends Pick<Call, "parentId">>(items: readonly T[]): Map<number | null, T[]> =>
  groupBy(items, ({ parentId }) => parentId);

/** The call around a leaf. */
export function callerOf(leaf: Leaf, calls: ReadonlyMap<number, Call>): Call | undefined {
  return leaf.parentId === null ? undefined : calls.get(leaf.parentId);
}

/** A call's own duration without the time of its children. */
export function selfTime(call: Call, children: readonly Interval[], end: (one: Interval) => number): number {
  const limit = end(call);
  return Math.max(0, limit - call.startUs - coveredUs(children, end, limit, call.startUs));
}

/** The calls that are repeats or retries. */
function equalCalls(trace: Trace, calls: readonly Call[]): Map<number, Pick<TimelineRow, "repeat" | "retry">> {
  const groups = groupBy(
    calls.filter(({ args }) => args.every(isWhole)),
    ({ bean, method, args }) => `${bean}\n${method}\n${JSON.stringify(args)}`,
  );
  const result = new Map<number, Pick<TimelineRow, "repeat" | "retry">>();
  for (const same of groups.values()) {
    if (same.length < 2) continue;
    const chains = attemptsOf(same, trace);
    const repeatsUs = sumUs(chains.slice(1).flat());
    chains.forEach((chain, i) => {
      const retriesUs = sumUs(chain.slice(1));
      chain.forEach((call, at) => {
        const isLast = at === chain.length - 1;
        const repeat = isLast && chains.length > 1 ? { index: i + 1, count: chains.length, repeatsUs } : undefined;
        const retry = chain.length > 1 ? { attempt: at + 1, attempts: chain.length, retriesUs } : undefined;
        result.set(call.id, { repeat, retry });
      });
    });
  }
  return result;
}

/** Equal calls in chains: in each, every call except the last threw, and the next one began after its end. */
function attemptsOf(same: readonly Call[], trace: Trace): readonly (readonly Call[])[] {
  const chains: Call[][] = [];
  for (const call of same) {
    const failed = chains.find((chain) => {
      const last = chain.at(-1);
      return last !== undefined && last.error !== null && endOf(last, trace) <= call.startUs;
    });
    if (failed) failed.push(call);
    else chains.push([call]);
  }
  return chains;
}

const sumUs = (calls: readonly Call[]): number => calls.reduce((sum, call) => sum + (call.durationUs ?? 0), 0);

/** Marks of incomplete values. Two of them can look alike and differ. */
const PARTIAL: ReadonlySet<string> = new Set(
  [
    "function",
    "symbol",
    "bytes",
    "stream",
    "thenable",
    "pending",
    "circular",
    "evicted",
    "string",
    "truncated",
    "private",
  ].map((name) => `$${name}`),
);

/** Whether the recording has the complete value. It has not if the value is cut, hidden, or a function. */
export function isWhole(value: Json): boolean {
  if (typeof value === "string") return !value.includes(REDACTED);
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(
    ([key, inner]) => !PARTIAL.has(key) && !(key === "$class" && inner === "Proxy") && isWhole(inner),
  );
}

/** The run itself: the time without a running call, and the start of the first one. */
export function rootOf(trace: Trace): { readonly selfUs: number; readonly firstUs: number } {
  const roots = trace.calls.filter(({ parentId }) => parentId === null);
  const end = (call: Call): number => endOf(call, trace);
  const covered = coveredUs(roots, end, trace.durationUs, 0);
  const firstUs = Math.min(trace.durationUs, ...trace.calls.map(({ startUs }) => startUs));
  return { selfUs: Math.max(0, trace.durationUs - covered), firstUs };
}

/** A method that was called again with the same arguments after it had returned. */
export interface Repeat {
  readonly bean: string;
  readonly method: string;
  readonly count: number;
  /** The time of all calls after the first, in sum. */
  readonly repeatsUs: number;
}

/** Repeated calls, the longest first, each once. */
export function repeatsOf(rows: readonly TimelineRow[]): Repeat[] {
  return rows
    .flatMap(({ call, repeat }) =>
      repeat?.index === 1
        ? [{ bean: call.bean, method: call.method, count: repeat.count, repeatsUs: repeat.repeatsUs }]
        : [],
    )
    .sort((a, b) => b.repeatsUs - a.repeatsUs);
}

/** ` (attempt 2 of 3)`, or nothing for a call that was not tried again. */
export function retryText(retry: RetryPlace | undefined): string {
  return retry === undefined ? "" : ` (attempt ${retry.attempt} of ${retry.attempts})`;
}

/** A call that was tried again after it threw. */
export interface Retry {
  readonly bean: string;
  readonly method: string;
  readonly attempts: number;
  /** The time of all attempts after the first, in sum. */
  readonly retriesUs: number;
  /** Whether the last attempt threw too. */
  readonly failed: boolean;
}

/** Calls that were tried again, the longest first, each once. */
export function retriesOf(rows: readonly TimelineRow[]): Retry[] {
  return rows
    .flatMap(({ call, retry }) =>
      retry && retry.attempt === retry.attempts
        ? [
            {
              bean: call.bean,
              method: call.method,
              attempts: retry.attempts,
              retriesUs: retry.retriesUs,
              failed: call.error !== null,
            },
          ]
        : [],
    )
    .sort((a, b) => b.retriesUs - a.retriesUs);
}

/** A start and a duration, which is null before the end. */
type Interval = Pick<Call, "startUs" | "durationUs">;

/** The end of a call or leaf; the end of the request if it was unsettled. */
export function endOf({ startUs, durationUs }: Interval, trace: Trace): number {
  return durationUs === null ? Math.max(startUs, trace.durationUs) : startUs + durationUs;
}

/** For how long at least one of these was running between `fromUs` and `toUs`. */
export function coveredUs<T extends { readonly startUs: number }>(
  items: readonly T[],
  end: (item: T) => number,
  toUs: number,
  fromUs = 0,
): number {
  let covered = 0;
  let reached = fromUs;
  for (const item of items.toSorted((a, b) => a.startUs - b.startUs)) {
    const to = Math.min(toUs, end(item));
    covered += Math.max(0, to - Math.max(reached, item.startUs));
    reached = Math.max(reached, to);
  }
  return covered;
}

/**
 * Whether the error of this call began in it. It did not if a call below failed with the same error. @param calls those below,
 * among others
 */
export function threwHere(call: Call, calls: readonly Call[]): boolean {
  const { error } = call;
  if (error === null) return false;
  return !calls.some(
    (other) => other.parentId === call.id && other.error?.name === error.name && other.error.message === error.message,
  );
}
