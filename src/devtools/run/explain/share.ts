/**
 * Share: what sets some runs apart from others. Pure.
 *
 *   the slow runs ──▶ facts ──┐
 *                             ├──▶ facts of the same runs together ──▶ Fisher's exact test ──▶ what differs, the surest first
 *   the other runs ─▶ facts ──┘         one test for each such group        corrected        └▶ what all have in common
 *
 * With thousands of facts some differ by chance. So the level of a test is divided by the number of tests, as Bonferroni did, but
 * tests that could not succeed with any outcome do not count, as Tarone showed: most values are of one run only.
 */
import { FACT_KINDS, factsOf, type Fact, type FactKind } from "./facts.ts";
import type { Trace } from "../shapes.ts";
import { traceKey } from "../format.ts";
import { groupBy } from "../values.ts";

/** Facts that always come together, and how often they do on both sides. */
export interface Difference {
  /** Causes before effects. */
  readonly facts: readonly Fact[];
  /** In how many of the selected runs, and of the others. */
  readonly inSet: number;
  readonly inRest: number;
  /** How many times more frequent it is in the selected runs. Null if no other run has it, 0 if no selected one has it. */
  readonly lift: number | null;
  /** How probable a difference as large is by chance, before the correction. */
  readonly p: number;
  /** The selected runs that have the facts, or if they are seldom in these, that lack them. */
  readonly runs: readonly string[];
}

/** What sets runs apart from others. */
export interface Shared {
  readonly ofSet: number;
  readonly ofRest: number;
  /** What the selected runs have more often, the surest first, then what they have less often. */
  readonly differences: readonly Difference[];
  /** Facts of all runs on both sides, which therefore explain nothing. */
  readonly same: readonly Fact[];
  /** How many facts were looked at. */
  readonly looked: number;
}

/** What the comparison leaves out, and knows besides. */
export interface ShareOptions {
  /** Kinds that say nothing, such as the status of runs that were selected by it. */
  readonly without?: ReadonlySet<FactKind> | undefined;
  readonly commitOf?: ((instance: string) => string | undefined) | undefined;
}

/** The probability of any finding among runs that do not differ. */
const LEVEL = 0.04;
const MOST_DIFFERENCES = 20;
/** Facts of these kinds are named as common to all. */
const COMMON: ReadonlySet<FactKind> = new Set([
  "route",
  "request",
  "commit",
  "instance",
  "bean",
  "statement",
  "status",
]);
const MOST_COMMON = 12;

/** What the runs of the set share that the others lack, or lack that the others share. A run is on one side only. */
export function whatTheyShare(set: readonly Trace[], rest: readonly Trace[], options: ShareOptions = {}): Shared {
  const runs = [...set, ...rest];
  const having = new Map<string, { readonly fact: Fact; readonly runs: number[] }>();
  for (const [index, run] of runs.entries())
    for (const fact of factsOf(run, options.commitOf)) {
      if (options.without?.has(fact.kind) === true) continue;
      const known = having.get(fact.text);
      if (known === undefined) having.set(fact.text, { fact, runs: [index] });
      else known.runs.push(index);
    }
  const groups = [...groupBy(having.values(), (one) => one.runs.join()).values()].map((together) => ({
    facts: together.map(({ fact }) => fact).sort(byCause),
    runs: together[0]?.runs ?? [],
  }));
  const counted = groups.map((group) => ({ ...group, inSet: group.runs.filter((at) => at < set.length).length }));
  const sides = { set: set.length, rest: rest.length };
  const tests = counted
    .filter(({ runs: own }) => own.length < runs.length)
    .map((one) => ({ ...one, p: fisher(sides, one) }));
  const level = levelFor(tests.map((one) => leastP(sides, one.runs.length)));
  // What they have is named before what they lack, which is often the same said of another value.
  const isLess = (one: Group): number => (one.inSet / sides.set < (one.runs.length - one.inSet) / sides.rest ? 1 : 0);
  const differences = tests
    .filter(({ p }) => p <= level)
    .sort((a, b) => isLess(a) - isLess(b) || a.p - b.p || rankOf(a) - rankOf(b));
  const common = groups.find((group) => group.runs.length === runs.length)?.facts ?? [];
  return {
    ofSet: set.length,
    ofRest: rest.length,
    differences: differences.slice(0, MOST_DIFFERENCES).map((one) => differenceOf(one, set, sides)),
    same: common.filter(({ kind }) => COMMON.has(kind)).slice(0, MOST_COMMON),
    looked: having.size,
  };
}

const byCause = (a: Fact, b: Fact): number => FACT_KINDS.indexOf(a.kind) - FACT_KINDS.indexOf(b.kind);
const rankOf = ({ facts: [first] }: { readonly facts: readonly Fact[] }): number =>
  first === undefined ? 0 : FACT_KINDS.indexOf(first.kind);

interface Group {
  readonly facts: readonly Fact[];
  /** Indices of the runs, those of the set first. */
  readonly runs: readonly number[];
  readonly inSet: number;
}
interface Sides {
  readonly set: number;
  readonly rest: number;
}

function differenceOf(one: Group & { readonly p: number }, set: readonly Trace[], sides: Sides): Difference {
  const { facts, inSet, p } = one;
  const inRest = one.runs.length - inSet;
  const [share, other] = [inSet / sides.set, inRest / sides.rest];
  const own = new Set(one.runs);
  const isMore = share > other;
  const runs = set.filter((_, at) => own.has(at) === isMore).map(traceKey);
  return { facts, inSet, inRest, lift: other === 0 ? null : share / other, p, runs };
}

/** The level of each test, such that the probability of any success by chance is `LEVEL`. @param least the least p of each test */
function levelFor(least: readonly number[]): number {
  const sorted = least.toSorted((a, b) => a - b);
  for (let tests = 1; tests <= sorted.length; tests += 1) {
    // Only tests that can reach the level count.
    const next = sorted[tests];
    if (next === undefined || next > LEVEL / tests) return LEVEL / tests;
  }
  return LEVEL;
}

/** The least p that a fact of so many runs can have, when they are all on one side as far as they fit. */
function leastP(sides: Sides, total: number): number {
  const most = Math.min(total, sides.set);
  const least = Math.max(0, total - sides.rest);
  return Math.min(1, 2 * Math.min(chance(sides, total, most), chance(sides, total, least)));
}

/** Fisher's exact test, two-sided: twice the smaller tail. */
function fisher(sides: Sides, { runs, inSet }: Group): number {
  const total = runs.length;
  let [upper, lower] = [0, 0];
  for (let k = Math.max(0, total - sides.rest); k <= Math.min(total, sides.set); k += 1) {
    const one = chance(sides, total, k);
    if (k >= inSet) upper += one;
    if (k <= inSet) lower += one;
  }
  return Math.min(1, 2 * Math.min(upper, lower));
}

/** The probability that of `total` runs, drawn from all, `inSet` are in the set. */
const chance = ({ set, rest }: Sides, total: number, inSet: number): number =>
  Math.exp(lnChoose(set, inSet) + lnChoose(rest, total - inSet) - lnChoose(set + rest, total));

const lnFactorials: number[] = [0];
function lnFactorial(n: number): number {
  for (let at = lnFactorials.length; at <= n; at += 1) lnFactorials.push((lnFactorials[at - 1] ?? 0) + Math.log(at));
  return lnFactorials[n] ?? 0;
}
const lnChoose = (n: number, k: number): number => lnFactorial(n) - lnFactorial(k) - lnFactorial(n - k);
