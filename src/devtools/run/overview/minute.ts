/**
 * The last minute: requests second by second, and the calls of each bean, as runs arrive.
 *
 *   runs ──▶ seconds (by their end) ──▶ requests, failed, times
 *        └─▶ calls by caller and bean: count, errors, a histogram of times │ the slowest run of each bean
 *   a second is over a minute old ──▶ its share is subtracted again
 *
 * A run costs one step for each call, and a view one for each pair of beans, however many runs there were. Times of requests are
 * exact. Percentiles of calls are exact to 3 %, because a histogram has 16 steps for each doubling.
 */

import { traceKey } from "../format.ts";
import type { Trace } from "../shapes.ts";

/** The seconds of a minute. */
export const SECONDS = 60;
const STEPS = 16;
const BUCKETS = 32 * STEPS;

/** Calls, or requests. */
export interface Traffic {
  readonly count: number;
  readonly errors: number;
  readonly p95Us: number;
}

/** The requests of the last minute. */
export interface Requests extends Traffic {
  readonly p50Us: number;
  /** How many ended in each second, the oldest first. The last second is not over. */
  readonly bySecond: readonly number[];
}

/** The calls of one bean by one caller. */
interface Tally {
  readonly from: string;
  readonly bean: string;
  readonly times: Uint32Array;
  count: number;
  errors: number;
}

interface Second {
  readonly seen: Set<string>;
  readonly requests: number[];
  failed: number;
  /** Calls, each as one number: that of its tally, whether it threw, and its bucket. */
  readonly calls: number[];
}

interface SlowRun {
  readonly second: number;
  readonly us: number;
  readonly run: Trace;
}

/** The last minute of an application. Times are epoch milliseconds. */
export interface Minute {
  /** Counts runs that have ended, each once. */
  add(runs: readonly Trace[]): void;
  /** Removes what ended more than a minute ago. Returns whether there was anything before. */
  expire(now: number): boolean;
  requests(now: number): Requests;
  /** The calls that entered each group, from another one or from outside of calls. */
  entering(groupOf: (bean: string) => string): Map<string, Traffic>;
  /** The run with the slowest call of a bean. */
  slowest(bean: string): Trace | undefined;
}

const bucketOf = (us: number): number => Math.min(BUCKETS - 1, Math.round(Math.log2(Math.max(1, us)) * STEPS));
const timeOf = (bucket: number): number => Math.round(2 ** (bucket / STEPS));
const secondOf = (ms: number): number => Math.floor(ms / 1_000);

/** Counts of calls by caller and bean, each with a number. */
function createTallies() {
  const tallies: Tally[] = [];
  const numbers = new Map<string, number>();
  return {
    tallies,
    /** The number of a tally, which is made if it is new. */
    tallyOf: (from: string, bean: string): number => {
      const key = `${from}\n${bean}`;
      const known = numbers.get(key);
      if (known !== undefined) return known;
      numbers.set(key, tallies.length);
      return tallies.push({ from, bean, times: new Uint32Array(BUCKETS), count: 0, errors: 0 }) - 1;
    },
    /** Adds a call, or subtracts it again. */
    count: (packed: number, by: 1 | -1): void => {
      const tally = tallies[Math.floor(packed / (2 * BUCKETS))];
      if (!tally) return;
      const bucket = packed % BUCKETS;
      tally.count += by;
      if (packed % (2 * BUCKETS) >= BUCKETS) tally.errors += by;
      tally.times[bucket] = (tally.times[bucket] ?? 0) + by;
    },
  };
}

