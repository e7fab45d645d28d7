/**
 * Work: the app's side of jobs. The rest is `framework/work`, which an app without jobs never loads.
 *
 *   app.work(engine) ──▶ the engine's own AppWork ──▶ a plugin: its beans, its start
 *   app.job, app.schedule ──▶ the same            stop ──▶ nothing new is taken, running attempts get the grace
 */
import type { BeanResolver, BeanType } from "../beans/types.ts";
import type { BodyOf, Schema } from "../contract/schema.ts";
import type { JobOrigin, JobSending } from "../http/job-origin.ts";
import type { ProblemIssue } from "../internal/errors.ts";
import type { Log, SafeLogger } from "../internal/logger.ts";
import { shown, stateError, usageError } from "../internal/usage-errors.ts";
import type { JobCounts } from "../metrics/collector.ts";
import type { MiddlewareLike } from "../middleware/types.ts";
import type { Plugin } from "./plugins.ts";

/** The delay before another attempt: always the same, or doubled by each. In milliseconds. */
export interface JobBackoff {
  readonly kind: "fixed" | "exponential";
  /** Default 1,000. */
  readonly delayMs?: number | undefined;
}

/** A kind of job, made by `job(name, { input, … })` of `framework/work`. */
export interface Job<S extends Schema = Schema> {
  readonly name: string;
  readonly input: S;
  /** How often it is tried in all. */
  readonly attempts: number;
  readonly backoff: { readonly kind: JobBackoff["kind"]; readonly delayMs: number };
  /** How long an attempt may take, in milliseconds. */
  readonly timeoutMs: number;
  /** How many attempts one process runs at a time. */
  readonly concurrency: number;
}

/** The value that a job is sent with: what its schema accepts. */
export type JobInput<S> = S extends {
  readonly "~standard": { readonly types?: { readonly input: infer I } | undefined };
}
  ? I
  : BodyOf<S>;

/** One attempt at a job, as its handler gets it. */
export interface JobRun {
  readonly id: string;
  /** 1 for the first. */
  readonly attempt: number;
  /** Aborts when the attempt takes longer than `timeoutMs`, and at the end of the grace of `app.stop`. */
  readonly signal: AbortSignal;
  /** Each line has the job's name and id, the attempt, and the id of the request that caused it. */
  readonly log: Log;
  /** The id of the request that sent it, if one did and had an id. */
  readonly requestId: string | undefined;
  /** The W3C `traceparent` of the request that sent it, if it had one. The span of `TracingMiddleware` continues it by itself. */
  readonly traceparent: string | undefined;
  /** The `tracestate` of that trace, if it had one. */
  readonly tracestate: string | undefined;
  /** The bean of that type, like `ctx.get`. */
  get<T extends object>(type: BeanType<T>): T;
}

/** Does a job. A returned promise is awaited. An error makes the attempt a failed one. */
export type JobFunction<S extends Schema> = (input: BodyOf<S>, run: JobRun) => unknown;

/** The name of a method that can do such a job. */
export type JobMethodName<T extends object, M extends PropertyKey, S extends Schema> = M extends keyof T
  ? T[M] extends JobFunction<S>
    ? M
    : never
  : never;

/** Does a job: a function, or `[BeanType, "method"]`, as in routes. */
export type JobHandler<S extends Schema, T extends object = object, M extends PropertyKey = PropertyKey> =
  | JobFunction<S>
  | readonly [type: BeanType<T>, method: M & JobMethodName<T, M, S>];

/** A handler of any job, as it is kept. */
export type AnyJobHandler = ((input: never, run: JobRun) => unknown) | readonly [BeanType<object>, PropertyKey];

/** Options of `app.schedule`. */
export interface ScheduleOptions {
  /** A name of the IANA time zone database, such as `Europe/Berlin`. Default `UTC`. */
  readonly timeZone?: string | undefined;
}

/** The argument of `app.work`: what `memoryWork()`, `pgBossWork({ … })` or `bullmqWork({ … })` return. */
export interface WorkEngine {
  /** Its name in spans and sentences, such as `pg-boss`. */
  readonly name: string;
  /** Called by `app.work`. */
  attach(host: WorkHost): AppWork;
}

/** The app, as jobs need it. */
export interface WorkHost {
  readonly logger: SafeLogger;
  /** Runs an attempt inside the observers of background work. */
  attempt(job: JobOrigin, work: () => unknown): unknown;
  /** Runs a send inside those that wrap it. */
  sending(sending: JobSending, send: () => unknown): unknown;
  /** The container, when it runs. */
  beans(): BeanResolver | undefined;
}

/** A schedule, with the time at which its next job is due, in milliseconds since 1970. */
export interface ScheduleFacts {
  readonly name: string;
  readonly cron: string;
  readonly timeZone: string;
  readonly job: string;
  readonly nextAt: number;
}

/** A job that has failed for good. */
export interface DeadLetter {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  /** The message of the last error. */
  readonly reason: string;
  /** Why the job's schema rejects the input as it is today. Empty when it fits. */
  readonly issues: readonly ProblemIssue[];
}

/** A trial of a job: its handler is called once, and the engine learns nothing of it. */
export interface JobTrial {
  readonly id: string;
  readonly attempt: number;
  readonly input: unknown;
  /** What observers get as `trial`. */
  readonly trial: object;
}

/** What came of a trial. */
export interface TrialResult {
  /** False when the input does not fit the job's schema as it is today. */
  readonly hasRun: boolean;
  /** Why it failed, or undefined if it was done. */
  readonly reason: string | undefined;
}

/** The app's jobs for tools: `app.about.jobs`. All reject when the engine does not answer in time. */
export interface AppJobs {
  /** The engine's name, such as `pg-boss`. */
  readonly engine: string;
  /** The names of the jobs that this process does. */
  readonly names: readonly string[];
  readonly schedules: readonly ScheduleFacts[];
  counts(): Promise<readonly JobCounts[]>;
  /** The dead letters of a name that this process does, the newest first, 100 at most. */
  dead(name: string): Promise<readonly DeadLetter[]>;
  /** Tries a dead letter again. False when there is none of that name and id. */
  retry(name: string, id: string): Promise<boolean>;
  /** @throws (rejects) Error when this process does no job of that name. */
  trial(name: string, trial: JobTrial): Promise<TrialResult>;
}

/** The jobs of one app. */
export interface AppWork {
  readonly facts: AppJobs;
  readonly plugin: Plugin;
  /** Outside all other middleware. */
  readonly middleware: MiddlewareLike | undefined;
  job(job: Job, handler: AnyJobHandler): void;
  schedule(name: string, cron: string, options: ScheduleOptions, job: Job, input: unknown): void;
  /** Takes no more jobs, and resolves when no attempt runs and the engine has the rest back. */
  stop(leftMs: () => number): Promise<void>;
}

/** The jobs of an engine. @throws TypeError (`WORK_INVALID`) when it is none, Error when the app has one already. */
export function appWork(engine: WorkEngine, known: AppWork | undefined, host: WorkHost): AppWork {
  if (typeof engine?.attach !== "function")
    throw usageError(
      "WORK_INVALID",
      `app.work got ${shown(engine)}: memoryWork() of framework/work makes an engine, and so do its two subpaths`,
    );
  if (known !== undefined) throw stateError("WORK_INVALID", "app.work() was called before: an app has one engine");
  return engine.attach(host);
}

/** @throws Error (`WORK_INVALID`) before `app.work`. */
export function workOf(work: AppWork | undefined, what: string): AppWork {
  if (work !== undefined) return work;
  throw stateError("WORK_INVALID", `${what}() needs an engine: call app.work(engine) before it`);
}
