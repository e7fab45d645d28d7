/**
 * Works: the jobs of one app, from its start to its stop.
 *
 *   start ──▶ handlers and schedules checked ──▶ the engine started ──▶ a consumer for each job with a handler
 *   stop  ──▶ nothing new is taken ──▶ attempts run on within the grace ──▶ aborted, and the engine has their jobs back
 */
import type { AnyJobHandler, AppWork, Job, ScheduleOptions, WorkHost } from "../app/work.ts";
import { definePlugin, type Plugin, type PluginScope } from "../app/plugins.ts";
import type { BeanBinder } from "../beans/builder.ts";
import { isBeanType } from "../beans/interface.ts";
import { currentScope, runIn } from "../internal/async-scope.ts";
import { noBeans } from "../internal/errors.ts";
import { inTime } from "../internal/in-time.ts";
import { ignore } from "../internal/thenable.ts";
import { usageError } from "../internal/usage-errors.ts";
import type { MetricsCollector } from "../metrics/collector.ts";
import { hasScopes, LogScopeMiddleware } from "../middleware/log/log-scope.ts";
import type { MiddlewareLike } from "../middleware/types.ts";
import { Attempt, type AttemptOf, methodOf, originOf } from "./attempt.ts";
import { Connection, later } from "./connection.ts";
import { envelopeOf, JobInputError, opened } from "./envelope.ts";
import { JobFacts } from "./facts.ts";
import { checkJob } from "./job.ts";
import { Schedules } from "./schedules.ts";
import { type Sender, Work } from "./sender.ts";
import type { Outcome, TakenJob, WorkDriver } from "./types.ts";

/** What an engine is made of. */
export interface WorksOf {
  readonly driver: WorkDriver;
  readonly sender: Sender;
  readonly metrics: Pick<MetricsCollector, "job" | "jobs"> | undefined;
}

/** How long the engine may take to have its jobs back. */
const handBackMs = 2_000;
const countsEveryMs = 15_000;

/** The jobs of one app. */
export class Works implements AppWork {
  readonly facts: JobFacts;
  readonly plugin: Plugin;
  readonly middleware: MiddlewareLike | undefined;
  readonly #of: WorksOf;
  readonly #host: WorkHost;
  /** Attempts run in the context of the app's setup. That of a sender may be a transaction or a request, which is over by then. */
  readonly #scope = currentScope();
  readonly #handlers = new Map<string, { readonly job: Job; readonly handler: AnyJobHandler }>();
  readonly #consumed = new Set<string>();
  readonly #schedules: Schedules;
  readonly #connection: Connection;
  readonly #running = new Set<Attempt>();
  readonly #warned = new Set<string>();
  #isStopping = false;
  #cancelCounts: (() => void) | undefined;

