/**
 * Differences: what two runs did differently, as the page lists it. Pure.
 */
import type { Call, Json, LeafKind, Trace } from "../shapes.ts";
import { spentByKind, type KindSpent, type Spent } from "../spent.ts";
import { compareCalls, firstOtherStatement, responseOf, type Side, type StatementChange } from "./compare.ts";
import { diffJson, type Difference } from "./diff.ts";
import { firstDifference } from "./first-difference.ts";

/** A call of one run alone, or of both with differences. */
export interface DifferentCall extends Pick<Call, "bean" | "method" | "durationUs"> {
  readonly side: Side;
  readonly args: readonly Json[];
  readonly differences: readonly Difference[];
}

/** The leaves of two runs, of one kind. */
export interface LeafChange {
  readonly kind: LeafKind;
  readonly a: Spent;
  readonly b: Spent;
}

/** The differences of two runs. */
export interface Differences {
  readonly calls: readonly DifferentCall[];
  readonly response: readonly Difference[];
  readonly leaves: readonly LeafChange[];
  /** The first statement that differs, or null if all are the same. */
  readonly statement: StatementChange | null;
  /** If B is a replay of A: the first difference as a sentence. */
  readonly first: string | null;
}

/** Compares two runs. */
export function differencesOf(a: Trace, b: Trace): Differences {
  const calls = compareCalls(a.calls, b.calls);
  const response = diffJson(responseOf(a), responseOf(b));
  return {
    calls: calls.flatMap(({ side, differences, ...of }) => {
      const call = of.b ?? of.a;
      if (call === null || (side === "both" && differences.length === 0)) return [];
      const { bean, method, durationUs, args } = call;
      return [{ side, bean, method, durationUs, args: side === "both" ? [] : args, differences }];
    }),
    response,
    leaves: compareLeaves(a, b),
    statement: firstOtherStatement(a.leaves, b.leaves),
    first: firstDifference({ a, b, calls, response }),
  };
}

/** The leaves of two runs, of each kind that either has. */
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
