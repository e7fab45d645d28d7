/**
 * Outside beans: the parts of a run in which no recorded call was running. Pure.
 *
 *   |▒▒▒ before the first call ▒▒▒|── calls ──|▒ between ▒|── calls ──|▒▒ after the last call ▒▒|
 *
 * If the run has phases, such as parsing and each middleware, a part has the name of the innermost phase that was running then.
 * Without them, or where none was running, it has only its place.
 */
import { endOf } from "./calls.ts";
import type { Trace } from "./shapes.ts";
import { gapsBetween, type Span } from "./spans.ts";

/** A phase of the framework's own work. Those around other middleware and the handler contain them. */
export interface Phase {
  readonly kind: "event-loop" | "parsing" | "middleware" | "handler" | "serialization" | "compression" | "sending";
  /** Of a middleware, its own name. */
  readonly name: string;
  readonly startUs: number;
  readonly durationUs: number;
}

/** A part of the time outside of calls. */
export interface OutsidePart extends Span {
  /** The phase, or the place of a part without one. */
  readonly kind: Phase["kind"] | "before" | "between" | "after";
  readonly name: string;
}

/** A run that may have phases. */
export type TraceWithPhases = Trace & { readonly phases?: readonly Phase[] | undefined };

/** The parts in the order of time. A run without calls is one part. */
export function outsideParts(trace: TraceWithPhases): readonly OutsidePart[] {
  const busy = trace.calls
    .filter(({ parentId }) => parentId === null)
    .map((call) => ({ startUs: call.startUs, endUs: endOf(call, trace) }));
  const firstUs = busy.reduce((first, { startUs }) => Math.min(first, startUs), Infinity);
  const placeOf = ({ startUs, endUs }: Span): OutsidePart => {
    const span = { startUs, endUs };
    if (busy.length === 0) return { ...span, kind: "before", name: "no call" };
    if (endUs <= firstUs) return { ...span, kind: "before", name: "before the first call" };
    return endUs < trace.durationUs
      ? { ...span, kind: "between", name: "between calls" }
      : { ...span, kind: "after", name: "after the last call" };
  };
  return gapsBetween(busy, 0, trace.durationUs).flatMap((gap) => named(gap, trace.phases ?? [], placeOf));
}

/** A gap, cut where a phase begins or ends. */
function named(gap: Span, phases: readonly Phase[], placeOf: (span: Span) => OutsidePart): readonly OutsidePart[] {
  const inside = phases.filter(
    ({ startUs, durationUs }) => startUs < gap.endUs && startUs + durationUs > gap.startUs && durationUs > 0,
  );
  const cuts = new Set([gap.startUs, gap.endUs]);
  for (const { startUs, durationUs } of inside)
    for (const at of [startUs, startUs + durationUs]) if (at > gap.startUs && at < gap.endUs) cuts.add(at);
  const at = [...cuts].sort((a, b) => a - b);
  const parts: OutsidePart[] = [];
  for (const [i, startUs] of at.slice(0, -1).entries()) {
    const endUs = at[i + 1] ?? gap.endUs;
    const phase = innermost(inside, startUs, endUs);
    const part = phase ? { startUs, endUs, kind: phase.kind, name: phase.name } : { ...placeOf(gap), startUs, endUs };
    const last = parts.at(-1);
    if (last && last.kind === part.kind && last.name === part.name) parts[parts.length - 1] = { ...last, endUs };
    else parts.push(part);
  }
  return parts;
}

/** Of the phases that were running, the one that began last, and of those the shortest. */
function innermost(phases: readonly Phase[], startUs: number, endUs: number): Phase | undefined {
  const running = phases.filter((one) => one.startUs <= startUs && one.startUs + one.durationUs >= endUs);
  return running.sort((a, b) => b.startUs - a.startUs || a.durationUs - b.durationUs)[0];
}

/** The parts of one name, which a middleware has before and after what it calls. */
export interface OutsideSum {
  readonly kind: OutsidePart["kind"];
  readonly name: string;
  readonly us: number;
}

/** The time of each name, in the order of the first part of each. */
export function outsideSums(parts: readonly OutsidePart[]): readonly OutsideSum[] {
  const sums = new Map<string, OutsideSum>();
  for (const { kind, name, startUs, endUs } of parts) {
    const before = sums.get(`${kind} ${name}`)?.us ?? 0;
    sums.set(`${kind} ${name}`, { kind, name, us: before + endUs - startUs });
  }
  return [...sums.values()];
}