/** An empty minute. */
export function createMinute(): Minute {
  const seconds = new Map<number, Second>();
  const { tallies, tallyOf, count } = createTallies();
  const slow = new Map<string, SlowRun[]>();
  const addRun = (run: Trace): void => {
    const at = secondOf(endOf(run));
    const second = seconds.get(at) ?? { seen: new Set<string>(), requests: [], failed: 0, calls: [] };
    seconds.set(at, second);
    if (second.seen.has(traceKey(run))) return;
    second.seen.add(traceKey(run));
    if (run.kind === undefined) {
      second.requests.push(run.durationUs);
      if (run.status >= 500) second.failed += 1;
    }
    const beans = new Map(run.calls.map(({ id, bean }) => [id, bean]));
    for (const { parentId, bean, durationUs, error } of run.calls) {
      if (durationUs === null) continue;
      const tally = tallyOf(parentId === null ? "" : (beans.get(parentId) ?? ""), bean);
      const packed = (tally * 2 + (error === null ? 0 : 1)) * BUCKETS + bucketOf(durationUs);
      count(packed, 1);
      second.calls.push(packed);
      noteSlow(slow, bean, { second: at, us: durationUs, run });
    }
  };
  return {
    add: (runs) => runs.toSorted((a, b) => endOf(a) - endOf(b)).forEach(addRun),
    expire: (now) => {
      const last = secondOf(now) - SECONDS;
      const before = seconds.size;
      for (const [at, second] of seconds) {
        if (at > last) continue;
        for (const packed of second.calls) count(packed, -1);
        seconds.delete(at);
      }
      if (seconds.size < before)
        for (const runs of slow.values()) while (runs[0] && runs[0].second <= last) runs.shift();
      return before > 0;
    },
    requests: (now) => requestsOf(seconds, secondOf(now)),
    entering: (groupOf) => enteringOf(tallies, groupOf),
    slowest: (bean) => slow.get(bean)?.[0]?.run,
  };
}

const endOf = ({ startedAt, durationUs }: Trace): number => startedAt + durationUs / 1_000;

/** Keeps the runs of which one can still become the slowest: each is slower than all after it. */
function noteSlow(slow: Map<string, SlowRun[]>, bean: string, one: SlowRun): void {
  const runs = slow.get(bean) ?? [];
  slow.set(bean, runs);
  while ((runs.at(-1)?.us ?? Infinity) <= one.us) runs.pop();
  runs.push(one);
}

function requestsOf(seconds: ReadonlyMap<number, Second>, now: number): Requests {
  const times = Float64Array.from([...seconds.values()].flatMap(({ requests }) => requests)).sort();
  const at = (share: number): number => times[Math.max(0, Math.ceil(share * times.length) - 1)] ?? 0;
  const bySecond = Array.from({ length: SECONDS }, (_, i) => seconds.get(now - SECONDS + 1 + i)?.requests.length ?? 0);
  const errors = [...seconds.values()].reduce((sum, { failed }) => sum + failed, 0);
  return { count: times.length, errors, p50Us: at(0.5), p95Us: at(0.95), bySecond };
}

function enteringOf(tallies: readonly Tally[], groupOf: (bean: string) => string): Map<string, Traffic> {
  const sums = new Map<string, { count: number; errors: number; times: Uint32Array }>();
  for (const { from, bean, count, errors, times } of tallies) {
    const group = groupOf(bean);
    if (count === 0 || (from !== "" && groupOf(from) === group)) continue;
    const sum = sums.get(group) ?? { count: 0, errors: 0, times: new Uint32Array(BUCKETS) };
    sums.set(group, sum);
    sum.count += count;
    sum.errors += errors;
    for (let i = 0; i < BUCKETS; i += 1) sum.times[i] = (sum.times[i] ?? 0) + (times[i] ?? 0);
  }
  return new Map(
    [...sums].map(([group, { count, errors, times }]) => [
      group,
      { count, errors, p95Us: percentile(times, count, 0.95) },
    ]),
  );
}

function percentile(times: Uint32Array, count: number, share: number): number {
  let left = Math.ceil(share * count);
  const bucket = times.findIndex((n) => (left -= n) <= 0);
  return timeOf(Math.max(0, bucket));
}
