/**
 * Finds the run to compare a failed one with: the same request, which worked.
 */
import type { SearchHit, Trace } from "../shapes.ts";

type Place = Pick<SearchHit, "instance" | "sequence" | "startedAt">;

/** Whether the run completed before the other. For two processes, whether it began first, the best approximation. */
export const isBefore = (run: Place, other: Place): boolean =>
  run.instance === other.instance ? run.sequence < other.sequence : run.startedAt < other.startedAt;

/** The runs before this one, those of earlier processes first, because code changes between processes. Keeps their order. */
export function candidatesOf<T extends Place>(runs: readonly T[], trace: Place): readonly T[] {
  const before = runs.filter((run) => isBefore(run, trace));
  const isSameProcess = ({ instance }: Place): boolean => instance === trace.instance;
  return [...before.filter((run) => !isSameProcess(run)), ...before.filter(isSameProcess)];
}

/**
 * Whether a run has the same route, path, query and body, and is not a replay. A replay lacks the effects of its recorded
 * beans.
 */
export const isSameRequest = (run: Trace, other: Trace): boolean =>
  isSameRoute(run, other) && run.path === other.path && sentBy(run) === sentBy(other);

const sentBy = ({ request: { query, body } }: Trace): string => JSON.stringify([query, body]);

/**
 * The last run that worked before this one: of the same request, or for a run that failed also of another request of its route.
 * Undefined when there is none.
 */
export function lastGood(runs: readonly Trace[], trace: Trace): Trace | undefined {
  const newestFirst = runs.toSorted((a, b) => (isBefore(a, b) ? 1 : -1));
  const worked = candidatesOf(newestFirst, trace).filter(hasWorked);
  const same = worked.find((run) => isSameRequest(run, trace));
  return same ?? (hasFailed(trace) ? worked.find((run) => isSameRoute(run, trace)) : undefined);
}

/** Whether a run of another request of the route can tell something about this one. */
export const hasFailed = ({ status, error }: Pick<Trace, "status" | "error">): boolean =>
  status >= 400 || error !== null;

/** Whether a run is of the same route, and is not a replay. */
export const isSameRoute = (run: Trace, other: Trace): boolean =>
  run.replayOf === undefined && run.route !== null && run.route === other.route && run.method === other.method;

/** Whether it responded with a status below 400 and according to its contract. */
const hasWorked = ({ status, error, contractIssues, aborted }: Trace): boolean =>
  status < 400 && error === null && contractIssues === undefined && !aborted;
