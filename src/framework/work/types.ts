/**
 * The types between the framework and an engine of jobs.
 *
 *   send ──▶ StoredJob ──▶ the engine keeps it ──▶ TakenJob ──▶ the attempt ──▶ Outcome ──▶ the engine: done, again, dead
 *
 * An engine does the queueing. What is in an envelope, whether it is valid and who handles it is decided here, and is the same
 * for all.
 */
import type { Job } from "../app/work.ts";
import type { ProblemIssue } from "../internal/errors.ts";
import type { JobCounts } from "../metrics/collector.ts";

/** The JSON of a job. */
export interface Envelope {
  readonly v: 1;
  readonly name: string;
  readonly input: unknown;
  /** The trace that it continues. */
  readonly traceparent?: string | undefined;
  /** What tracing systems keep of that trace. */
  readonly tracestate?: string | undefined;
  /** The id of the request that sent it. */
  readonly requestId?: string | undefined;
  /** What an observer of the sender left for those of the attempts. */
  readonly note?: string | undefined;
  /** In milliseconds since 1970. */
  readonly sentAt: number;
  /** The schedule that sent it, and the time that it is for. */
  readonly schedule?: { readonly name: string; readonly at: number } | undefined;
}

/** A job as an engine gets it. */
export interface StoredJob {
  /** A UUID. The engine keeps one job of an id. */
  readonly id: string;
  readonly job: Job;
  readonly envelope: Envelope;
  /** When it is due, in milliseconds since 1970. */
  readonly dueAt: number;
  /** The caller's transaction, as given. */
  readonly tx: unknown;
}

/** A job that an engine hands out for one attempt. */
export interface TakenJob {
  readonly id: string;
  /** 1 for the first. */
  readonly attempt: number;
  /** As stored, by any version of the framework. */
  readonly envelope: unknown;
}

/** The end of an attempt: the engine drops the job, tries it again, keeps it as a dead letter, or has it back. */
export type Outcome =
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly error: unknown }
  | { readonly kind: "dead"; readonly reason: string; readonly issues?: readonly ProblemIssue[] | undefined }
  | { readonly kind: "back"; readonly delayMs: number };

/** A job that has failed for good. */
export interface DeadJob {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  /** The message of the last error. */
  readonly reason: string;
}

/** An engine's lines to the log of the app. */
export interface DriverHost {
  /** The engine could not be asked, or it answers again. Told once for each change. */
  away(error: unknown): void;
  back(): void;
  /** The engine reports an error of its own, such as one of its maintenance. */
  reported(error: unknown): void;
}

/** An engine: a queue that keeps jobs, and hands each to one process at a time. */
export interface WorkDriver {
  readonly name: string;
  /** Can a job be sent in the caller's transaction? */
  readonly isTransactional: boolean;
  /** Is its clock set by a test? Then no timer runs. */
  readonly isManual?: boolean | undefined;
  /** The current time, in milliseconds since 1970. */
  now(): number;
  /** Connects. Called again after it has rejected. */
  start(host: DriverHost): Promise<void>;
  /** Keeps a job. Nothing happens when it has one of that id. @throws (rejects) when it did not take it. */
  send(job: StoredJob): Promise<void>;
  /** Hands out jobs of that kind, `concurrency` at a time. `deliver` never rejects. */
  consume(job: Job, deliver: (taken: TakenJob) => Promise<Outcome>): Promise<void>;
  /** Hands out no more, and resolves when the outcome of each attempt is stored. Sends are still taken. */
  drain(): Promise<void>;
  close(): Promise<void>;
  counts(names: readonly string[]): Promise<JobCounts[]>;
  /** The dead letters of a name, the newest first. */
  dead(name: string, limit: number): Promise<DeadJob[]>;
  /** Tries a dead letter again. False when there is none of that id. */
  retry(name: string, id: string): Promise<boolean>;
}
