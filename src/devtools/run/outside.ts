/**
 * Outside: the time of a run in which no bean was called, by the step that it was spent in. Pure.
 *
 *   run    ├──────────────────────────────┤
 *   calls          ├────────┤   ├────┤
 *   steps   ├auth┤├────show────────────┤├send┤      ──▶ auth, show (what is left of it), send, and the rest, which no step has
 */
import { endOf } from "./calls.ts";
import type { Phase, Trace } from "./shapes.ts";
import { gapsBetween } from "./spans.ts";
import { groupBy } from "./values.ts";

/** The kind of a step, or `other` for time that no step has: routing, a host, devtools themselves. */
export type OutsideKind = Phase["kind"] | "other";

/** A part of the time outside of beans. */
export interface OutsideSpan {
  readonly kind: OutsideKind;
  readonly name: string;
  readonly startUs: number;
  readonly endUs: number;
}

/** A step with all of its time outside of beans. */
export interface OutsideTime {
  readonly kind: OutsideKind;
  readonly name: string;
  readonly us: number;
}

/** The parts between two times, without a gap, in order. @param steps in order of start */
export function spansBetween(steps: readonly Phase[], fromUs: number, toUs: number): OutsideSpan[] {
  const spans: OutsideSpan[] = [];
  let atUs = fromUs;
  const other = (endUs: number): void => {
    if (endUs > atUs) spans.push({ kind: "other", name: "other", startUs: atUs, endUs });
  };
  for (const { kind, name, startUs, durationUs } of steps) {
    const [from, to] = [Math.max(startUs, atUs), Math.min(startUs + durationUs, toUs)];
    if (from >= to) continue;
    other(from);
    spans.push({ kind, name, startUs: from, endUs: to });
    atUs = to;
  }
  other(toUs);
  return spans;
}

/** The parts of the run in which no bean was called, in order. */
export function outsideSpans(trace: Trace): readonly OutsideSpan[] {
  const { calls, phases = [], durationUs } = trace;
  const busy = calls
    .filter(({ parentId }) => parentId === null)
    .map((call) => ({ startUs: call.startUs, endUs: endOf(call, trace) }));
  return gapsBetween(busy, 0, durationUs).flatMap(({ startUs, endUs }) => spansBetween(phases, startUs, endUs));
}

/** The time outside of beans by step, the longest first. It adds up to the self time of the run. */
export const outsideOf = (trace: Trace): readonly OutsideTime[] => timesOf(outsideSpans(trace));

/** Spans of one step as one time. */
export function timesOf(spans: readonly OutsideSpan[]): OutsideTime[] {
  return [...groupBy(spans, ({ kind, name }) => `${kind} ${name}`).values()]
    .flatMap(([first, ...more]) => {
      if (first === undefined) return [];
      const us = [first, ...more].reduce((sum, { startUs, endUs }) => sum + endUs - startUs, 0);
      return [{ kind: first.kind, name: first.name, us }];
    })
    .sort((a, b) => b.us - a.us);
}

const WORDS: Readonly<Record<OutsideKind, string>> = {
  "event-loop": "event loop",
  parsing: "parsing",
  middleware: "middleware",
  handler: "handler",
  serialization: "serialization",
  compression: "compression",
  sending: "sending",
  other: "other",
};

/** `middleware Auth`, `parsing JSON body`, `compression gzip`, `serialization`. */
export function outsideName({ kind, name }: Pick<OutsideTime, "kind" | "name">): string {
  const word = WORDS[kind];
  return name === "response" || name === word ? word : `${word} ${name}`;
}
