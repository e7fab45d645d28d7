/**
 * The errors of some runs, one entry for each message. Pure.
 */

import { thrownIn } from "../explain/thrower.ts";
import type { StackFrame, Trace } from "../shapes.ts";
import { groupBy } from "../values.ts";

/** Runs that failed in the same way. */
export interface ErrorKind {
  readonly message: string;
  /** The newest run. */
  readonly run: Trace;
  readonly count: number;
  /** The line that threw, if it is recorded. */
  readonly frame: StackFrame | null;
}

/**
 * The kinds, the newest first. Runs with a status of 500 or more and no error are of one kind for each status. An error that
 * became a 4xx is the client's.
 */
export function errorKinds(runs: readonly Trace[]): ErrorKind[] {
  const failed = runs.filter(({ error, status }) => status >= 500 || (error && status < 400));
  return [
    ...groupBy(
      failed.toSorted((a, b) => b.startedAt - a.startedAt),
      messageOf,
    ),
  ].flatMap(([message, group]) => {
    const [run] = group;
    return run ? [{ message, run, count: group.length, frame: thrownIn(run)?.frame ?? null }] : [];
  });
}

const messageOf = ({ error, status }: Trace): string =>
  error === null ? `Status ${status} without an error` : `${error.name}: ${error.message}`;
