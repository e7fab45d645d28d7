/**
 * Leaves among the lines of the timeline: each after its call, and after those of the call's own calls that had begun before it.
 * Pure.
 *
 *   lines (calls, folds) + leaves ──▶ the same lines, with a line for each leaf of a call that is open
 */

import { byParent } from "../../run/calls.ts";
import type { Call, Leaf } from "../../run/shapes.ts";
import type { TimelineLine } from "./timeline.ts";

/** A statement, a request, a log line …, under its call. */
export interface LeafLine {
  readonly kind: "leaf";
  readonly leaf: Leaf;
  readonly caller: Call | undefined;
  /** 0 below the request itself. */
  readonly depth: number;
}

/** A line of the timeline. */
export type RunLine = TimelineLine | LeafLine;

/** Whether this call's list of leaves is open. Null is the request itself. */
export type IsOpen = (callId: number | null) => boolean;

/** The lines with the leaves. Those of a folded call are left out. */
export function withLeafLines(
  lines: readonly TimelineLine[],
  calls: readonly Call[],
  leaves: readonly Leaf[],
  isOpen: IsOpen,
): RunLine[] {
  if (leaves.length === 0) return [...lines];
  const byId = new Map(calls.map((call) => [call.id, call]));
  const children = byParent(calls);
  const lineOf = new Map<number, TimelineLine>();
  const folded = new Set<number>();
  for (const line of lines) {
    if (line.kind === "call") lineOf.set(line.row.call.id, line);
    if (line.kind !== "fold" || line.open) continue;
    for (const { call } of line.rows) {
      lineOf.set(call.id, line);
      folded.add(call.id);
    }
  }
  const after = new Map<TimelineLine | undefined, LeafLine[]>();
  for (const leaf of leaves) {
    const caller = leaf.parentId === null ? undefined : byId.get(leaf.parentId);
    if (!isOpen(caller?.id ?? null) || (caller && (folded.has(caller.id) || !lineOf.has(caller.id)))) continue;
    const anchor = shownLine(lastBefore(leaf, caller, children), byId, lineOf);
    const own = after.get(anchor);
    const line: LeafLine = { kind: "leaf", leaf, caller, depth: caller ? caller.depth + 1 : 0 };
    if (!own) after.set(anchor, [line]);
    else own.push(line);
  }
  return [...(after.get(undefined) ?? []), ...lines.flatMap((line): RunLine[] => [line, ...(after.get(line) ?? [])])];
}

/** How many leaves each call has; null is the request itself. */
export function leafCounts(leaves: readonly Leaf[]): ReadonlyMap<number | null, number> {
  const counts = new Map<number | null, number>();
  for (const { parentId } of leaves) counts.set(parentId, (counts.get(parentId) ?? 0) + 1);
  return counts;
}

/** The last call within the leaf's call that had begun before it, or that call itself. */
function lastBefore(
  leaf: Leaf,
  caller: Call | undefined,
  children: ReadonlyMap<number | null, readonly Call[]>,
): Call | undefined {
  let at = caller;
  for (;;) {
    const next = children.get(at?.id ?? null)?.findLast((call) => call.startUs <= leaf.startUs);
    if (!next) return at;
    at = next;
  }
}

/** The line of a call, or of the nearest one around it with a line. */
function shownLine(
  call: Call | undefined,
  byId: ReadonlyMap<number, Call>,
  lineOf: ReadonlyMap<number, TimelineLine>,
): TimelineLine | undefined {
  for (let at = call; at; at = at.parentId === null ? undefined : byId.get(at.parentId)) {
    const line = lineOf.get(at.id);
    if (line) return line;
  }
  return undefined;
}
