/** JobOrigin: what observers and tracers know of a job that is sent, or of an attempt at one. */

/** A job that is being sent. */
export interface JobSending {
  readonly id: string;
  readonly name: string;
  /** The engine's name, such as `pg-boss`. */
  readonly system: string;
  /** The trace that the job continues. A tracer puts its own span here before it sends. */
  traceparent: string | undefined;
  /** The `tracestate` of that trace. */
  tracestate: string | undefined;
  /** A text that an observer of the sender leaves for those of the attempts, 512 characters at most. A longer one is dropped. */
  note: string | undefined;
}

/** The attempt at a job that background work is. */
export interface JobOrigin extends Readonly<JobSending> {
  /** 1 for the first. */
  readonly attempt: number;
  /** How often it is tried in all. */
  readonly attempts: number;
  /** The delay before another attempt as the job declares it, in milliseconds. Its engine may add to it. */
  readonly againMs: number;
  /** The input as it was sent. */
  readonly input: unknown;
  /** The id of the request that sent it, if one did and had an id. */
  readonly requestId: string | undefined;
  /** The name of the schedule that sent it, if one did. */
  readonly schedule: string | undefined;
  /** When it was sent, in milliseconds since 1970. */
  readonly sentAt: number;
  /** Does its input no longer fit its schema? Then the handler is not called, and the job is a dead letter. */
  readonly isRejected: boolean;
  /** The value that `app.about.jobs.trial` was given, or undefined for an attempt that the engine has handed out. */
  readonly trial: unknown;
}
