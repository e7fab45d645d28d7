/**
 * Why: the findings of a run as the page lists them, in the order of a debugger's questions: what went wrong, what took the time,
 * what is not recorded. Each has a sign and the word for it. Then where the time went. Pure.
 */
import { outsideName } from "../outside.ts";
import type { Trace } from "../shapes.ts";
import { explain } from "./explain.ts";
import { signOf, type Finding, type FindingKind } from "./findings.ts";
import { WHERE, whereOf, type WhereKind } from "./where.ts";

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
export interface WhyRow extends Omit<Finding, "call"> {
  readonly callId: number | null;
  /** `65 %`, `30×`, `≠`, `!`. */
  readonly sign: string;
  /** What the sign stands for. */
  readonly word: string;
}

/** All about a run. */
export interface Why {
  readonly rows: readonly WhyRow[];
  /** The parts of its time along the critical path, which add up to it. */
  readonly parts: readonly { readonly kind: WhereKind; readonly name: string; readonly us: number }[];
  /** The steps outside of beans on that path, the first ones; empty if none were recorded. */
  readonly steps: readonly { readonly name: string; readonly us: number }[];
}

/** How many steps outside of beans are named. */
const STEPS = 12;

/**
 * Explains a run. @param good the run to compare it with, if one is known @param others runs that may have overlapped with it
 * @param own the part of it in its own process
 */
export function whyOf(trace: Trace, good: Trace | undefined, others: readonly Trace[] = [], own: Trace = trace): Why {
  const { parts, steps } = whereOf(trace);
  const named = trace.phases === undefined ? [] : steps.slice(0, STEPS);
  return {
    rows: sorted(explain(trace, good, others, own)).map((one) => rowOf(one, trace)),
    parts: parts.map(({ kind, us }) => ({ kind, name: WHERE[kind], us })),
    steps: named.map((step) => ({ name: outsideName(step), us: step.us })),
  };
}

function sorted(all: readonly Finding[]): readonly Finding[] {
  const time = all.filter(({ kind }) => ofTime.has(kind)).sort((a, b) => (b.costUs ?? 0) - (a.costUs ?? 0));
  const first = all.findIndex(({ kind }) => ofTime.has(kind));
  const rest = all.filter(({ kind }) => !ofTime.has(kind));
  const before = first < 0 ? rest : all.slice(0, first);
  return [...before, ...time, ...rest.slice(before.length)];
}

function rowOf(one: Finding, trace: Trace): WhyRow {
  const { call, ...more } = one;
  return { ...more, callId: call?.id ?? null, sign: signOf(one, trace), word: words[one.kind] };
}
