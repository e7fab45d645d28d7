/**
 * Retries: the same call or operation again after it failed, and the same call again although it had worked. Pure.
 *
 *   charge(7) ✗   charge(7) ✗   charge(7) ✓      a retry: two attempts failed, the third worked
 *   rate(7) ✓     rate(7) ✓                      a repeat: the second could have used the first result
 *
 * Attempts are made by one caller, each after the end of the one before. Equal values that are not wholly recorded make a retry,
 * since there was a failure, but no repeat. The page, the terminal and agents share this room, so that they show the same facts.
 */
import { endOf, isWhole } from "./calls.ts";
import type { Call, Leaf, Trace } from "./shapes.ts";
import { leafText } from "./spent.ts";
import { groupBy } from "./values.ts";

/** The attempts at one thing, in order. All except the last failed. */
export interface Retry<T> {
  readonly attempts: readonly T[];
  readonly hasWorked: boolean;
  /** From the start of the first attempt to the start of the last. */
  readonly costUs: number;
}

/** Equal calls, of which none is an attempt after a failed one. */
export interface Repeat {
  /** Of several attempts, the last. */
  readonly calls: readonly Call[];
  /** The time of all calls after the first, with their attempts. */
  readonly costUs: number;
}

/** The retries of calls, the most expensive first. */
export const retriesOf = (trace: Trace): readonly Retry<Call>[] => retriesIn(callChains(trace), hasThrown);

/** The retries of operations below calls, such as requests that got 503, the most expensive first. */
export function leafRetriesOf(trace: Trace): readonly Retry<Leaf>[] {
  const timed = trace.leaves.filter(({ kind }) => kind !== "log" && kind !== "span");
  const equal = groupBy(timed, (leaf) => `${leaf.parentId} ${leaf.kind} ${leafText(leaf)} ${parametersOf(leaf)}`);
  return retriesIn(
    [...equal.values()].flatMap((same) => chainsOf(same, hasFailed, trace)),
    hasFailed,
  );
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
  const whole = callChains(trace).filter((chain) => chain.every(({ args }) => args.every(isWhole)));
  return [...groupBy(whole, ([call]) => (call === undefined ? "" : keyOf(call))).values()]
    .filter((chains) => chains.length > 1)
    .map((chains) => {
      const costUs = chains
        .slice(1)
        .flat()
        .reduce((sum, { durationUs }) => sum + (durationUs ?? 0), 0);
      return { calls: chains.flatMap((chain) => chain.at(-1) ?? []), costUs };
    })
    .sort((a, b) => b.costUs - a.costUs);
}

const keyOf = ({ bean, method, args }: Call): string => `${bean}\n${method}\n${JSON.stringify(args)}`;
const parametersOf = (leaf: Leaf): string => (leaf.kind === "sql" ? JSON.stringify(leaf.detail.parameters) : "");

const hasThrown = ({ error }: Call): boolean => error !== null;
/** Statuses of a response after which a client tries again. */
const hasFailed = (leaf: Leaf): boolean =>
  leaf.error !== null || (leaf.kind === "http" && leaf.detail.status !== null && leaf.detail.status >= 400);

/** All calls of a run in chains of attempts, most of them of one, in order of their starts. */
function callChains(trace: Trace): readonly (readonly Call[])[] {
  const equal = groupBy(trace.calls, (call) => `${call.parentId} ${keyOf(call)}`);
  const chains = [...equal.values()].flatMap((same) => chainsOf(same, hasThrown, trace));
  return chains.sort(([a], [b]) => (a && b ? byStart(a, b) : 0));
}

const byStart = (a: Call | Leaf, b: Call | Leaf): number => a.startUs - b.startUs || a.id - b.id;

/** Equals in chains: in each, all except the last failed, and the next one began after its end. */
function chainsOf<T extends Call | Leaf>(same: readonly T[], isFailed: (one: T) => boolean, trace: Trace): T[][] {
  const chains: T[][] = [];
  /** Those whose last attempt failed. */
  const open = new Set<T[]>();
  for (const one of same.toSorted(byStart)) {
    let chain: T[] | undefined;
    for (const each of open) {
      const last = each.at(-1);
      if (last === undefined || endOf(last, trace) > one.startUs) continue;
      chain = each;
      break;
    }
    if (chain) chain.push(one);
    else chains.push((chain = [one]));
    if (isFailed(one)) open.add(chain);
    else open.delete(chain);
  }
  return chains;
}

function retriesIn<T extends Call | Leaf>(
  chains: readonly (readonly T[])[],
  isFailed: (one: T) => boolean,
): readonly Retry<T>[] {
  return chains
    .flatMap((attempts) => {
      const [first, last] = [attempts[0], attempts.at(-1)];
      if (first === undefined || last === undefined || attempts.length < 2) return [];
      return [{ attempts, hasWorked: !isFailed(last), costUs: last.startUs - first.startUs }];
    })
    .sort((a, b) => b.costUs - a.costUs);
}
