/**
 * Two states of the framework, paired in one run.
 *
 *   base · base again · head · head again, fresh processes each run ──▶ cpu(head) ÷ cpu(base) per round
 *
 * Both sides run twice because a process can be slow or fast for life by the luck of its compiler. A list that
 * looks slower is measured once more, and judged by everything that was seen.
 */
import type { Work } from "../work.ts";
import { measureList, together, type ListShape, type Measured } from "./list.ts";
import type { Host } from "./server-process.ts";
import { quotient, type Values } from "./paired.ts";
import { quantile, type Cell } from "./stats.ts";
import { contenderOf, entryOf, type Tree } from "./trees.ts";

/** More CPU per request than this, and the comparison fails: 1.05 is five per cent more. */
export const limit = 1.05;

/** Runs of fresh processes: more than a table needs, since a few per cent decide. */
export const runs = 5;

/** How head compares with base. */
export interface Compared {
  /** CPU per request of head ÷ base: 1.02 is two per cent slower. */
  readonly change: Cell;
  /** The same of base against itself: what cannot be told apart. */
  readonly control: Cell;
  readonly slower: boolean;
}

/** What the processes of a side took, added up round by round. */
export function sideOf(measured: Measured, names: readonly string[]): Values {
  const slice = (name: string, run: number, round: number): number =>
    measured.get(name)?.[run]?.[round]?.cpuUs ?? Number.NaN;
  const [first = []] = names.map((name) => measured.get(name) ?? []);
  return first.map((own, run) =>
    own.map((_, round) => names.reduce((total, name) => total + slice(name, run, round), 0)),
  );
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
  const measure = (): Promise<Measured> => measureList(contenders, hostOf, shape);
  const changeOf = (measured: Measured): Cell =>
    quotient(sideOf(measured, ["head", "head again"]), sideOf(measured, ["base", "base again"]));
  let measured = await measure();
  if (changeOf(measured).median > limit) measured = together(measured, await measure());
  const change = changeOf(measured);
  const control = quotient(sideOf(measured, ["base again"]), sideOf(measured, ["base"]));
  return { change, control, slower: isSlower(change) };
}

/** A comparison as a line. */
export function lineOf(what: string, { change, control, slower }: Compared): string {
  const percent = (value: number): string => `${((value - 1) * 100).toFixed(1)} %`.padStart(7);
  return (
    `${what.padEnd(34)} ${percent(change.median)} CPU per request [${percent(change.low)} to ${percent(change.high)}], ` +
    `control ${percent(control.median)}${slower ? "   slower" : ""}`
  );
}
