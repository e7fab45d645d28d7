/** The bench's arithmetic: quantiles, and figures with their spread. */

/** A figure with its spread. */
export interface Cell {
  readonly median: number;
  /** First and third quartile. */
  readonly low: number;
  readonly high: number;
  /** How many values it was made of. */
  readonly count: number;
  /** The median of each run of fresh processes. */
  readonly runs: readonly number[];
}

/** The value at the share `q` (0 … 1) of the sorted values, interpolated. @throws RangeError on an empty list. */
export function quantile(values: readonly number[], q: number): number {
  if (values.length === 0) throw new RangeError("there is no quantile of nothing");
  const sorted = values.toSorted((a, b) => a - b);
  const at = q * (sorted.length - 1);
  const below = sorted[Math.floor(at)] ?? Number.NaN;
  const above = sorted[Math.ceil(at)] ?? Number.NaN;
  return below + (above - below) * (at - Math.floor(at));
}

/** The value in the middle. */
export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** The mean; 0 of nothing. */
export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

/** What the values come down to when nothing disturbs: their tenth percentile. @throws RangeError on an empty list. */
export const undisturbed = (values: readonly number[]): number => quantile(values, 0.1);

/** One figure out of the values of every run. @throws RangeError when there are none. */
export function cellOf(runs: readonly (readonly number[])[]): Cell {
  const all = runs.flat();
  return {
    median: median(all),
    low: quantile(all, 0.25),
    high: quantile(all, 0.75),
    count: all.length,
    runs: runs.filter((run) => run.length > 0).map(median),
  };
}

/**
 * How far the control, an identical twin of the reference, strays from 1: what this measurement cannot tell apart.
 * The mean over the runs, so that one lucky run does not promise a precision that the others lack.
 */
export function deviationOf(twin: Cell): number {
  return mean(twin.runs.map((run) => Math.abs(1 - run)));
}
