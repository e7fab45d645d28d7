/**
 * The relation of a bean or a dependency to the selection, and the words for it. One source for the graph on
 * screen, its accessible names and the exported picture. Pure.
 */

import type { ReadonlySignal } from "@preact/signals";
import type { BeanNode } from "../../run/shapes.ts";
import type { BeanChange } from "../compare/compare.ts";
import { count, delta, duration } from "../../run/format.ts";
import type { BeanHeat } from "./scene.ts";
import { edgeKey, type PathBean, type RunPath } from "../store/path.ts";

/** `dim` is out of reach, `idle` means that nothing is selected. */
export type BeanView =
  | { readonly state: "reach" | "dim" | "idle" }
  | { readonly state: "path"; readonly run: PathBean }
  | { readonly state: "path"; readonly change: BeanChange };

/** The selection. */
export interface SelectionSignals {
  readonly comparing: ReadonlySignal<{ readonly beanSides: ReadonlyMap<string, BeanChange> } | null>;
  readonly shownPath: ReadonlySignal<RunPath | null>;
  readonly reach: ReadonlySignal<ReadonlySet<string> | null>;
}

/** The relation of a bean to the selected route, run or comparison. */
export function viewOf(id: string, { comparing, shownPath, reach }: SelectionSignals): BeanView {
  const change = comparing.value?.beanSides.get(id);
  if (change) return { state: "path", change };
  const run = comparing.value ? undefined : shownPath.value?.beans.get(id);
  if (run) return { state: "path", run };
  const near = reach.value;
  if (!near || near.size === 0) return { state: "idle" };
  return { state: near.has(id) ? "reach" : "dim" };
}

/** The relation of a dependency to it. */
export function edgeView(
  edge: { readonly from: string; readonly to: string },
  reach: ReadonlySet<string> | null,
  bold: ReadonlyMap<string, unknown>,
): "path" | "reach" | "dim" | "idle" {
  if (bold.has(edgeKey(edge.from, edge.to))) return "path";
  if (!reach || reach.size === 0) return "idle";
  return reach.has(edge.from) && reach.has(edge.to) ? "reach" : "dim";
}

/** The words of a node besides its name. */
export interface BeanWords {
  /** In the pill at its corner; absent without a recording. */
  readonly pill?: string;
  /** Below its name. */
  readonly line?: string;
  /** The addition to its accessible name. */
  readonly said: string;
}

/** The words for a bean in its present relation. */
export function wordsOf(view: BeanView, bean: BeanNode): BeanWords {
  if ("change" in view) return wordsOfChange(view.change);
  if (!("run" in view)) return { said: bean.traceable ? "" : ", not traceable" };
  const { run } = view;
  if (!run.recorded) return { line: "not recorded", said: ", on the path, not recorded" };
  const times = run.count === 1 ? "once" : count(run.count, "time");
  return {
    ...(run.threw && { pill: "!" }),
    line: run.count === 1 ? duration(run.totalUs) : `${shortCount(run.count)}× ${duration(run.totalUs)}`,
    said: `, called ${times}, ${duration(run.totalUs)}${run.threw ? ", threw" : ""}`,
  };
}

/** The words for a bean in the last minute. Its errors are a number in the pill. */
export function wordsOfHeat({ line, errors, said }: BeanHeat): BeanWords {
  return { line, said, ...(errors > 0 && { pill: shortCount(errors) }) };
}

function wordsOfChange({ side, a, b, deltaUs }: BeanChange): BeanWords {
  if (a.count + b.count === 0) return { line: "not recorded", said: ", on the path, not recorded" };
  if (side === "both")
    return { pill: "A B", line: delta(deltaUs), said: `, called in both runs, ${delta(deltaUs)} in B` };
  const name = side.toUpperCase();
  const { totalUs } = side === "a" ? a : b;
  return { pill: name, line: duration(totalUs), said: `, called only in run ${name}` };
}

/** `30`, `4.7k`: a number that fits into a box. The accessible name has all of its digits. */
function shortCount(n: number): string {
  return n < 1_000 ? String(n) : `${n < 10_000 ? Math.floor(n / 100) / 10 : Math.floor(n / 1_000)}k`;
}

/** Width of a pill, room around its text included. */
export function pillWidth(text: string): number {
  return text.length * 8 + 10;
}
