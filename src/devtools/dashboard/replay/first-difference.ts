/**
 * The first thing that a replay did in another way than the run it is of, as a sentence. Pure.
 *
 *   comparison ──▶ a call that only one made, or with other arguments or another result ──▶ else the response
 */

import type { Call } from "../../wire.ts";
import type { Comparison } from "../compare/compare.ts";
import type { Difference } from "../compare/diff.ts";
import { traceKey } from "../store/keys.ts";

/** Null where B is no replay of A. */
export function firstDifference({ a, b, calls, response }: Comparison): string | null {
  const { replayOf } = b;
  if (replayOf === undefined || traceKey(replayOf) !== traceKey(a)) return null;
  if (replayOf.ended !== null) return `The replay has ended: ${replayOf.ended.reason}.`;
  const call = calls.find(({ side, differences }) => side !== "both" || differences.length > 0);
  const [first] = call?.differences ?? response;
  const where = call === undefined ? "the response" : nameOf(call.b ?? call.a);
  if (first !== undefined) return `First difference: ${where}: ${textOf(first)}.`;
  if (call === undefined) return "The replay did the same, and responded with the same.";
  return `First difference: ${where} was called in ${call.side === "a" ? "the run" : "the replay"} alone.`;
}

const nameOf = (call: Call | null): string => `${call?.bean}.${call?.method}()`;

const textOf = (one: Difference): string => {
  const [before, after] = ["before" in one ? one.before : null, "after" in one ? one.after : null].map((value) =>
    JSON.stringify(value).slice(0, 80),
  );
  return `${one.path} was ${before}, is ${after}`;
};
