/**
 * Paired: what one server takes against another, round by round.
 *
 *   slices of a ┐
 *   slices of b ┴▶ every round of every run ──▶ a ÷ b ──▶ median [quartiles]
 *
 * A busy neighbour comes and goes within a tenth of a second and doubles what everybody takes: no round is chosen for
 * being quiet, since that chooses the luck of one of the two. Many short rounds find the middle.
 */
import { cellOf, undisturbed, type Cell } from "./stats.ts";

/** What one server took, by run, then by round: as many rounds as the others of its list. */
export type Values = readonly (readonly number[])[];

/** `over` ÷ `under`. @throws RangeError when they have no round in common. */
export function quotient(over: Values, under: Values): Cell {
  return cellOf(
    over.map((run, at) => {
      const other = under[at] ?? [];
      return run.slice(0, other.length).map((value, round) => value / (other[round] ?? Number.NaN));
    }),
  );
}

/**
 * `over` less `under`, times `scale`: by how much of itself it is more, times what `under` takes when nothing disturbs.
 *
 * @throws RangeError when they have no round in common.
 */
export function difference(over: Values, under: Values, scale: number): Cell {
  const { median, low, high, count, runs } = quotient(over, under);
  const whole = scale * undisturbed(under.flat());
  const more = (times: number): number => (times - 1) * whole;
  return { median: more(median), low: more(low), high: more(high), count, runs: runs.map(more) };
}
