/**
 * Two runs side by side, and the slice that holds the two marked ones.
 *
 *   A, B ──▶ beans: count, time and difference │ edges: shared, only A, only B
 *     └────▶ …/api/analyses ──▶ calls aligned in order │ responses │ leaves
 */

import { computed, effect, signal } from "@preact/signals";
import type { Side } from "../../run/compare/compare.ts";
import type { Differences } from "../../run/compare/differences.ts";
import type { Trace } from "../../run/shapes.ts";
import type { Spent } from "../../run/spent.ts";
import { createAsk } from "../page/asking.ts";
import { analysesSlice } from "../runs/analyses.ts";
import { applicationSlice } from "../store/application.ts";
import { entryBeans, isRunOf, stableList } from "../store/entries.ts";
import { panelsSlice } from "../store/panels.ts";
import { tracePath, type PathBean, type PathEdge, type RunPath } from "../store/path.ts";
import { selectionSlice } from "../store/selection.ts";
import type { Use } from "../store/slice.ts";

/** A dependency that one run took, or both. */
export interface SidedEdge extends PathEdge {
  readonly side: Side;
}

/** The common and the different parts of two runs. */
export interface Comparison {
  readonly a: Trace;
  readonly b: Trace;
  /** By bean, the largest difference in time first. */
  readonly beans: readonly BeanChange[];
  /** Every bean on either path, including those that a path only passes through. */
  readonly beanSides: ReadonlyMap<string, BeanChange>;
  readonly edges: ReadonlyMap<string, SidedEdge>;
}

/** One bean in both runs; a count of zero means that the run did not call it. */
export interface BeanChange {
  readonly id: string;
  readonly side: Side;
  readonly a: Spent;
  readonly b: Spent;
  /** B minus A. */
  readonly deltaUs: number;
}

/** The marked runs and their comparison. */
export function comparisonSlice(use: Use) {
  const { detail } = use(panelsSlice);
  const { online } = use(applicationSlice);
  const analyse = use(analysesSlice);
  const failure = signal<string | null>(null);
  const found = signal<(Differences & { readonly a: Trace; readonly b: Trace }) | null>(null);
  const ask = createAsk(failure);
  const [a, b] = [markedRun(use, "a"), markedRun(use, "b")];
  const comparison = computed(() => {
    const [runA, runB, pathA, pathB] = [a.trace.value, b.trace.value, a.path.value, b.path.value];
    return !runA || !runB || !pathA || !pathB ? null : compareRuns(runA, runB, pathA, pathB);
  });
  return {
    markedA: a.trace,
    markedB: b.trace,
    comparison,
    /** The comparison, while the graph shows it. */
    comparing: computed(() => (detail.value === "compare" ? comparison.value : null)),
    /** How calls and responses of the marked runs differ, when the application has said so. */
    differences: computed(() =>
      found.value?.a === a.trace.value && found.value?.b === b.trace.value ? found.value : null,
    ),
    /** Why it has not. */
    failure,
    /** Asks for the differences of the marked runs until the returned function is called. */
    follow: (): (() => void) =>
      effect(() => {
        const [runA, runB] = [a.trace.value, b.trace.value, online.value];
        if (!runA || !runB) return;
        void ask(async () => {
          const all = await analyse("compare", (send) => ({ a: send(runA)[0] ?? runA, b: send(runB)[0] ?? runB }));
          return () => (found.value = { a: runA, b: runB, ...all });
        });
      }),
  };
}

/** A run that is marked for comparison, with its parts in other services, and its path. */
function markedRun(use: Use, mark: "a" | "b") {
  const { routes, traces } = use(applicationSlice);
  const { [mark]: whole } = use(selectionSlice).marked;
  const trace = computed(() => whole.value?.trace ?? null);
  const entries = stableList(() => {
    const run = trace.value;
    const route = run ? routes.value.find((r) => isRunOf(run, r)) : undefined;
    return entryBeans(route ?? null, traces.value);
  });
  const path = computed(() => whole.value && tracePath(whole.value.trace, whole.value.graph, entries.value));
  return { trace, path };
}

/** Compares two runs, given the paths they took. */
export function compareRuns(a: Trace, b: Trace, pathA: RunPath, pathB: RunPath): Comparison {
  const beans = [...new Set([...pathA.beans.keys(), ...pathB.beans.keys()])]
    .map((id) => beanChange(id, pathA.beans.get(id), pathB.beans.get(id)))
    .sort((x, y) => Math.abs(y.deltaUs) - Math.abs(x.deltaUs) || x.id.localeCompare(y.id));
  return {
    a,
    b,
    beans: beans.filter((bean) => bean.a.count + bean.b.count > 0),
    beanSides: new Map(beans.map((bean) => [bean.id, bean])),
    edges: new Map(
      [...pathA.edges, ...pathB.edges].map(([key, edge]) => [
        key,
        { ...edge, side: sideOf(pathA.edges.has(key), pathB.edges.has(key)) },
      ]),
    ),
  };
}

function beanChange(id: string, a: PathBean | undefined, b: PathBean | undefined): BeanChange {
  const spent = (bean: PathBean | undefined): Spent => ({ count: bean?.count ?? 0, totalUs: bean?.totalUs ?? 0 });
  return {
    id,
    side: sideOf(a !== undefined, b !== undefined),
    a: spent(a),
    b: spent(b),
    deltaUs: (b?.totalUs ?? 0) - (a?.totalUs ?? 0),
  };
}

function sideOf(inA: boolean, inB: boolean): Side {
  return inA && inB ? "both" : inA ? "a" : "b";
}
