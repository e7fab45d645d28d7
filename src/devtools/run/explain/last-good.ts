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
  run.replayOf === undefined &&
  run.route !== null &&
  run.method === other.method &&
  run.route === other.route &&
  run.path === other.path &&
  sentBy(run) === sentBy(other);

const sentBy = ({ request: { query, body } }: Trace): string => JSON.stringify([query, body]);

/** The last run of the same request that worked before this one. Undefined when there is none. */
export function lastGood(runs: readonly Trace[], trace: Trace): Trace | undefined {
  const newestFirst = runs.toSorted((a, b) => (isBefore(a, b) ? 1 : -1));
  return candidatesOf(newestFirst, trace).find((run) => hasWorked(run) && isSameRequest(run, trace));
}

/** Whether it responded with a status below 400 and according to its contract. */
const hasWorked = ({ status, error, contractIssues, aborted }: Trace): boolean =>
  status < 400 && error === null && contractIssues === undefined && !aborted;
