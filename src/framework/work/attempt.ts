/**
 * Attempt: runs a job once.
 *
 *   taken ──▶ opened ──▶ inside the observers of background work ──▶ handler(input, run) ──▶ done │ failed
 *                          └─ after timeoutMs: run.signal aborts, failed    └─ the grace is over: aborts, back to the engine
 *
 * It ends when its time is over, whatever the handler does. It never rejects.
 */
import type { AnyJobHandler, Job, JobRun, WorkHost } from "../app/work.ts";
import type { BeanResolver, BeanType } from "../beans/types.ts";
import type { JobOrigin } from "../http/job-origin.ts";
import { noBeans } from "../internal/errors.ts";
import type { Log, LogFields, SafeLogger } from "../internal/logger.ts";
import { ignore } from "../internal/thenable.ts";
import { usageError } from "../internal/usage-errors.ts";
import { runInScope } from "../middleware/log/log-scope.ts";
import { isDeadLetter } from "./dead-letter.ts";
import { messageOf } from "./envelope.ts";
import { delayAfter } from "./job.ts";
import type { Envelope, Outcome, TakenJob } from "./types.ts";

/** The log of an attempt. No field of a line can replace the attempt's own. */
export function attemptLog(logger: SafeLogger, own: LogFields, fields: LogFields = {}): Log {
  const all = (more?: LogFields): LogFields => ({ ...fields, ...more, ...own });
  return {
    debug: (message, more) => logger.debug(message, all(more)),
    info: (message, more) => logger.info(message, all(more)),
    warn: (message, more) => logger.warn(message, all(more)),
    error(message, more) {
      const { error, ...rest } = all(more);
      logger.error(message, error, rest);
    },
    child: (more) => attemptLog(logger, own, { ...fields, ...more }),
  };
}

/** What an attempt needs, besides the job. */
export interface AttemptOf {
  readonly host: WorkHost;
  readonly system: string;
  readonly job: Job;
  readonly handler: AnyJobHandler;
  readonly taken: TakenJob;
  readonly envelope: Envelope;
  readonly value: unknown;
  /** See {@link JobOrigin.trial}. */
  readonly trial: unknown;
}

/** What observers get of an attempt. */
export function originOf(
  { system, job, taken, envelope, trial }: Omit<AttemptOf, "host" | "handler" | "value">,
  isRejected = false,
): JobOrigin {
  const { traceparent, tracestate, requestId, note, sentAt, input, schedule } = envelope;
  return {
    id: taken.id,
    name: job.name,
    system,
    attempt: taken.attempt,
    attempts: job.attempts,
    againMs: delayAfter(job, taken.attempt),
    input,
    traceparent,
    tracestate,
    requestId,
    note,
    schedule: schedule?.name,
    sentAt,
    isRejected,
    trial,
  };
}

/** The attempt was ended from outside. */
class Ended extends Error {
  override readonly name = "AbortError";
  /** The app stops, and the engine has the job back. */
  readonly isHandedBack: boolean;

  constructor(message: string, isHandedBack: boolean) {
    super(message);
    this.isHandedBack = isHandedBack;
  }
}

/** One attempt that runs. */
export class Attempt {
  readonly #of: AttemptOf;
  readonly #controller = new AbortController();
  readonly #log: Log;
  #end: (reason: Ended) => void = ignore;
  #isStopped = false;

  constructor(of: AttemptOf) {
    const { host, job, taken, envelope } = of;
    this.#of = of;
    const ids = envelope.requestId === undefined ? {} : { requestId: envelope.requestId };
    this.#log = attemptLog(host.logger, { job: job.name, jobId: taken.id, attempt: taken.attempt, ...ids });
  }

  get name(): string {
    return this.#of.job.name;
  }

  /** Ends it, because the app stops. The engine gets the job back. */
  stop(): void {
    this.#isStopped = true;
    this.#abort(new Ended("the app stops", true));
  }

  async run(): Promise<Outcome> {
    const { host, job } = this.#of;
    const origin = originOf(this.#of);
    const late = `the job ${job.name} did not settle within ${job.timeoutMs} ms`;
    const timer = setTimeout(() => this.#abort(new Ended(late, false)), job.timeoutMs);
    try {
      await host.attempt(origin, () => this.#race());
      return { kind: "done" };
    } catch (error) {
      return this.#isStopped ? { kind: "back", delayMs: 0 } : this.#failed(error);
    } finally {
      clearTimeout(timer);
    }
  }

  #failed(error: unknown): Outcome {
    const { job, taken, trial } = this.#of;
    if (trial !== undefined) return { kind: "failed", error };
    const isRejected = isDeadLetter(error);
    const isLast = isRejected || taken.attempt >= job.attempts;
    const end = isLast ? "it has failed for good, and is a dead letter" : "it is tried again";
    const line = `the job ${job.name} failed in attempt ${taken.attempt} of ${job.attempts}: ${end}`;
    if (isLast) this.#log.error(line, { error });
    else this.#log.warn(line, { error });
    return isRejected ? { kind: "dead", reason: messageOf(error) } : { kind: "failed", error };
  }

  #abort(reason: Ended): void {
    this.#controller.abort(reason);
    // A handler that ends well on the signal has a moment for it.
    setTimeout(() => this.#end(reason), 0);
  }

  /** The handler's outcome, or the end from outside when that is earlier. */
  #race(): Promise<unknown> {
    const { envelope } = this.#of;
    return new Promise((resolve, reject) => {
      this.#end = reject;
      const scope = {
        log: this.#log,
        attribute: (name: string) => (name === "requestId" ? envelope.requestId : undefined),
        header: (name: string) => (name === "traceparent" || name === "tracestate" ? envelope[name] : undefined),
      };
      runInScope(scope, () => this.#handle()).then(resolve, reject);
    });
  }

  async #handle(): Promise<unknown> {
    const { host, handler, value, taken, envelope } = this.#of;
    const run: JobRun = {
      id: taken.id,
      attempt: taken.attempt,
      signal: this.#controller.signal,
      log: this.#log,
      requestId: envelope.requestId,
      traceparent: envelope.traceparent,
      tracestate: envelope.tracestate,
      get: (type) => beansOf(host).get(type),
    };
    if (typeof handler === "function") return Reflect.apply(handler, undefined, [value, run]) as unknown;
    const [type, method] = handler;
    return methodOf(beansOf(host), type, method)(value, run);
  }
}

function beansOf(host: WorkHost): BeanResolver {
  const beans = host.beans();
  if (beans === undefined) throw noBeans();
  return beans;
}

/** The method of a bean. @throws BeanError, or TypeError (`WORK_INVALID`) when the bean has no such method. */
export function methodOf(
  beans: BeanResolver,
  type: BeanType<object>,
  method: PropertyKey,
): (input: unknown, run: JobRun) => unknown {
  const bean = beans.get(type);
  const found: unknown = Reflect.get(bean, method);
  if (typeof found !== "function")
    throw usageError("WORK_INVALID", `${type.name} has no method ${String(method)}, which a job is to call`);
  return (input, run) => Reflect.apply(found, bean, [input, run]) as unknown;
}

/** An outcome as one line of text, for an engine that keeps the reason. */
export const reasonOf = (outcome: Outcome): string => {
  if (outcome.kind === "dead") return outcome.reason;
  return outcome.kind === "failed" ? messageOf(outcome.error) : "";
};
