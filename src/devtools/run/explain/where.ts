/**
 * Where: the time of a run, divided along its critical path. Pure.
 *
 *   run     ├────────────────────────────────┤
 *   find        ├───┤                               what ended last is on the path, then what ended before that began,
 *   rate            ├───────────────┤               and so on; the same inside of each call
 *   http              ├────────────┤
 *           │out│find│rt│http       │rt│ out   │  ──▶ each microsecond belongs to one part, so the parts are the run
 *
 * If two ran side by side and neither waited for the other, the path goes through the one that ended last, and through the other
 * only where the first did not run.
 */
import { byParent, endOf } from "../calls.ts";
import { spansBetween, timesOf, type OutsideSpan, type OutsideTime } from "../outside.ts";
import type { Call, Leaf, Trace } from "../shapes.ts";

/** What a part of a run was spent on. */
export type WhereKind = "http" | "sql" | "cache" | "message" | "span" | "outside" | "sync" | "beans";

/** The kinds in the order in which they are drawn, and their names. */
export const WHERE: Readonly<Record<WhereKind, string>> = {
  http: "HTTP",
  sql: "SQL",
  cache: "cache",
  message: "messages",
  span: "other steps",
  outside: "outside beans",
  sync: "synchronous",
  beans: "beans",
};

/** A stretch of the critical path. */
export interface Stretch {
  readonly kind: WhereKind;
  readonly startUs: number;
  readonly endUs: number;
  /** The call that ran; null outside of beans. */
  readonly call: Call | null;
  readonly leaf: Leaf | null;
  /** The step outside of beans, if the time was there. */
  readonly step: OutsideSpan | null;
}

/** A part of a run's time. */
export interface Part {
  readonly kind: WhereKind;
  readonly us: number;
}

/** A run's time: its parts in the order of `WHERE`, which add up to it, and the steps outside of beans on the path. */
export interface Where {
  readonly parts: readonly Part[];
  readonly steps: readonly OutsideTime[];
  /** In order of start, without a gap. */
  readonly stretches: readonly Stretch[];
}

/** Divides the run's time. */
export function whereOf(trace: Trace): Where {
  const stretches = stretchesOf(trace);
  const kinds = Object.keys(WHERE) as WhereKind[];
  const sums = new Map<WhereKind, number>();
  for (const { kind, startUs, endUs } of stretches) sums.set(kind, (sums.get(kind) ?? 0) + endUs - startUs);
  const parts = kinds.flatMap((kind) => {
    const us = sums.get(kind) ?? 0;
    return us === 0 ? [] : [{ kind, us }];
  });
  return { parts, steps: timesOf(stretches.flatMap(({ step }) => step ?? [])), stretches };
}

/** A call, a leaf or the run itself, within the bounds of what is around it. */
interface Window {
  readonly of: Call | Leaf | null;
  readonly fromUs: number;
  readonly toUs: number;
}

/** The critical path as stretches, without a gap from 0 to the end. Not recursive, since a run may be as deep as its bound. */
function stretchesOf(trace: Trace): Stretch[] {
  const leaves = trace.leaves.filter(({ kind }) => kind !== "log");
  const inside = byParent<Call | Leaf>([...trace.calls, ...leaves]);
  for (const list of inside.values()) list.sort((a, b) => endOf(b, trace) - endOf(a, trace) || b.id - a.id);
  const found: Stretch[] = [];
  const open: Window[] = [{ of: null, fromUs: 0, toUs: trace.durationUs }];
  for (let window = open.pop(); window !== undefined; window = open.pop()) {
    const { of, fromUs, toUs } = window;
    const own = (startUs: number, endUs: number): number => found.push(...ownStretches(of, startUs, endUs, trace));
    if (of !== null && !("bean" in of)) own(fromUs, toUs);
    else open.push(...chainIn(window, inside.get(of?.id ?? null) ?? [], trace, own));
  }
  return found.sort((a, b) => a.startUs - b.startUs);
}

/** The parts of a window in which something inside ran. The rest is reported as its own time. @param latestFirst all inside */
function chainIn(
  { fromUs, toUs }: Window,
  latestFirst: readonly (Call | Leaf)[],
  trace: Trace,
  own: (startUs: number, endUs: number) => unknown,
): readonly Window[] {
  const chain: Window[] = [];
  const aside: (Call | Leaf)[] = [];
  const gap = (startUs: number, endUs: number): void => {
    let atUs = endUs;
    // Something that was still running when the next one on the path had begun.
    for (const one of aside) {
      const [from, to] = [Math.max(one.startUs, startUs), Math.min(endOf(one, trace), atUs)];
      if (from >= to) continue;
      if (to < atUs) own(to, atUs);
      chain.push({ of: one, fromUs: from, toUs: to });
      atUs = from;
    }
    if (atUs > startUs) own(startUs, atUs);
  };
  let boundUs = toUs;
  for (const one of latestFirst) {
    const [startUs, endUs] = [Math.max(one.startUs, fromUs), endOf(one, trace)];
    if (startUs >= boundUs) continue;
    // A span may lie around the others of its call, so it has only what they leave.
    if (endUs > boundUs || ("kind" in one && one.kind === "span")) {
      aside.push(one);
      continue;
    }
    if (endUs <= startUs) continue;
    gap(endUs, boundUs);
    chain.push({ of: one, fromUs: startUs, toUs: endUs });
    boundUs = startUs;
  }
  gap(fromUs, boundUs);
  return chain;
}

function ownStretches(of: Call | Leaf | null, startUs: number, endUs: number, trace: Trace): readonly Stretch[] {
  if (startUs >= endUs) return [];
  const stretch = (
    kind: WhereKind,
    from: number,
    to: number,
    call: Call | null,
    leaf: Leaf | null,
    step: OutsideSpan | null,
  ): Stretch => ({ kind, startUs: from, endUs: to, call, leaf, step });
  if (of === null)
    return spansBetween(trace.phases ?? [], startUs, endUs).map((step) =>
      stretch("outside", step.startUs, step.endUs, null, null, step),
    );
  if ("bean" in of) return [stretch(of.async ? "beans" : "sync", startUs, endUs, of, null, null)];
  if (of.kind === "log") return [];
  const call = trace.calls.find(({ id }) => id === of.parentId) ?? null;
  return [stretch(of.kind, startUs, endUs, call, of, null)];
}
