/**
 * Finds the run to compare a failed one with: the same request, which worked.
 */
import type { SearchHit, Trace } from "../shapes.ts";

type Place = Pick<SearchHit, "instance" | "sequence" | "startedAt">;

/** Whether the run completed before the other. For two processes, whether it began first, the best approximation. */
export const isBefore = (run: Place, other: Place): boolean =>
  run.instance === other.instance ? run.sequence < other.sequence : run.startedAt < other.startedAt;

/**
 * Whether a run has the same route, path, query and body, and is not a replay. A replay lacks the effects of its recorded
 * beans.
 */
export const isSameRequest = (run: Trace, other: Trace): boolean =>
  run.replayOf === undefined && run.route !== null && sentBy(run) === sentBy(other);

const sentBy = ({ method, route, path, request: { query, body } }: Trace): string =>
  JSON.stringify([method, route, path, query, body]);

/**
 * The last run of the same request that worked before this one. A run of an earlier process takes precedence over one of the
 * same process, because code changes between processes. Undefined when there is none.
 */
export function lastGood(runs: readonly Trace[], trace: Trace): Trace | undefined {
  const good = runs
    .filter((run) => isBefore(run, trace) && isSameRequest(run, trace) && hasWorked(run))
    .toSorted((a, b) => (isBefore(a, b) ? 1 : -1));
  return good.find(({ instance }) => instance !== trace.instance) ?? good[0];
}

/** Whether it responded with a status below 400 and according to its contract. */
const hasWorked = ({ status, error, contractIssues, aborted }: Trace): boolean =>
  status < 400 && error === null && contractIssues === undefined && !aborted;
