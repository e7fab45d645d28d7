/**
 * Facts: the jobs of one app for tools, as `app.about.jobs`.
 *
 *   counts, dead, retry ──▶ the engine, within two seconds        trial ──▶ the handler, once, beside the engine
 */
import type { AnyJobHandler, AppJobs, DeadLetter, Job, JobTrial, ScheduleFacts, TrialResult } from "../app/work.ts";
import { inTime } from "../internal/in-time.ts";
import type { JobCounts } from "../metrics/collector.ts";
import { messageOf, opened } from "./envelope.ts";
import type { DeadJob, Envelope, Outcome, TakenJob, WorkDriver } from "./types.ts";

/** What the facts are made of. */
export interface JobFactsOf {
  readonly driver: WorkDriver;
  readonly handlers: ReadonlyMap<string, { readonly job: Job; readonly handler: AnyJobHandler }>;
  schedules(): readonly ScheduleFacts[];
  isUp(): boolean;
  /** Runs an attempt that the engine has not handed out. */
  run(job: Job, handler: AnyJobHandler, attempt: TrialAttempt): Promise<Outcome>;
}

/** The attempt of a trial, as it is run. */
export interface TrialAttempt {
  readonly taken: TakenJob;
  readonly envelope: Envelope;
  readonly value: unknown;
  readonly trial: object;
}

const patienceMs = 2_000;
const deadLimit = 100;

/** The facts of one app. */
export class JobFacts implements AppJobs {
  readonly #of: JobFactsOf;

  constructor(of: JobFactsOf) {
    this.#of = of;
  }

  get engine(): string {
    return this.#of.driver.name;
  }

  get names(): readonly string[] {
    return [...this.#of.handlers.keys()];
  }

  get schedules(): readonly ScheduleFacts[] {
    return this.#of.schedules();
  }

  counts(): Promise<readonly JobCounts[]> {
    return this.#asked(() => this.#of.driver.counts(this.names));
  }

  async dead(name: string): Promise<readonly DeadLetter[]> {
    const job = this.#of.handlers.get(name)?.job;
    if (job === undefined) return [];
    const letters = await this.#asked(() => this.#of.driver.dead(name, deadLimit));
    return Promise.all(letters.map((letter) => withIssues(job, letter)));
  }

  async retry(name: string, id: string): Promise<boolean> {
    // An engine that has never seen the name would make a queue for it.
    if (!this.#of.handlers.has(name)) return false;
    return this.#asked(() => this.#of.driver.retry(name, id));
  }

  async trial(name: string, { id, attempt, input, trial }: JobTrial): Promise<TrialResult> {
    const found = this.#of.handlers.get(name);
    if (found === undefined) throw new Error(`this process does no job ${name}`);
    const envelope = { v: 1, name, input, sentAt: this.#of.driver.now() } as const;
    const open = await opened(found.job, envelope);
    if ("kind" in open) return { hasRun: false, reason: open.kind === "dead" ? open.reason : reasons.back };
    const taken = { id, attempt, envelope };
    const outcome = await this.#of.run(found.job, found.handler, { taken, ...open, trial });
    return { hasRun: true, reason: outcome.kind === "failed" ? messageOf(outcome.error) : reasons[outcome.kind] };
  }

  #asked<T>(ask: () => Promise<T>): Promise<T> {
    const { driver, isUp } = this.#of;
    if (!isUp()) return Promise.reject(new Error(`${driver.name} is not connected`));
    return inTime(ask(), patienceMs, `${driver.name} did not answer within ${patienceMs} ms`);
  }
}

const reasons = { done: undefined, dead: "it is a dead letter", back: "the app stops" } as const;

/** The schema may have changed since the letter died. */
async function withIssues(job: Job, { id, name, input, reason }: DeadJob): Promise<DeadLetter> {
  const open = await opened(job, { v: 1, name: job.name, input, sentAt: 0 });
  return { id, name, input, reason, issues: "kind" in open && open.kind === "dead" ? (open.issues ?? []) : [] };
}
