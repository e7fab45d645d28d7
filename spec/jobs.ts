/**
 * Jobs: the application's jobs as devtools list them, and what came of a trial or a retry.
 *
 * Spec: spec/history.md, spec/replay.md
 */
import { Type } from "typebox";
import { runKey } from "./forms.ts";
import { Json } from "./values.ts";

const Count = Type.Integer({ minimum: 0 });
const Name = Type.String({ minLength: 1 });
const NullableText = Type.Union([Type.String(), Type.Null()]);

/** A violation of a job's schema. */
export const JobIssue = Type.Object({ pointer: Type.String(), message: Type.String() });

/** The jobs of one name that wait, run and have failed. */
export const JobFigures = Type.Object({
  job: Name,
  /** Due, or in a delay. */
  waiting: Count,
  active: Count,
  /** Dead letters. */
  dead: Count,
  /** How long the oldest one is due, in milliseconds, or 0. */
  oldestMs: Count,
});

/** A schedule. */
export const JobSchedule = Type.Object({
  name: Name,
  cron: Name,
  timeZone: Name,
  job: Name,
  /** When its next job is due, in milliseconds since 1970. */
  nextAt: Count,
});

/** A job that has failed for good. */
export const DeadJob = Type.Object({
  id: Name,
  job: Name,
  /** Bounded and redacted, like every value of a run. */
  input: Json,
  /** The message of its last error. */
  reason: Type.String(),
  /** Why the job's schema rejects its input today. Empty when it fits, and a retry can do it. */
  issues: Type.Array(JobIssue),
  /** `<instance>.<sequence>` of its latest kept attempt, or null. */
  run: Type.Union([Type.String({ pattern: runKey }), Type.Null()]),
});

/** The response of `…/api/jobs`. */
export const JobsView = Type.Object(
  {
    /** `pg-boss`, `bullmq` …, or null if the application has no jobs. */
    engine: NullableText,
    /** Why there is nothing to list, or null. */
    reason: NullableText,
    /** Of each name that this process does. */
    jobs: Type.Array(JobFigures),
    schedules: Type.Array(JobSchedule),
    /** The newest of each name, 100 of a name at most. */
    dead: Type.Array(DeadJob),
  },
  { $id: "JobsView" },
);

/** The response to the replay of an attempt. */
export const JobReplayed = Type.Object(
  {
    /** Why it failed, or null if it was done. */
    reason: NullableText,
  },
  { $id: "JobReplayed" },
);
