/**
 * Retries: the same call or operation again after it failed, and the same call again although it had worked. Pure.
 *
 *   charge(7) ✗   charge(7) ✗   charge(7) ✓      a retry: two attempts failed, the third worked
 *   rate(7) ✓     rate(7) ✓                      a repeat: the second could have used the first result
 */
import { endOf, isWhole } from "../calls.ts";
import type { Call, Leaf, Trace } from "../shapes.ts";
import { leafText } from "../spent.ts";
import { groupBy } from "../values.ts";

/** The attempts at one thing, in order. All except the last failed. */
export interface Retry<T> {
  readonly attempts: readonly T[];
  readonly hasWorked: boolean;
  /** From the start of the first attempt to the start of the last. */
  readonly costUs: number;
}

/** Equal calls, of which none is an attempt after a failed one. */
export interface Repeat {
  readonly calls: readonly Call[];
  /** The time of all after the first. */
  readonly costUs: number;
}

/** The retries of calls. Attempts are made by one caller. */
export function retriesOf(trace: Trace): readonly Retry<Call>[] {
  const equal = groupBy(trace.calls, (call) => `${call.parentId} ${keyOf(call)}`);
  return [...equal.values()].flatMap((same) => runsOfAttempts(same, ({ error }) => error !== null, trace));
}

/** The retries of operations below calls, such as requests that got 503. */
export function leafRetriesOf(trace: Trace): readonly Retry<Leaf>[] {
  const timed = trace.leaves.filter(({ kind }) => kind !== "log" && kind !== "span");
  const equal = groupBy(timed, (leaf) => `${leaf.parentId} ${leaf.kind} ${leafText(leaf)} ${parametersOf(leaf)}`);
  return [...equal.values()].flatMap((same) => runsOfAttempts(same, hasFailed, trace));
}

/** The calls and operations that failed and were tried again. They are one finding, a retry. */
export type Retried = ReadonlySet<Call | Leaf>;

/** Those of a run. */
export function retriedIn(trace: Trace): Retried {
  const retries = [...retriesOf(trace), ...leafRetriesOf(trace)];
  return new Set<Call | Leaf>(retries.flatMap(({ attempts }): readonly (Call | Leaf)[] => attempts.slice(0, -1)));
}

/** The repeats of calls with whole arguments, the most expensive first. */
export function repeatsOf(trace: Trace): readonly Repeat[] {
  const again = new Set(retriesOf(trace).flatMap(({ attempts }) => attempts.slice(1)));
  const once = trace.calls.filter((call) => !again.has(call) && call.args.every(isWhole));
  return [...groupBy(once, keyOf).values()]
    .filter((same) => same.length > 1)
    .map((same) => ({ calls: same, costUs: same.slice(1).reduce((sum, { durationUs }) => sum + (durationUs ?? 0), 0) }))
    .sort((a, b) => b.costUs - a.costUs);
}

const keyOf = ({ bean, method, args }: Call): string => `${bean}\n${method}\n${JSON.stringify(args)}`;
const parametersOf = (leaf: Leaf): string => (leaf.kind === "sql" ? JSON.stringify(leaf.detail.parameters) : "");

/** Statuses of a response after which a client tries again. */
const hasFailed = (leaf: Leaf): boolean =>
  leaf.error !== null || (leaf.kind === "http" && leaf.detail.status !== null && leaf.detail.status >= 400);

/** The attempts in a group of equals: each began after the one before had failed. */
function runsOfAttempts<T extends Call | Leaf>(
  same: readonly T[],
  isFailed: (one: T) => boolean,
  trace: Trace,
): readonly Retry<T>[] {
  const runs: T[][] = [];
  for (const one of same.toSorted((a, b) => a.startUs - b.startUs || a.id - b.id)) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    if (run !== undefined && last !== undefined && isFailed(last) && one.startUs >= endOf(last, trace)) run.push(one);
    else runs.push([one]);
  }
  return runs.flatMap((attempts) => {
    const [first, last] = [attempts[0], attempts.at(-1)];
    if (first === undefined || last === undefined || attempts.length < 2) return [];
    return [{ attempts, hasWorked: !isFailed(last), costUs: last.startUs - first.startUs }];
  });
}
