/** JobOrigin: what observers and tracers know of a job that is sent, or of an attempt at one. */

/** A job that is being sent. */
export interface JobSending {
  readonly id: string;
  readonly name: string;
  /** The engine's name, such as `pg-boss`. */
  readonly system: string;
  /** The trace that the job continues. A tracer puts its own span here before it sends. */
  traceparent: string | undefined;
}

/** The attempt at a job that background work is. */
export interface JobOrigin extends Readonly<JobSending> {
  /** 1 for the first. */
  readonly attempt: number;
  /** The id of the request that sent it, if one did and had an id. */
  readonly requestId: string | undefined;
  /** When it was sent, in milliseconds since 1970. */
  readonly sentAt: number;
}
