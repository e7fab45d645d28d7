/**
 * Sender: the implementation of the bean `Work`.
 *
 *   send ──▶ input checked ──▶ envelope, with the request's id and trace ──▶ the engine ──▶ the id
 *               └─ issues, too large: rejects   └─ no answer in time: rejects with a 503
 */
import type { Job, JobInput, WorkHost } from "../app/work.ts";
import { Interface } from "../beans/interface.ts";
import type { Schema } from "../contract/schema.ts";
import type { JobSending } from "../http/job-origin.ts";
import { ServiceUnavailableError } from "../internal/errors.ts";
import { inTime } from "../internal/in-time.ts";
import { checkOptionNames } from "../internal/option-names.ts";
import { shown, usageError } from "../internal/usage-errors.ts";
import type { JobCounts } from "../metrics/collector.ts";
import { currentLogScope } from "../middleware/log/log-scope.ts";
import { checkedInput, checkSize, idOf, JobInputError } from "./envelope.ts";
import { checkJob, whole } from "./job.ts";
import type { DeadJob, Envelope, WorkDriver } from "./types.ts";

/** Options of `work.send`. */
export interface SendOptions {
  /** Of jobs with one key the engine keeps one, also when it is done, for a day at least. */
  readonly key?: string | undefined;
  /** How long it waits before its first attempt, in milliseconds. */
  readonly delayMs?: number | undefined;
  /**
   * The caller's open transaction. The job exists when that commits, and not when it rolls back. For `pgBossWork`: the client,
   * `sql` or `tx` of pg, postgres.js, PGlite, Drizzle, Kysely or Knex.
   */
  readonly tx?: object | undefined;
}

/** Sends jobs, and looks after those that failed. A bean of each app with `app.work`. */
export interface Work {
  /**
   * Sends a job. Resolves to its id when the engine has it.
   *
   * @throws (rejects) JobInputError with the issues when the input is not allowed, ServiceUnavailableError (503, `WORK_AWAY`)
   * when the engine did not take it in time.
   */
  send<S extends Schema>(job: Job<S>, input: JobInput<S>, options?: SendOptions): Promise<string>;
  /** The dead letters of that kind, the newest first, 100 at most. */
  dead(job: Job): Promise<readonly DeadJob[]>;
  /** Tries a dead letter again, from its first attempt on or once more, as the engine does it. False when there is none. */
  retry(job: Job, id: string): Promise<boolean>;
  /** How many jobs wait, run and have failed, of each kind that this app does. */
  counts(): Promise<readonly JobCounts[]>;
}

/** The token of the bean: `ctx.get(Work)`, `b.get(Work)`. */
export const Work: Interface<Work> = Interface<Work>("Work", { stereotype: "component" });

/** Limits of sending. */
export interface SenderOptions {
  readonly maxBytes: number;
  readonly sendTimeoutMs: number;
}

const longestDelayMs = 366 * 24 * 60 * 60 * 1_000;
const deadLimit = 100;

/** The bean of one app. */
export class Sender implements Work {
  readonly #driver: WorkDriver;
  readonly #options: SenderOptions;
  /** Set by `app.work`. */
  host: WorkHost | undefined;
  /** The names of the jobs that the app does. */
  readonly names: Set<string> = new Set();

  constructor(driver: WorkDriver, options: SenderOptions) {
    this.#driver = driver;
    this.#options = options;
  }

  async send<S extends Schema>(job: Job<S>, input: JobInput<S>, options: SendOptions = {}): Promise<string> {
    checkJob("work.send", job);
    const where = `work.send(${job.name})`;
    checkOptionNames(where, options, ["key", "delayMs", "tx"], "WORK_INVALID");
    const { key, delayMs = 0, tx } = options;
    if (key !== undefined && typeof key !== "string")
      throw usageError("WORK_INVALID", `${where} has key: ${shown(key)}; a text is allowed`);
    whole(where, "delayMs", delayMs, 0, longestDelayMs);
    if (tx !== undefined && !this.#driver.isTransactional)
      throw usageError(
        "WORK_INVALID",
        `${where} has a tx, and ${this.#driver.name} is no part of the caller's database: pgBossWork on that database is, ` +
          "or write what is to be sent to a table in the transaction, and send it after the commit",
      );
    return this.#send({ job, input, key, dueAt: this.#driver.now() + delayMs, tx });
  }

  /** Sends the job of a schedule for one of its times. */
  async sendAt(job: Job, input: unknown, schedule: { readonly name: string; readonly at: number }): Promise<void> {
    await this.#send({ job, input, key: `schedule:${schedule.name}:${schedule.at}`, dueAt: schedule.at, schedule });
  }

  async dead(job: Job): Promise<readonly DeadJob[]> {
    checkJob("work.dead", job);
    return this.#driver.dead(job.name, deadLimit);
  }

  async retry(job: Job, id: string): Promise<boolean> {
    checkJob("work.retry", job);
    return this.#driver.retry(job.name, id);
  }

  async counts(): Promise<readonly JobCounts[]> {
    return this.#driver.counts([...this.names]);
  }

  async #send(one: {
    readonly job: Job;
    readonly input: unknown;
    readonly key: string | undefined;
    readonly dueAt: number;
    readonly tx?: unknown;
    readonly schedule?: Envelope["schedule"];
  }): Promise<string> {
    const { job, key, dueAt, tx, schedule } = one;
    const input = await checkedInput(job, one.input);
    const scope = schedule === undefined ? currentLogScope() : undefined;
    const id = await idOf(job.name, key);
    const requestId = scope?.attribute("requestId");
    const sending: JobSending = {
      id,
      name: job.name,
      system: this.#driver.name,
      traceparent: scope?.header?.("traceparent"),
      tracestate: scope?.header?.("tracestate"),
      note: undefined,
    };
    const send = async (): Promise<void> => {
      const envelope: Envelope = {
        v: 1,
        name: job.name,
        input,
        traceparent: sending.traceparent,
        tracestate: sending.traceparent === undefined ? undefined : short(sending.tracestate),
        requestId: typeof requestId === "string" ? requestId : undefined,
        note: short(sending.note),
        sentAt: this.#driver.now(),
        schedule,
      };
      checkSize(envelope, this.#options.maxBytes);
      await this.#taken(job.name, this.#driver.send({ id, job, envelope, dueAt, tx }), tx);
    };
    await (this.host === undefined || schedule !== undefined ? send() : this.host.sending(sending, send));
    return id;
  }

  /** Waits for the engine. An error in the caller's transaction is the transaction's, and is passed on. */
  async #taken(name: string, sent: Promise<void>, tx: unknown): Promise<void> {
    const { sendTimeoutMs } = this.#options;
    try {
      const late = `${this.#driver.name} did not answer within ${sendTimeoutMs} ms`;
      await inTime(sent, sendTimeoutMs, late);
    } catch (error) {
      if (tx !== undefined || isOurs(error)) throw error;
      const sentence = `the job ${name} could not be sent: its engine did not take it. Send it again, with a key if it must not exist twice`;
      throw new ServiceUnavailableError(sentence, { code: "WORK_AWAY", cause: error });
    }
  }
}

/** A text of an observer or a client, unless it is too long: it must not be what makes a job too large. */
const short = (text: string | undefined): string | undefined =>
  typeof text === "string" && text.length <= 512 ? text : undefined;

const isOurs = (error: unknown): boolean =>
  error instanceof JobInputError || String(Object(error).code).startsWith("WORK_");
