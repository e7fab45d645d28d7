/**
 * The findings of a run in the Why tab, in the order of a debugger's questions: what went wrong, what took the time, what is not
 * recorded. Each has a sign and the word for it.
 */

import { explain } from "../../run/explain/explain.ts";
import { signOf, type Finding, type FindingKind } from "../../run/explain/findings.ts";
import type { Trace } from "../../run/shapes.ts";

/** The word for each kind. */
const words: Readonly<Record<FindingKind, string>> = {
  error: "Error",
  origin: "Where a value came from",
  contract: "Contract",
  swallowed: "Swallowed",
  unfinished: "Not awaited",
  difference: "Different",
  interleaved: "Another run between",
  logged: "Logged",
  "failed-request": "Failed request",
  retry: "Tried again",
  "repeated-statement": "Repeated",
  "repeated-request": "Repeated",
  "repeated-call": "Repeated",
  sequence: "In sequence",
  slow: "Slow",
  "own-time": "Own time",
  line: "Line of code",
  "critical-path": "Longest chain",
  dropped: "Not recorded",
};

/** The kinds about time, sorted by their cost. */
const ofTime: ReadonlySet<FindingKind> = new Set([
  "retry",
  "repeated-statement",
  "repeated-request",
  "repeated-call",
  "sequence",
  "slow",
  "own-time",
  "line",
]);

/** A finding as a row. */
export interface FindingRow {
  readonly finding: Finding;
  /** `65 %`, `30×`, `≠`, `!`. */
  readonly sign: string;
  /** What the sign stands for. */
  readonly word: string;
}

/**
 * The findings of a run. @param good the run to compare it with, if one is known @param others runs that may have overlapped with
 * it @param own the part of it in this application
 */
export function findingRows(
  trace: Trace,
  good: Trace | undefined,
  others: readonly Trace[] = [],
  own: Trace = trace,
): readonly FindingRow[] {
  const all = explain(trace, good, others, own);
  const time = all.filter(({ kind }) => ofTime.has(kind)).sort((a, b) => (b.costUs ?? 0) - (a.costUs ?? 0));
  const first = all.findIndex(({ kind }) => ofTime.has(kind));
  const rest = all.filter(({ kind }) => !ofTime.has(kind));
  const before = first < 0 ? rest : all.slice(0, first);
  const sorted = [...before, ...time, ...rest.slice(before.length)];
  return sorted.map((finding) => ({ finding, sign: signOf(finding, trace), word: words[finding.kind] }));
}
