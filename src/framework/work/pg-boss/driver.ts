/**
 * PgBossDriver: jobs in PostgreSQL, kept by pg-boss.
 *
 *   send ──▶ boss.send, in the caller's transaction if given ──▶ a row
 *   due rows ──▶ boss.fetch: active, with a lease ──▶ the attempt ──▶ boss.complete │ boss.fail: again after the backoff, or dead
 *                  └─ the process dies: pg-boss fails the row when its lease is over      └─ back: the row waits again
 *
 * A name is a queue of pg-boss. Its own workers, schedules and dead letter queues are not used.
 */
import type { Job } from "../../app/work.ts";
import { stateError } from "../../internal/usage-errors.ts";
import type { JobCounts } from "../../metrics/collector.ts";
import { messageOf } from "../envelope.ts";
import { Puller } from "../puller.ts";
import type { DeadJob, DriverHost, Envelope, Outcome, StoredJob, TakenJob, WorkDriver } from "../types.ts";
import { reasonOf } from "../attempt.ts";
import { bossSettings, loadBoss, retention, type Boss } from "./boss.ts";
import { isStatementError, type Row, type Sql, sqlOf } from "../../internal/sql.ts";
import * as statements from "./statements.ts";

/** Settings of the driver. */
export interface PgBossSettings {
  readonly db: Sql | string;
  readonly schema: string;
  readonly pollMs: number;
  readonly maintenanceSeconds: number;
  /** Their queues are made at the start. */
  readonly jobs: readonly Job[];
}

/** After a job's own time a lease is this much longer, so that the outcome can be stored. In seconds. */
const marginSeconds = 15;
/** A unique violation, and on a single connection a transaction that another one's error has ended. */
const inTheWay = ["23505", "25P02"];
/** An outcome that could not be stored is stored again after this time at least, and at most. */
const settleMs: readonly [least: number, most: number] = [100, 1_000];

/** Keeps jobs in PostgreSQL. */
export class PgBossDriver implements WorkDriver {
  readonly name = "pg-boss";
  readonly isTransactional = true;
  readonly #settings: PgBossSettings;
  readonly #puller: Puller;
  readonly #queues = new Map<string, Promise<unknown>>();
  readonly #started: PromiseWithResolve = withResolve();
  #boss: Boss | undefined;
  #sql: Sql | undefined;
  #host: DriverHost | undefined;
  #isClosed = false;

