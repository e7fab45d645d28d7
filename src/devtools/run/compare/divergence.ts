/**
 * Divergence: where a run first differs from another run of the same request. Pure.
 *
 *   good, run ──▶ calls in pairs ──▶ what happened in the run, in order: a call begins (arguments), a statement is sent,
 *                                    a statement returns, a call ends (result)
 *             ──▶ the first that differs, and whose code was running then
 *
 * If a call returns another result although everything below it was the same, that call made the difference. If a call gets
 * other arguments, the call around it made the difference. A difference is left out if its values only come from an earlier
 * one.
 */
import { compareCalls, type CallChange } from "./compare.ts";
import { byParent, endOf } from "../calls.ts";
import { diffJson, type Difference } from "./diff.ts";
import type { Call, Json, Leaf, Trace } from "../shapes.ts";

/** The kind of a difference. */
export type DivergenceKind = "arguments" | "result" | "extra" | "missing" | "statement" | "rows";

/** One difference of the run. */
export interface Divergence {
  readonly kind: DivergenceKind;
  /** The call of the run that made it, or null for the request's handler. */
  readonly by: Call | null;
  /** The call that shows it. For a missing call, the good run's. */
  readonly at: Call;
  /** The statement, if the difference is about one. */
  readonly leaf: Leaf | null;
  readonly differences: readonly Difference[];
  /** Whether the call got other arguments too, which explain another result. */
  readonly isExpected: boolean;
}

interface Event extends Divergence {
  readonly us: number;
  /** Orders events at the same time: ends before starts. */
  readonly rank: number;
}

/** The differences between the run and the good one, the earliest first. */
export function divergences(good: Trace, run: Trace): Divergence[] {
  const changes = compareCalls(good.calls, run.calls);
  const byId = new Map(run.calls.map((call) => [call.id, call]));
  const [sentBefore, sentNow] = [statementsOf(good), statementsOf(run)];
  const events = changes.flatMap((change) => eventsOf(change, { run, sentBefore, sentNow, byId, changes }));
  events.sort((a, b) => a.us - b.us || a.rank - b.rank || depthOf(b, a) || a.at.id - b.at.id);
  const carried = new Set<string>();
  return events.flatMap(({ us: _us, rank: _rank, ...event }) => {
    const own = event.differences.filter((one) => !isCarried(one, carried));
    for (const one of event.differences) for (const scalar of scalarsOf(afterOf(one))) carried.add(scalar);
    return own.length === 0 && event.kind !== "extra" && event.kind !== "missing"
      ? []
      : [{ ...event, differences: own }];
  });
}

/** With the same end, the inner call ended first. With the same start, the outer call began first. */
const depthOf = (b: Event, a: Event): number => (a.rank === 0 ? b.at.depth - a.at.depth : a.at.depth - b.at.depth);

interface Sides {
  readonly run: Trace;
  /** The statements below each call of both. */
  readonly sentBefore: Statements;
  readonly sentNow: Statements;
  readonly byId: ReadonlyMap<number, Call>;
  readonly changes: readonly CallChange[];
}

function eventsOf(
  { a, b, differences }: CallChange,
  { run, sentBefore, sentNow, byId, changes }: Sides,
): readonly Event[] {
  if (b === null) return a === null ? [] : missing(a, run, changes);
  const by = b.parentId === null ? null : (byId.get(b.parentId) ?? null);
  const begins = { by, at: b, leaf: null, isExpected: false, us: b.startUs, rank: 1 };
  if (a === null) return [{ ...begins, kind: "extra", differences: [] }];
  const ends = { by: b, at: b, leaf: null, us: endOf(b, run), rank: 0 };
  const [given, ended] = [differences.filter(isOfArguments), differences.filter((one) => !isOfArguments(one))];
  return [
    ...(given.length === 0 ? [] : [{ ...begins, kind: "arguments", differences: given } as const]),
    ...statementEvents(sentBefore.get(a.id) ?? [], sentNow.get(b.id) ?? [], b),
    ...(ended.length === 0
      ? []
      : [{ ...ends, kind: "result", differences: ended, isExpected: given.length > 0 } as const]),
  ];
}

const isOfArguments = ({ path }: Difference): boolean => path.startsWith("$.args");

/** A call missing in the run. It belongs to the call around it, at that call's end. Calls below it are not listed. */
function missing(a: Call, run: Trace, changes: readonly CallChange[]): readonly Event[] {
  const around = changes.find((change) => change.a !== null && change.a.id === a.parentId);
  if (a.parentId !== null && (around?.b ?? null) === null) return [];
  const by = around?.b ?? null;
  const us = by === null ? run.durationUs : endOf(by, run);
  return [{ kind: "missing", by, at: a, leaf: null, differences: [], isExpected: false, us, rank: -1 }];
}

type Statements = ReadonlyMap<number | null, readonly Leaf[]>;

const statementsOf = ({ leaves }: Trace): Statements => byParent(leaves.filter(({ kind }) => kind === "sql"));

/** The statements of one call in two runs, in their order. */
function statementEvents(a: readonly Leaf[], b: readonly Leaf[], call: Call): readonly Event[] {
  return b.flatMap((leaf, index): Event[] => {
    const other = a[index];
    if (leaf.kind !== "sql" || other?.kind !== "sql") return [];
    const about = { by: call, at: call, leaf };
    const sent = diffJson(sentBy(other), sentBy(leaf));
    if (sent.length > 0)
      return [{ ...about, kind: "statement", differences: sent, isExpected: false, us: leaf.startUs, rank: 1 }];
    const rows = diffJson(broughtBy(other), broughtBy(leaf));
    const us = leaf.startUs + (leaf.durationUs ?? 0);
    return rows.length === 0 ? [] : [{ ...about, kind: "rows", differences: rows, isExpected: false, us, rank: -1 }];
  });
}

type Statement = Extract<Leaf, { kind: "sql" }>;
const sentBy = ({ detail: { statement, parameters } }: Statement): Json => ({ statement, parameters });
const broughtBy = ({ detail: { rows, result = null }, error }: Statement): Json => ({
  rows,
  result,
  error: error === null ? null : error.message,
});

/** Whether it only comes from an earlier difference. */
function isCarried(difference: Difference, carried: ReadonlySet<string>): boolean {
  const scalars = scalarsOf(afterOf(difference));
  return scalars.length > 0 && scalars.every((one) => carried.has(one));
}

const afterOf = (difference: Difference): Json | undefined =>
  difference.kind === "removed" ? undefined : difference.after;

/** The scalars in a value, without their places. */
function scalarsOf(value: Json | undefined): readonly string[] {
  if (value === undefined) return [];
  if (typeof value !== "object" || value === null) return [`${typeof value} ${String(value)}`];
  return Object.values(value).flatMap((inner: Json) => scalarsOf(inner));
}
