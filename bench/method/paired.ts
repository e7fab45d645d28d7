/**
 * Paired: what one server takes against another, round by round.
 *
 *   slices of a ┐
 *   slices of b ┴▶ rounds of all runs ──▶ the quietest quarter for these two ──▶ a ÷ b in each ──▶ median [quartiles]
 *
 * A round is over in a second, a busy neighbour stays for several: both servers meet the same machine, and their quotient
 * stays put while each of them doubles. The first rounds of a fresh process, which the compiler takes, are never quiet.
 */
import { quietRounds } from "./quiet.ts";
import { median, quantile, type Cell } from "./stats.ts";

/** Of the rounds so many count, and no fewer than some. */
const share = 1 / 4;
const fewest = 3;

/** What one server took, by run, then by round: as many rounds as the others of its list. */
export type Values = readonly (readonly number[])[];

/** `over` ÷ `under`. @throws RangeError when they have no round in common. */
export const quotient = (over: Values, under: Values): Cell => compared(over, under, (a, b) => a / b);

/** `over` less `under`, times `scale`. @throws RangeError when they have no round in common. */
export const difference = (over: Values, under: Values, scale: number): Cell =>
  compared(over, under, (a, b) => scale * (a - b));

function compared(over: Values, under: Values, compare: (over: number, under: number) => number): Cell {
  const quiet = (a: readonly number[], b: readonly number[]): number[] =>
    quietRounds([a, b], Math.max(share, fewest / Math.max(1, a.length))).map((at) =>
      compare(a[at] ?? Number.NaN, b[at] ?? Number.NaN),
    );
  const common = over.map((run, at) => [run, under[at] ?? []] as const).filter(([, other]) => other.length > 0);
  const all = quiet(
    common.flatMap(([run]) => run),
    common.flatMap(([, other]) => other),
  );
  return {
    median: median(all),
    low: quantile(all, 0.25),
    high: quantile(all, 0.75),
    count: all.length,
    runs: common.map(([run, other]) => median(quiet(run, other))),
  };
}
