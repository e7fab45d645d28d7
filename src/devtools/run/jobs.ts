/**
 * Jobs: the words for an attempt, and the links between a run and the attempts of the jobs that it sent. Pure.
 *
 *   a run ──▶ its sends, leaves with the job's id ──▶ kind:job id="…"       an attempt ──▶ message="…" ──▶ the run that sent it
 *
 * The id is in both, so the link holds in later processes too.
 *
 * Spec: spec/trace.md (TRACE-131)
 */
import { count, duration } from "./format.ts";
import type { AttemptMark, DeadJob, JobAttempt, Trace } from "./shapes.ts";

/** An attempt in words: `attempt 2 of 5: failed, tried again after 4 s`. */
export function attemptWords(job: AttemptMark & Partial<Pick<JobAttempt, "againMs">>): string {
  const { attempt, attempts, outcome, againMs } = job;
  const again = againMs === undefined ? "failed" : `failed, tried again after ${duration(againMs * 1_000)}`;
  const words = { done: "done", failed: again, dead: "a dead letter", back: "handed back" };
  return `attempt ${attempt} of ${attempts}: ${words[outcome]}`;
}

/** The origin of an attempt, if it is known: how long before it was sent, and by which schedule. */
export function sentWords({ job, startedAt }: Trace): string {
  if (job === undefined || job.sentAt === 0) return "";
  const before = `sent ${duration(Math.max(0, startedAt - job.sentAt) * 1_000)} before`;
  return job.schedule === undefined ? before : `${before} by the schedule ${job.schedule}`;
}

/** The ids of the jobs that a run sent. */
const sentJobs = ({ leaves }: Trace): readonly string[] => [
  ...new Set(leaves.flatMap((leaf) => (leaf.kind === "message" && leaf.detail.id ? [leaf.detail.id] : []))),
];

/** The ids of one search. */
const mostIds = 10;

/** The search for the other end of a run's links, or undefined if it has none. */
export function linkedQuery(trace: Trace): string | undefined {
  if (trace.job !== undefined) return `message=${JSON.stringify(trace.job.id)}`;
  const ids = sentJobs(trace).slice(0, mostIds);
  return ids.length === 0 ? undefined : `kind:job id=${ids.map((id) => JSON.stringify(id)).join()}`;
}

/** A dead letter in words: its reason, and whether a retry can succeed. */
export function letterWords({ reason, issues }: DeadJob): string {
  const [first] = issues;
  if (first === undefined) return reason;
  const more = issues.length > 1 ? `, and ${count(issues.length - 1, "more issue")}` : "";
  return `${reason}. Its input does not fit the schema of today: ${first.pointer} ${first.message}${more}`;
}
