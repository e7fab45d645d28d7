/**
 * Two states of the framework, paired in one run.
 *
 *   base · base again · head · head again, fresh processes each run ──▶ cpu(head) ÷ cpu(base) per round
 *
 * Both sides run twice because a process can be slow or fast for life by the luck of its compiler. A list that
 * looks slower is measured once more, and judged by everything that was seen.
 */
import type { Work } from "../work.ts";
import { measureList, type ListShape, type Measured } from "./list.ts";
import { quietHalf } from "./quiet.ts";
import type { Host } from "./server-process.ts";
import { median, quantile, type Cell, cellOf } from "./stats.ts";
import { contenderOf, entryOf, type Tree } from "./trees.ts";

/** More CPU per request than this, and the comparison fails: 1.05 is five per cent more. */
export const limit = 1.05;

/** How head compares with base. */
export interface Compared {
  /** CPU per request of head ÷ base: 1.02 is two per cent slower. */
  readonly change: Cell;
  /** The same of base against itself: what cannot be told apart. */
  readonly control: Cell;
  readonly slower: boolean;
}

/** The quotient of each round: the mean of both processes of one side ÷ that of the other. */
export function changesOf(measured: Measured, over: readonly string[], under: readonly string[]): number[][] {
  const cpu = (name: string): number[][] => (measured.get(name) ?? []).map((run) => run.map(({ cpuUs }) => cpuUs));
  const sum = (names: readonly string[], run: number, round: number): number =>
    names.reduce((total, name) => total + (cpu(name)[run]?.[round] ?? Number.NaN), 0) / names.length;
  const first = cpu(over[0] ?? "");
  return first.map((run, at) => run.map((_, round) => sum(over, at, round) / sum(under, at, round)));
}

/** Slower by more than the limit, and that in at least three quarters of the runs. */
export const isSlower = ({ median: middle, runs }: Cell): boolean => middle > limit && quantile(runs, 0.25) > 1;

/** Compares two trees at one job. */
export async function compareTrees(
  base: Tree,
  head: Tree,
  work: Work,
  host: Host,
  shape: ListShape,
): Promise<Compared> {
  const contenders = [
    contenderOf(base, "base", work),
    contenderOf(head, "head", work),
    contenderOf(base, "base again", work),
    contenderOf(head, "head again", work),
  ];
  const hostOf = ({ name }: { readonly name: string }): Host => ({
    ...host,
    entry: entryOf(name.startsWith("base") ? base : head),
  });
  const changes: number[][] = [];
  const controls: number[][] = [];
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const measured = quietHalf(await measureList(contenders, hostOf, shape));
    changes.push(...changesOf(measured, ["head", "head again"], ["base", "base again"]));
    controls.push(...changesOf(measured, ["base again"], ["base"]));
    if (median(changes.flat()) <= limit) break;
  }
  const change = cellOf(changes);
  return { change, control: cellOf(controls), slower: isSlower(change) };
}

/** A comparison as a line. */
export function lineOf(what: string, { change, control, slower }: Compared): string {
  const percent = (value: number): string => `${((value - 1) * 100).toFixed(1)} %`.padStart(7);
  return (
    `${what.padEnd(34)} ${percent(change.median)} CPU per request [${percent(change.low)} to ${percent(change.high)}], ` +
    `control ${percent(control.median)}${slower ? "   slower" : ""}`
  );
}
