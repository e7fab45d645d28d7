/**
 * framework/work: jobs that outlive the request that sends them, schedules, and an engine in memory.
 *
 * Engines that outlive the process are `framework/work/pg-boss` and `framework/work/bullmq`.
 */
export { job, type JobOptions } from "./job.ts";
export { JobMetrics } from "./job-metrics.ts";
export { DeadLetterError } from "./dead-letter.ts";
export { JobInputError } from "./envelope.ts";
export { type SendOptions, Work } from "./sender.ts";
export { JobEngine, type EngineOptions, type JobsCheckOptions } from "./engine.ts";
export { memoryWork, type MemoryWork, type MemoryWorkOptions, type RunJobsOptions } from "./memory.ts";
export type { RanJob } from "./memory-driver.ts";
export type { DeadJob, DriverHost, Envelope, Outcome, StoredJob, TakenJob, WorkDriver } from "./types.ts";
