/**
 * The cost of leaves: how many of each kind, and for how long at least one of them was running. Pure.
 */

import { callerOf, coveredUs } from "./calls.ts";
import type { Leaf, LeafKind, Trace } from "./shapes.ts";
import { count, duration } from "./format.ts";

/** Leaves of one kind. */
export interface KindSpent {
  readonly kind: LeafKind;
  readonly count: number;
  /** Leaves that overlap count once. */
  readonly totalUs: number;
}

/** The name of each kind of leaf, one and many. */
export const KINDS: Readonly<Record<LeafKind, readonly [one: string, many: string]>> = {
  sql: ["SQL", "SQL"],
  http: ["HTTP", "HTTP"],
  cache: ["cache", "cache"],
  message: ["message", "messages"],
  span: ["span", "spans"],
  log: ["log line", "log lines"],
};

const inOrder = Object.keys(KINDS) as LeafKind[];

/** The kinds that occur. `endUs` is the end of leaves that had not ended. */
export function spentByKind(leaves: readonly Leaf[], endUs: number): KindSpent[] {
  return inOrder.flatMap((kind) => {
    const own = leaves.filter((leaf) => leaf.kind === kind);
    if (own.length === 0) return [];
    const end = (leaf: Leaf): number => (leaf.durationUs === null ? endUs : leaf.startUs + leaf.durationUs);
    const totalUs = coveredUs(own, end, Math.max(endUs, ...own.map(end)));
    return [{ kind, count: own.length, totalUs }];
  });
}

/** `9 SQL 31 ms`. A log line takes no time. */
export function spentText({ kind, count: n, totalUs }: KindSpent): string {
  const words = count(n, ...KINDS[kind]);
  return kind === "log" ? words : `${words} ${duration(totalUs)}`;
}

/** `12 calls · 9 SQL 31 ms · 1 HTTP 4.00 ms`. */
export function runText({ calls, leaves, durationUs }: Trace): string {
  return [count(calls.length, "call"), ...spentByKind(leaves, durationUs).map(spentText)].join(" · ");
}

/** The leaves directly below each bean's calls. */
export function spentByBean(trace: Trace): ReadonlyMap<string, readonly KindSpent[]> {
  const byId = new Map(trace.calls.map((call) => [call.id, call]));
  const leaves = new Map<string, Leaf[]>();
  for (const leaf of trace.leaves) {
    const { bean } = callerOf(leaf, byId) ?? {};
    if (bean === undefined) continue;
    const known = leaves.get(bean);
    if (!known) leaves.set(bean, [leaf]);
    else known.push(leaf);
  }
  return new Map([...leaves].map(([bean, own]) => [bean, spentByKind(own, trace.durationUs)]));
}
