/**
 * Problems of a replay: the response when it has ended early, or could not begin.
 *
 * Spec: spec/replay.md
 */
import type { RecordedResponse } from "framework";
import type { ReplayEnd, ReplayProblem } from "../../run/shapes.ts";
import type { Replay } from "./replay.ts";

const problemHeaders = ["Content-Type", "application/problem+json", "Cache-Control", "no-store"];

/** The response of a replay that has ended early, or undefined if it has not. */
export function endedResponse(replay: Replay, shown: (text: string) => string): RecordedResponse | undefined {
  const { ended } = replay;
  if (ended === null) return undefined;
  return { status: 409, headers: problemHeaders, body: JSON.stringify(endedProblem(ended, shown)) };
}

/** The problem of a replay that has ended early. */
export const endedProblem = ({ bean, method, reason }: ReplayEnd, shown: (text: string) => string): ReplayProblem =>
  problemOf(409, `the replay has ended: ${shown(reason)}`, { bean, method });

/** A problem. @param replay the call that it is about */
export function problemOf(
  status: 400 | 409,
  detail: string,
  replay: ReplayProblem["replay"] = { bean: null, method: null },
): ReplayProblem {
  return { type: "about:blank", title: status === 400 ? "Bad Request" : "Conflict", status, detail, replay };
}
