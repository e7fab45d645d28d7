/**
 * Phases: the steps of a request as parts of its time that do not overlap.
 *
 *   auth   ├───────────────────────────┤          auth     ├──┤               ├──┤
 *   route     ├────────────────────┤         ──▶  route       ├──┤       ├────┤
 *   JSON         ├───────┤                        JSON           ├───────┤
 *
 * Each moment belongs to the step that began last, which is the innermost one.
 *
 * Spec: spec/trace.md
 */
import type { Phase as Step } from "framework";
import type { Phase } from "../run/shapes.ts";

/** The most steps that are kept of one request, since an application can have any number. */
export const MAX_STEPS = 100;
/** The most parts that a trace has. */
const MAX_PARTS = 100;

/** A step with its times, of `performance.now()`. */
export type TimedStep = Pick<Phase, "kind" | "name"> & Pick<Step, "startedAt" | "endedAt">;

/** A step in microseconds from the start of the request. */
interface Span {
  readonly step: Pick<Phase, "kind" | "name">;
  readonly fromUs: number;
  readonly toUs: number;
}

/** The parts of the steps, in order of start. @param startedAt of `performance.now()` @param durationUs of the request */
export function phasesOf(steps: readonly TimedStep[], startedAt: number, durationUs: number): Phase[] {
  const at = (time: number): number => Math.min(durationUs, Math.max(0, Math.floor((time - startedAt) * 1_000)));
  const spans = steps
    .map((step): Span => ({ step, fromUs: at(step.startedAt), toUs: at(step.endedAt) }))
    .sort((a, b) => a.fromUs - b.fromUs || b.toUs - a.toUs);
  const parts: Phase[] = [];
  const open: Span[] = [];
  let reachedUs = 0;
  /** Gives the time up to there to the innermost open steps. */
  const pass = (toUs: number): void => {
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      const endUs = Math.min(top.toUs, toUs);
      const { kind, name } = top.step;
      if (endUs > reachedUs) parts.push({ kind, name, startUs: reachedUs, durationUs: endUs - reachedUs });
      reachedUs = Math.max(reachedUs, endUs);
      if (top.toUs > toUs) return;
      open.pop();
    }
  };
  for (const span of spans) {
    pass(span.fromUs);
    reachedUs = Math.max(reachedUs, span.fromUs);
    open.push(span);
  }
  pass(Infinity);
  return parts.slice(0, MAX_PARTS);
}