  constructor(settings: PgBossSettings) {
    this.#settings = settings;
    this.#puller = new Puller(
      {
        due: (names) => this.#due(names),
        fetch: (name, count) => this.#fetch(name, count),
        settle: (job, taken, outcome) => this.#settle(job, taken, outcome),
        failed: (error) => this.#host?.away(error),
      },
      settings.pollMs,
    );
  }

  now(): number {
    return Date.now();
  }

  async start(host: DriverHost): Promise<void> {
    this.#host = host;
    if (this.#boss === undefined) await this.#begin(host);
    for (const job of this.#settings.jobs) await this.#queue(job.name);
    this.#started.resolve();
  }

  /** Processes that make the tables at the same time are in each other's way, and then the next try finds them made. */
  async #begin(host: DriverHost, triesLeft = 2): Promise<void> {
    const PgBoss = await loadBoss();
    const { db, schema, maintenanceSeconds } = this.#settings;
    const boss = new PgBoss(bossSettings(typeof db === "string" ? db : this.#watched(db), schema, maintenanceSeconds));
    boss.on("error", (error) => host.reported(error));
    try {
      await boss.start();
    } catch (error) {
      await boss.stop({ graceful: false }).catch(() => undefined);
      if (triesLeft === 0 || !inTheWay.includes(String(Object(error).code))) throw error;
      return this.#begin(host, triesLeft - 1);
    }
    if (this.#isClosed) return void (await boss.stop({ graceful: false }));
    this.#boss = boss;
    this.#sql = this.#watched(typeof db === "string" ? boss.getDb() : db);
  }

  async send({ id, job, envelope, dueAt, tx }: StoredJob): Promise<void> {
    const boss = await this.#running();
    if (tx !== undefined && !this.#queues.has(job.name)) await this.#queueBeside(job.name);
    else await this.#queue(job.name);
    const isLater = dueAt > Date.now();
    await boss.send(job.name, envelope, {
      id,
      retryLimit: job.attempts - 1,
      retryDelay: Math.ceil(job.backoff.delayMs / 1_000),
      retryBackoff: job.backoff.kind === "exponential",
      expireInSeconds: Math.ceil(job.timeoutMs / 1_000) + marginSeconds,
      ...(isLater ? { startAfter: new Date(dueAt) } : {}),
      ...(tx === undefined ? {} : { db: sqlOf(`the tx of work.send(${job.name})`, tx, "WORK_INVALID") }),
      ...retention,
    });
    if (!isLater) this.#puller.ask();
  }

  async consume(job: Job, deliver: (taken: TakenJob) => Promise<Outcome>): Promise<void> {
    await this.#queue(job.name);
    this.#puller.add(job, deliver);
  }

  drain(): Promise<void> {
    return this.#puller.drain();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#puller.drain();
    await this.#boss?.stop({ graceful: false });
  }

  async counts(names: readonly string[]): Promise<JobCounts[]> {
    const rows = await this.#query(statements.counts(this.#settings.schema), [names.join(",")]);
    return names.map((job) => {
      const row = rows.find(({ name }) => name === job) ?? {};
      const figure = (name: string): number => Number(row[name] ?? 0);
      return {
        job,
        waiting: figure("waiting"),
        active: figure("active"),
        failed: figure("failed"),
        oldestMs: Math.max(0, Math.round(figure("oldest"))),
      };
    });
  }

  async dead(name: string, limit: number): Promise<DeadJob[]> {
    const rows = await this.#query(statements.dead(this.#settings.schema), [name, limit]);
    return rows.map(({ id, data, output }) => ({
      id: String(id),
      name,
      input: (Object(data) as Partial<Envelope>).input,
      reason: reasonIn(output),
    }));
  }

  async retry(name: string, id: string): Promise<boolean> {
    const rows = await this.#query(statements.retry(this.#settings.schema), [name, id]);
    this.#puller.ask();
    return rows.length > 0;
  }

  async #due(names: readonly string[]): Promise<string[]> {
    const rows = await this.#query(statements.due(this.#settings.schema), [names.join(",")]);
    return rows.map(({ name }) => String(name));
  }

  async #fetch(name: string, count: number): Promise<readonly TakenJob[]> {
    const boss = await this.#running();
    const jobs = (await boss.fetch(name, { batchSize: count, includeMetadata: true })) ?? [];
    return jobs.map(({ id, data, retryCount }) => ({ id, attempt: retryCount + 1, envelope: data }));
  }

  /**
   * Tries again until the app stops, since otherwise the job would be done twice. When the database is back after the lease, the
   * outcome is there before pg-boss looks for leases that are over.
   */
  async #settle(job: Job, { id }: TakenJob, outcome: Outcome): Promise<void> {
    const [least, most] = settleMs;
    for (let delayMs = least; ; delayMs = Math.min(delayMs * 2, most)) {
      try {
        return await this.#settleOnce(job.name, id, outcome);
      } catch (error) {
        this.#host?.away(error);
        if (this.#isClosed || isStatementError(error)) return;
        await new Promise((resolve) => setTimeout(resolve, delayMs));
      }
    }
  }

  async #settleOnce(name: string, id: string, outcome: Outcome): Promise<void> {
    const boss = await this.#running();
    const { schema } = this.#settings;
    if (outcome.kind === "done") await boss.complete(name, id);
    else if (outcome.kind === "back") await this.#query(statements.back(schema), [name, id, outcome.delayMs]);
    else {
      // pg-boss tries a failed job again while it has retries left.
      if (outcome.kind === "dead") await this.#query(statements.last(schema), [name, id]);
      const issues = outcome.kind === "dead" ? outcome.issues : undefined;
      await boss.fail(name, id, { message: reasonOf(outcome), ...(issues === undefined ? {} : { issues }) });
    }
  }

  /** Makes the queue of a name, once. */
  #queue(name: string): Promise<unknown> {
    const known = this.#queues.get(name);
    if (known !== undefined) return known;
    const making = this.#running(true).then((boss) => boss.createQueue(name));
    this.#queues.set(name, making);
    making.catch(() => this.#queues.delete(name));
    return making;
  }

  /** The same during a transaction, which on a single connection keeps the statement waiting. */
  async #queueBeside(name: string): Promise<void> {
    const late = new Promise<never>((_, reject) => {
      const sentence =
        `the queue of ${name} could not be made during the transaction: register it with app.job, or with ` +
        `pgBossWork({ jobs: [${name}] }), so that it is made at the start`;
      setTimeout(() => reject(stateError("WORK_INVALID", sentence)), 2_000).unref?.();
    });
    await Promise.race([this.#queue(name), late]);
  }

  /** The instance, when it has started. @throws (rejects) when it was closed. */
  async #running(isStarting = false): Promise<Boss> {
    if (this.#isClosed) throw new Error("the app has stopped");
    if (!isStarting || this.#boss === undefined) await this.#started.promise;
    if (this.#boss === undefined) throw new Error("pg-boss has not started");
    return this.#boss;
  }

  async #query(text: string, values: readonly unknown[]): Promise<Row[]> {
    await this.#running();
    return (await this.#sql?.executeSql(text, values))?.rows ?? [];
  }

  /** Reports when the database is away, and when it is back. pg-boss hides errors of `fetch`. */
  #watched(sql: Sql): Sql {
    return {
      executeSql: async (text, values) => {
        try {
          const result = await sql.executeSql(text, values);
          this.#host?.back();
          return result;
        } catch (error) {
          if (!isStatementError(error)) this.#host?.away(error);
          throw error;
        }
      },
    };
  }
}

interface PromiseWithResolve {
  readonly promise: Promise<void>;
  resolve(): void;
}

function withResolve(): PromiseWithResolve {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((given) => (resolve = given));
  return { promise, resolve: () => resolve() };
}

/** The message that pg-boss keeps with a failed job: `{ message }`, or `{ value: { message } }` of its own. */
function reasonIn(output: unknown): string {
  const { message, value } = Object(output) as { message?: unknown; value?: unknown };
  return messageOf(Object.assign(new Error(), { message: String(message ?? Object(value).message ?? "") }));
}
