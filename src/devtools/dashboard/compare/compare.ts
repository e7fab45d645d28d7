/**
 * Two runs beside each other, and the slice that holds the two that are marked.
 *
 *   A, B ──▶ beans: count, time and difference │ edges: shared, only A, only B │ calls aligned in order │ responses
 */

import { computed } from "@preact/signals";
import type { Call, Json, Leaf, LeafKind, Trace } from "../../wire.ts";
import { spentByKind } from "../leaves/spent.ts";
import type { KindSpent } from "../leaves/spent.ts";
import { applicationSlice } from "../store/application.ts";
import { entryBeans, isRunOf, stableList } from "../store/entries.ts";
import { panelsSlice } from "../store/panels.ts";
import { tracePath } from "../store/path.ts";
import type { PathBean, PathEdge, RunPath } from "../store/path.ts";
import { selectionSlice } from "../store/selection.ts";
import type { Use } from "../store/slice.ts";
import { align } from "./diff-align.ts";
import { diffJson } from "./diff.ts";
import type { Difference } from "./diff.ts";
import type { BeanChange, Side, Spent } from "./sides.ts";

/** One call of either run, or the same call of both. */
export interface CallChange {
  readonly side: Side;
  readonly a: Call | null;
  readonly b: Call | null;
  /** How arguments, result and error of the same call differ. */
  readonly differences: readonly Difference[];
}

/** A dependency that one run took, or both. */
export interface SidedEdge extends PathEdge {
  readonly side: Side;
}

/** Everything that two runs have in common and do not. */
export interface Comparison {
  readonly a: Trace;
  readonly b: Trace;
  /** By bean, the largest difference in time first. */
  readonly beans: readonly BeanChange[];
  /** Every bean on either path, also those that a path only passes through. */
  readonly beanSides: ReadonlyMap<string, BeanChange>;
  readonly edges: ReadonlyMap<string, SidedEdge>;
  readonly calls: readonly CallChange[];
  readonly response: readonly Difference[];
  /** What both did below the beans, by kind. */
  readonly leaves: readonly LeafChange[];
  /** The first statement in which they differ; null where they sent the same ones. */
  readonly statement: StatementChange | null;
}

/** What two runs did of one kind below the beans. */
export interface LeafChange {
  readonly kind: LeafKind;
  readonly a: Spent;
  readonly b: Spent;
}

/** Two statements at one place; null where a run had sent all of its own. */
export interface StatementChange {
  /** 0 for the first statement of the run. */
  readonly index: number;
  readonly a: string | null;
  readonly b: string | null;
}

/** The marked runs and their comparison. */
export function comparisonSlice(use: Use) {
  const { detail } = use(panelsSlice);
  const [a, b] = [markedRun(use, "a"), markedRun(use, "b")];
  const comparison = computed(() => {
    const [runA, runB, pathA, pathB] = [a.trace.value, b.trace.value, a.path.value, b.path.value];
    return runA === null || runB === null || pathA === null || pathB === null
      ? null
      : compareRuns(runA, runB, pathA, pathB);
  });
  return {
    markedA: a.trace,
    markedB: b.trace,
    comparison,
    /** The comparison, while the graph shows it. */
    comparing: computed(() => (detail.value === "compare" ? comparison.value : null)),
  };
}

/** A run that is marked for comparison, and its path. */
function markedRun(use: Use, mark: "a" | "b") {
  const { routes, traces } = use(applicationSlice);
  const { marks, ownGraph, runOf } = use(selectionSlice);
  const trace = computed(() => runOf(marks.value[mark]));
  const entries = stableList(() => {
    const run = trace.value;
    const route = run === null ? undefined : routes.value.find((r) => isRunOf(run, r));
    return entryBeans(route ?? null, traces.value);
  });
  const path = computed(() => (trace.value === null ? null : tracePath(trace.value, ownGraph.value, entries.value)));
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
    calls: compareCalls(a.calls, b.calls),
    response: diffJson(responseOf(a), responseOf(b)),
    leaves: compareLeaves(a, b),
    statement: firstOtherStatement(a.leaves, b.leaves),
  };
}

/** What two runs did below the beans, of each kind that either did. */
export function compareLeaves(a: Trace, b: Trace): LeafChange[] {
  const [ofA, ofB] = [a, b].map(({ leaves, durationUs }) => spentByKind(leaves, durationUs)) as [
    KindSpent[],
    KindSpent[],
  ];
  const none = { count: 0, totalUs: 0 };
  const of = (list: readonly KindSpent[], kind: LeafKind): Spent => {
    const { count, totalUs } = list.find((one) => one.kind === kind) ?? none;
    return { count, totalUs };
  };
  return [...new Set([...ofA, ...ofB].map(({ kind }) => kind))].map((kind) => ({
    kind,
    a: of(ofA, kind),
    b: of(ofB, kind),
  }));
}

/** The first place at which two runs did not send the same statement; values are not compared. */
export function firstOtherStatement(a: readonly Leaf[], b: readonly Leaf[]): StatementChange | null {
  const sent = (leaves: readonly Leaf[]): string[] =>
    leaves.flatMap((leaf) => (leaf.kind === "sql" ? [leaf.detail.statement] : []));
  const [sentA, sentB] = [sent(a), sent(b)];
  const length = Math.max(sentA.length, sentB.length);
  const index = Array.from({ length }, (_, i) => i).find((i) => sentA[i] !== sentB[i]);
  return index === undefined ? null : { index, a: sentA[index] ?? null, b: sentB[index] ?? null };
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

/** What of a response can be compared: its status and its body. */
function responseOf(trace: Trace): Json {
  return { status: trace.status, body: trace.response.body };
}

/** Calls aligned by bean and method, in entry order. */
export function compareCalls(a: readonly Call[], b: readonly Call[]): CallChange[] {
  const [callsA, callsB] = [a, b].map((calls) => calls.toSorted((x, y) => x.id - y.id)) as [Call[], Call[]];
  const numbers = new Map<string, number>();
  const number = (call: Call): number => {
    const key = `${call.bean}\n${call.method}`;
    if (!numbers.has(key)) numbers.set(key, numbers.size);
    return numbers.get(key) ?? -1;
  };
  const result: CallChange[] = [];
  let [i, j] = [0, 0];
  const common = (untilA: number): void => {
    for (; i < untilA; i++, j++) result.push(sameCall(callsA[i], callsB[j]));
  };
  for (const gap of align(callsA.map(number), callsB.map(number))) {
    common(gap.from);
    for (; i < gap.fromEnd; i++) result.push({ side: "a", a: callsA[i] ?? null, b: null, differences: [] });
    for (; j < gap.toEnd; j++) result.push({ side: "b", a: null, b: callsB[j] ?? null, differences: [] });
  }
  common(callsA.length);
  return result;
}

function sameCall(a: Call | undefined, b: Call | undefined): CallChange {
  const differences = a === undefined || b === undefined ? [] : diffJson(gist(a), gist(b));
  return { side: "both", a: a ?? null, b: b ?? null, differences };
}

/** What a call was given and gave back; an error only where there is one. */
function gist(call: Call): Json {
  const outcome: { readonly [key: string]: Json } =
    call.error === null ? { result: call.result } : { error: { name: call.error.name, message: call.error.message } };
  return { args: call.args, ...outcome };
}
