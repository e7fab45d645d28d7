/**
 * Tree: the calls and leaves of a run in the order of their starts, each below its caller. Pure.
 */
import { byParent } from "./calls.ts";
import { type TimelineRow } from "./timeline-rows.ts";
import type { Call, Leaf, Trace } from "./shapes.ts";

/** A line of the tree, which is a call or a leaf with the branches before it. */
export interface TreeLine {
  /** `│  └─ `; empty at the root. */
  readonly branches: string;
  readonly row?: TimelineRow | undefined;
  readonly leaf?: Leaf | undefined;
}

/** The tree, line by line. */
export function treeOf(trace: Trace, rows: readonly TimelineRow[]): readonly TreeLine[] {
  const rowOf = new Map(rows.map((row) => [row.call.id, row]));
  const calls = byParent(rows.map(({ call }) => call));
  const leaves = byParent(trace.leaves);
  const lines: TreeLine[] = [];
  // Not recursive, since a run may be as deep as its bound of calls.
  const open: {
    readonly node: Call | Leaf;
    readonly lead: string;
    readonly isLast: boolean;
    readonly isRoot: boolean;
  }[] = [];
  const push = (parent: number | null, lead: string, isRoot: boolean): void => {
    const inside = [...(calls.get(parent) ?? []), ...(leaves.get(parent) ?? [])].sort((a, b) => a.startUs - b.startUs);
    for (const [at, node] of [...inside.entries()].reverse())
      open.push({ node, lead, isLast: at === inside.length - 1, isRoot });
  };
  push(null, "", true);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, lead, isLast, isRoot } = next;
    const branches = isRoot ? "" : `${lead}${isLast ? "└─ " : "├─ "}`;
    if (!("bean" in node)) lines.push({ branches, leaf: node });
    else {
      lines.push({ branches, row: rowOf.get(node.id) });
      push(node.id, isRoot ? "" : `${lead}${isLast ? "   " : "│  "}`, false);
    }
  }
  return lines;
}
