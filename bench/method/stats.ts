/**
 * The arithmetic of the bench: quantiles, figures with their spread, and two servers paired round by round.
 *
 *   slices of a ┐
 *   slices of b ┴▶ every round of every run ──▶ a ÷ b ──▶ median [quartiles]
 *
 * A busy neighbour process comes and goes within a tenth of a second and doubles all times. No round is chosen for being quiet,
 * since that would favour one of the two. Many short rounds give the median.
 */

/** A figure with its spread. */
export interface Cell {
  readonly median: number;
  /** First and third quartile. */
  readonly low: number;
  readonly high: number;
  /** The median of each run of fresh processes. */
  readonly runs: readonly number[];
}

/** The costs of one server, by run of fresh processes, then by round: as many rounds as the others of its list. */
export type Values = readonly (readonly number[])[];

/** The value at the share `q` (0 … 1) of the sorted values, interpolated. @throws RangeError on an empty list. */
export function quantile(values: readonly number[], q: number): number {
  if (values.length === 0) throw new RangeError("there is no quantile of nothing");
  const sorted = values.toSorted((a, b) => a - b);
  const at = q * (sorted.length - 1);
  const below = sorted[Math.floor(at)] ?? Number.NaN;
  const above = sorted[Math.ceil(at)] ?? Number.NaN;
  return below + (above - below) * (at - Math.floor(at));
}

/** The values without disturbance: their tenth percentile. @throws RangeError on an empty list. */
export const undisturbed = (values: readonly number[]): number => quantile(values, 0.1);

/** One figure for the values of all runs. @throws RangeError if there are none. */
export function cellOf(runs: Values): Cell {
  const all = runs.flat();
  const [low, median, high] = [0.25, 0.5, 0.75].map((q) => quantile(all, q)) as [number, number, number];
  return { median, low, high, runs: runs.filter((run) => run.length > 0).map((run) => quantile(run, 0.5)) };
}

/** `over` ÷ `under`, round by round. @throws RangeError if they have no round in common. */
export const quotient = (over: Values, under: Values): Cell => paired(over, under, (a, b) => a / b);

/** `over` − `under`, round by round. @throws RangeError if they have no round in common. */
export const difference = (over: Values, under: Values): Cell => paired(over, under, (a, b) => a - b);

/**
 * The extra cost of `over` compared with `under`: the relative difference, round by round, times the undisturbed cost of `under`.
 * A difference of two noisy figures would be as noisy as the machine.
 *
 * @throws RangeError if they have no round in common.
 */
export function onTop(over: Values, under: Values): Cell {
  const { median, low, high, runs } = quotient(over, under);
  const whole = undisturbed(under.flat());
  const more = (times: number): number => (times - 1) * whole;
  return { median: more(median), low: more(low), high: more(high), runs: runs.map(more) };
}

/** The sum of two processes of one side, round by round. */
export const total = (one: Values, other: Values): Values =>
  one.map((run, at) => run.map((value, round) => value + (other[at]?.[round] ?? Number.NaN)));

/** For CPU per request ÷ the base's: more than 5 % at the median, and more in at least three quarters of the runs. */
export const isSlower = ({ median, runs }: Cell): boolean => median > 1.05 && quantile(runs, 0.25) > 1;

/**
 * How far the runs of a control, an identical twin, deviate from the expected value: smaller differences cannot be detected. The
 * mean over the runs, so that one lucky run does not promise a precision that the others lack.
 */
export const strays = ({ runs }: Cell, from: number): number =>
  runs.reduce((sum, run) => sum + Math.abs(run - from), 0) / runs.length;

function paired(over: Values, under: Values, by: (a: number, b: number) => number): Cell {
  return cellOf(
    over.map((run, at) => {
      const other = under[at] ?? [];
      return run.slice(0, other.length).map((value, round) => by(value, other[round] ?? Number.NaN));
    }),
  );
}
