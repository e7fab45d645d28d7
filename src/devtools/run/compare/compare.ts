/**
 * Compares two runs call by call, in entry order. Pure.
 *
 *   calls of A, calls of B ──▶ aligned by bean and method ──▶ in both (and how they differ) │ only in A │ only in B
 *
 * The page, the terminal and agents share this room, so that all show the same differences.
 */
import { align } from "./diff-align.ts";
import { diffJson, type Difference } from "./diff.ts";
import type { Call, Json, Leaf, Trace } from "../shapes.ts";

/** The run or runs that something belongs to. */
export type Side = "both" | "a" | "b";

/** One call of either run, or the same call of both. */
export interface CallChange {
  readonly side: Side;
  readonly a: Call | null;
  readonly b: Call | null;
  /** How arguments, result and error of the same call differ. */
  readonly differences: readonly Difference[];
}

/** Two statements at the same position; null after the end of a run's statements. */
export interface StatementChange {
  /** 0 for the first statement of the run. */
  readonly index: number;
  readonly a: string | null;
  readonly b: string | null;
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

/** The arguments and result of a call, and its error if it has one. */
function gist(call: Call): Json {
  const outcome: { readonly [key: string]: Json } =
    call.error === null ? { result: call.result } : { error: { name: call.error.name, message: call.error.message } };
  return { args: call.args, ...outcome };
}

/** The first position at which two runs sent different statements; parameters are not compared. */
export function firstOtherStatement(a: readonly Leaf[], b: readonly Leaf[]): StatementChange | null {
  const sent = (leaves: readonly Leaf[]): string[] =>
    leaves.flatMap((leaf) => (leaf.kind === "sql" ? [leaf.detail.statement] : []));
  const [sentA, sentB] = [sent(a), sent(b)];
  const length = Math.max(sentA.length, sentB.length);
  const index = Array.from({ length }, (_, i) => i).find((i) => sentA[i] !== sentB[i]);
  return index === undefined ? null : { index, a: sentA[index] ?? null, b: sentB[index] ?? null };
}

/** The comparable parts of a response, which are its status and its body. */
export function responseOf(trace: Trace): Json {
  return { status: trace.status, body: trace.response.body };
}
