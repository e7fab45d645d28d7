/**
 * The first difference between a replay and its run, as a sentence. Pure.
 *
 *   comparison ──▶ what differs, in the order of time ──▶ a call, its arguments when it began, its result when it returned
 *                                                    └──▶ else the response
 *
 * The run's work below a bean with recorded results is not missing in the replay, since it must not run there.
 */

import { traceKey } from "../format.ts";
import type { Call, Trace, WhatIf } from "../shapes.ts";
import type { CallChange } from "./compare.ts";
import type { Difference } from "./diff.ts";

/** Two runs, and how their calls and responses differ. */
export interface Compared {
  readonly a: Trace;
  readonly b: Trace;
  readonly calls: readonly CallChange[];
  readonly response: readonly Difference[];
}

/** Null if B is not a replay of A. */
export function firstDifference({ a, b, calls, response }: Compared): string | null {
  const { replayOf } = b;
  if (!replayOf || traceKey(replayOf) !== traceKey(a)) return null;
  if (replayOf.ended) return `The replay has ended: ${replayOf.ended.reason}.`;
  if (replayOf.whatIf) return whatIfText(replayOf.whatIf, a.calls, response);
  const first = firstOf(calls, calledBelow(a.calls, new Set(replayOf.beans)));
  const [difference] = first?.differences ?? response;
  const where = first ? nameOf(first.b ?? first.a) : "the response";
  if (difference) return `First difference: ${where}: ${textOf(difference)}.`;
  if (!first) return "The replay did the same, and responded with the same.";
  return `First difference: ${where} was called in ${first.side === "a" ? "the original run" : "the replay"} alone.`;
}

/** What another outcome leads to: the first difference of the response. Differences of calls are what the user asked for. */
function whatIfText(given: readonly WhatIf[], calls: readonly Call[], [difference]: readonly Difference[]): string {
  const names = given.map(({ call }) => nameOf(calls[call] ?? null)).join(" and ");
  const outcome = given.length === 1 ? "another outcome" : "other outcomes";
  const came = difference ? `the response differs: ${textOf(difference)}` : "the response is the same";
  return `With ${outcome} of ${names}, ${came}.`;
}

function firstOf(calls: readonly CallChange[], below: ReadonlySet<number>): CallChange | undefined {
  let first: CallChange | undefined;
  let [firstAt, began] = [Infinity, 0];
  for (const change of calls) {
    const { side, a, b, differences } = change;
    began = b?.startUs ?? began;
    const differs = side === "b" || (side === "a" ? !below.has(a?.id ?? -1) : differences.length > 0);
    const isResult = side === "both" && !differences[0]?.path.startsWith("$.args");
    const at = isResult ? began + (b?.durationUs ?? 0) : began;
    if (differs && at < firstAt) [first, firstAt] = [change, at];
  }
  return first;
}

/** Ids of calls that were made on behalf of those beans. */
function calledBelow(calls: readonly Call[], beans: ReadonlySet<string>): ReadonlySet<number> {
  const below = new Set<number>();
  for (const { id, parentId } of calls)
    if (parentId !== null && (below.has(parentId) || beans.has(calls[parentId]?.bean ?? ""))) below.add(id);
  return below;
}

const nameOf = (call: Call | null): string => `${call?.bean}.${call?.method}()`;

function textOf(one: Difference): string {
  const [before, after] = ["before" in one ? one.before : null, "after" in one ? one.after : null].map((value) =>
    JSON.stringify(value).slice(0, 80),
  );
  return `${one.path} was ${before}, is ${after}`;
}
