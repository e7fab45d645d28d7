/**
 * The run that one which failed is compared with: the same request, which worked.
 */
import type { SearchHit, Trace } from "../shapes.ts";

type Place = Pick<SearchHit, "instance" | "sequence" | "startedAt">;

/** Did the run complete before the other? Of two processes, the one that began first, which is as near as can be known. */
export const isBefore = (run: Place, other: Place): boolean =>
  run.instance === other.instance ? run.sequence < other.sequence : run.startedAt < other.startedAt;

/**
 * Was a run sent the same path, query and body to the same route, and is it no replay? A replay lacks what its recorded beans
 * would have done.
 */
export const isSameRequest = (run: Trace, other: Trace): boolean =>
  run.replayOf === undefined && run.route !== null && sentBy(run) === sentBy(other);

const sentBy = ({ method, route, path, request: { query, body } }: Trace): string =>
  JSON.stringify([method, route, path, query, body]);

/**
 * The last run of the same request that worked before this one. A run of an earlier process comes before one of the same process,
 * because code changes between processes. Undefined when there is none.
 */
export function lastGood(runs: readonly Trace[], trace: Trace): Trace | undefined {
  const good = runs
    .filter((run) => isBefore(run, trace) && isSameRequest(run, trace) && hasWorked(run))
    .toSorted((a, b) => (isBefore(a, b) ? 1 : -1));
  return good.find(({ instance }) => instance !== trace.instance) ?? good[0];
}

/** Did it respond, below 400 and as its contract says? */
const hasWorked = ({ status, error, contractIssues, aborted }: Trace): boolean =>
  status < 400 && error === null && contractIssues === undefined && !aborted;
