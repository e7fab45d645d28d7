/**
 * Leaves in words: one in a line, and the cost of each kind, that is, how many, and for how long at least one was running. Pure.
 */

import { callerOf, coveredUs } from "./calls.ts";
import type { Leaf, LeafKind, Trace } from "./shapes.ts";
import { count, duration } from "./format.ts";
import { oneLine } from "./statements.ts";
import { groupBy } from "./values.ts";

/** How often, and for how long in total. */
export interface Spent {
  readonly count: number;
  readonly totalUs: number;
}

/** Leaves of one kind. Those that overlap count once. */
export interface KindSpent extends Spent {
  readonly kind: LeafKind;
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
  const leaves = groupBy(trace.leaves, (leaf) => callerOf(leaf, byId)?.bean);
  return new Map(
    [...leaves].flatMap(([bean, own]) => (bean === undefined ? [] : [[bean, spentByKind(own, trace.durationUs)]])),
  );
}

/** The statement, the address, the key, the message. */
export function leafText(leaf: Leaf): string {
  switch (leaf.kind) {
    case "sql":
      return oneLine(leaf.detail.statement);
    case "http":
      return `${leaf.detail.method} ${leaf.detail.url}`;
    case "cache":
      return [leaf.detail.command, leaf.detail.key].filter((part) => part !== "").join(" ");
    case "log":
      return oneLine(leaf.detail.message);
    case "message":
      return [leaf.detail.operation, leaf.detail.destination].filter((part) => part !== "").join(" ") || leaf.name;
    case "span":
      return leaf.name;
  }
}

/** Its result in a word: rows, a status, whether something was found. */
export function outcomeOf(leaf: Leaf): string {
  const { detail } = leaf;
  if (leaf.kind === "sql" && leaf.detail.rows !== null)
    return `${leaf.detail.rows} ${leaf.detail.rows === 1 ? "row" : "rows"}`;
  if (leaf.kind === "http" && leaf.detail.status !== null) return String(leaf.detail.status);
  if (leaf.kind === "cache" && leaf.detail.hit !== null) return leaf.detail.hit ? "hit" : "miss";
  return "level" in detail ? detail.level : "";
}