  constructor(of: WorksOf, host: WorkHost) {
    this.#of = of;
    this.#host = host;
    this.#schedules = new Schedules(of.sender, of.driver, host.logger);
    this.#connection = new Connection(of.driver, host.logger, () => this.#connected());
    this.facts = new JobFacts({
      driver: of.driver,
      handlers: this.#handlers,
      schedules: () => this.#schedules.facts,
      isUp: () => this.isUp,
      run: (job, handler, attempt) => runIn(this.#scope, () => this.#attempt({ ...attempt, job, handler })),
    });
    this.middleware = hasScopes() ? new LogScopeMiddleware() : undefined;
    this.plugin = definePlugin({
      name: "work",
      beans: (builder) => this.#bind(builder),
      install: (scope: PluginScope) => {
        scope.onStart(() => this.#start()).onStop(() => of.driver.close());
      },
    });
  }

  /** Is the engine connected, and are jobs taken? */
  get isUp(): boolean {
    return this.#connection.isUp && !this.#isStopping;
  }

  job(job: Job, handler: AnyJobHandler): void {
    checkJob("app.job", job);
    const isMethod = Array.isArray(handler) && handler.length === 2 && isBeanType(handler[0]);
    if (typeof handler !== "function" && !isMethod)
      throw usageError("WORK_INVALID", `app.job(${job.name}) takes a function (input, run) or [BeanType, "method"]`);
    if (this.#handlers.has(job.name))
      throw usageError("WORK_INVALID", `app.job(${job.name}): a job of that name has a handler already`);
    this.#handlers.set(job.name, { job, handler });
    this.#of.sender.names.add(job.name);
  }

  schedule(name: string, cron: string, options: ScheduleOptions, job: Job, input: unknown): void {
    this.#schedules.add(name, cron, options, job, input);
  }

  async stop(leftMs: () => number): Promise<void> {
    this.#isStopping = true;
    this.#connection.stop();
    this.#schedules.stop();
    this.#cancelCounts?.();
    const drained = this.#of.driver.drain();
    drained.catch(ignore);
    await inTime(drained, leftMs(), "late").catch(ignore);
    for (const attempt of this.#running) attempt.stop();
    const late = "jobs could not be handed back to their engine, which hands them out again when their time is over";
    await inTime(drained, handBackMs, late).catch(() => this.#host.logger.warn(late));
  }

  /** A running container of the app's may have the bean already, so that its other beans can use it. */
  #bind(builder: BeanBinder): void {
    try {
      this.#host.beans()?.get(Work);
      if (this.#host.beans() !== undefined) return;
    } catch {
      // It has none.
    }
    builder.bindInstance(Work, this.#of.sender);
  }

  async #start(): Promise<void> {
    for (const { handler } of this.#handlers.values())
      if (typeof handler !== "function") methodOf(this.#host.beans() ?? missing(), ...handler);
    await this.#schedules.check();
    await this.#connection.begin();
    this.#count();
  }

  async #connected(): Promise<void> {
    for (const { job, handler } of this.#handlers.values()) {
      if (this.#consumed.has(job.name)) continue;
      await this.#of.driver.consume(job, (taken) => runIn(this.#scope, () => this.#deliver(job, handler, taken)));
      this.#consumed.add(job.name);
    }
    await this.#schedules.begin();
  }

  async #deliver(job: Job, handler: AnyJobHandler, taken: TakenJob): Promise<Outcome> {
    if (this.#isStopping) return { kind: "back", delayMs: 0 };
    const open = await opened(job, taken.envelope);
    if ("kind" in open) return this.#unopened(job, taken, open);
    const { envelope, value } = open;
    if (envelope.schedule !== undefined && !(await this.#schedules.taken(envelope.schedule))) return { kind: "done" };
    if (this.#isStopping) return { kind: "back", delayMs: 0 };
    const startedAt = performance.now();
    const outcome = await this.#attempt({ job, handler, taken, envelope, value, trial: undefined });
    const isDead = outcome.kind === "failed" && taken.attempt >= job.attempts;
    this.#observe(job, isDead ? "dead" : outcome.kind, (performance.now() - startedAt) / 1_000);
    return outcome;
  }

  async #attempt(of: Omit<AttemptOf, "host" | "system">): Promise<Outcome> {
    const attempt = new Attempt({ ...of, host: this.#host, system: this.#of.driver.name });
    this.#running.add(attempt);
    const outcome = await attempt.run();
    this.#running.delete(attempt);
    return outcome;
  }

  async #unopened(job: Job, taken: TakenJob, outcome: Exclude<Outcome, { kind: "done" | "failed" }>): Promise<Outcome> {
    const fields = { job: job.name, jobId: taken.id, attempt: taken.attempt };
    const { logger } = this.#host;
    if (outcome.kind === "dead") {
      const { issues } = outcome;
      logger.error(`a job ${job.name} is a dead letter: ${outcome.reason}`, undefined, { ...fields, issues });
      this.#observe(job, "dead", 0);
      await this.#showRejected(job, taken, new JobInputError(outcome.reason, issues));
    } else if (!this.#warned.has(job.name)) {
      this.#warned.add(job.name);
      logger.warn(
        `jobs of ${job.name} wait for a process with a newer version of the framework, which sent them`,
        fields,
      );
    }
    return outcome;
  }

  /** Observers see the attempt that never began. */
  async #showRejected(job: Job, taken: TakenJob, error: JobInputError): Promise<void> {
    const system = this.#of.driver.name;
    const origin = originOf({ system, job, taken, envelope: envelopeOf(job, taken.envelope), trial: undefined }, true);
    try {
      await this.#host.attempt(origin, () => {
        throw error;
      });
    } catch {
      // It was thrown for them.
    }
  }

  #observe(job: Job, outcome: "done" | "failed" | "dead" | "back", durationSeconds: number): void {
    this.#safely(() =>
      this.#of.metrics?.job?.({ job: job.name, system: this.#of.driver.name, outcome, durationSeconds }),
    );
  }

  /** Reports how many jobs wait, now and then every 15 seconds. */
  #count(): void {
    const { metrics, sender } = this.#of;
    if (metrics?.jobs === undefined || this.#isStopping) return;
    const report = async (): Promise<void> => {
      try {
        const counts = await sender.counts();
        this.#safely(() => metrics.jobs?.(counts));
      } catch (error) {
        this.#connection.away(error);
      }
    };
    void report().then(() => {
      if (!this.#isStopping) this.#cancelCounts = later(countsEveryMs, () => this.#count());
    });
  }

  /** A collector's error changes nothing. */
  #safely(report: () => unknown): void {
    try {
      report();
    } catch (error) {
      if (this.#warned.has("metrics")) return;
      this.#warned.add("metrics");
      this.#host.logger.warn("the collector of the jobs' metrics failed", { error });
    }
  }
}

function missing(): never {
  throw noBeans("a job is done by a bean, but ");
}
