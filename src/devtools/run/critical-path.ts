/**
 * The critical path of a run: which call or leaf bounded the end at each moment. Pure.
 *
 *   Web ████████████████████        Web ▔▔        ▔▔▔▔
 *    ├ A  ████                ──▶    A    ▔▔▔▔             from the end backwards: of the calls and leaves that ended before
 *    ├ B      ████████               B        ▔▔▔▔         the next one began, always the latest
 *    └ C      █████
 *
 * Between two of its parts there is no gap: where nothing below a call was running, the call itself is the part.
 */
import type { Call, Leaf, Trace } from "./shapes.ts";
import { groupBy } from "./values.ts";

/** A part of the critical path, in which one call or leaf, and nothing below it, bounded the end. */
export interface CriticalPart {
  /** The call, or for a leaf the call around it. Null is the run itself. */
  readonly callId: number | null;
  /** Undefined for the call's own work. */
  readonly leafId?: number | undefined;
  readonly fromUs: number;
  readonly toUs: number;
}

/** A call, a leaf or the run, with what is below it, the latest first. */
interface Frame {
  readonly callId: number | null;
  readonly leafId?: number | undefined;
  readonly fromUs: number;
  readonly below: readonly (Call | Leaf)[];
  /** The next one of `below`. */
  at: number;
  /** Before this moment, nothing is known yet. */
  boundUs: number;
  /** Whether it has a part. */
  hasPart: boolean;
}

/** The parts in the order of time. A call without own time on the path has an empty part, so that each call on it is there. */
export function criticalPath(trace: Trace): readonly CriticalPart[] {
  const { calls, durationUs } = trace;
  const leaves = trace.leaves.filter(({ kind }) => kind !== "log");
  const children = groupBy<number | null, Call | Leaf>([...calls, ...leaves], ({ parentId }) => parentId);
  const end = (one: Call | Leaf): number =>
    one.durationUs === null ? Math.max(one.startUs, durationUs) : one.startUs + one.durationUs;
  const latestFirst = (callId: number | null): readonly (Call | Leaf)[] =>
    [...(children.get(callId) ?? [])].sort((a, b) => end(b) - end(a) || b.id - a.id);
  const roots = latestFirst(null);
  const endUs = Math.max(durationUs, ...roots.slice(0, 1).map(end));
  const parts: CriticalPart[] = [];
  // Not recursive, since a run may be as deep as its bound of calls.
  const open: Frame[] = [{ callId: null, fromUs: 0, below: roots, at: 0, boundUs: endUs, hasPart: true }];
  for (let frame = open.at(-1); frame !== undefined; frame = open.at(-1)) {
    const { callId, leafId, fromUs, below } = frame;
    const next = below[frame.at++];
    if (next && end(next) > frame.boundUs) continue;
    const from = next ? end(next) : fromUs;
    if (from < frame.boundUs || (!next && !frame.hasPart)) {
      parts.push({ callId, leafId, fromUs: Math.min(from, frame.boundUs), toUs: frame.boundUs });
      frame.hasPart = true;
    }
    if (!next) open.pop();
    else {
      frame.boundUs = Math.min(frame.boundUs, next.startUs);
      open.push(frameOf(next, end(next), latestFirst));
    }
  }
  return parts.reverse();
}

function frameOf(one: Call | Leaf, boundUs: number, latestFirst: (callId: number) => readonly (Call | Leaf)[]): Frame {
  const fromUs = one.startUs;
  return "bean" in one
    ? { callId: one.id, fromUs, below: latestFirst(one.id), at: 0, boundUs, hasPart: false }
    : { callId: one.parentId, leafId: one.id, fromUs, below: [], at: 0, boundUs, hasPart: false };
}
