/** The names of the metrics of jobs, here and in prom-client. */

/** The duration of attempts: a histogram by job and outcome. */
export const JOB_DURATION: Family = { name: "job_duration_seconds", help: "Duration of attempts at jobs in seconds." };
/** The number of jobs by state: a gauge. */
export const JOBS: Family = { name: "jobs", help: "Jobs in the engine, by state." };
/** The age of the oldest due job: a gauge. */
export const JOBS_OLDEST: Family = {
  name: "jobs_oldest_seconds",
  help: "How long the oldest job that waits has been due, in seconds.",
};

/** A metric's name and help text. */
export interface Family {
  readonly name: string;
  readonly help: string;
}

/** The states of a job that are counted. */
export const jobStates = ["waiting", "active", "failed"] as const;
