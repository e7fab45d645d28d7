/**
 * BullmqDriver: jobs in Redis or Valkey, kept by BullMQ.
 *
 *   send ──▶ queue.add ──▶ a worker of one process has it, with a lock that it renews ──▶ the attempt ──▶ its outcome
 *             └─ not connected: rejected at once     └─ the process dies: the lock ends, and another worker has it
 *
 * A name is a queue of BullMQ. Its own schedulers are not used.
 */
import type { Job } from "../../app/work.ts";
import { inTime } from "../../internal/in-time.ts";
import type { JobCounts } from "../../metrics/collector.ts";
import { messageOf } from "../envelope.ts";
import type { DeadJob, DriverHost, Envelope, Outcome, StoredJob, TakenJob, WorkDriver } from "../types.ts";
import {
  type Bull,
  type BullJob,
  type BullQueue,
  type BullWorker,
  isReady,
  loadBull,
  type RedisConnection,
} from "./bull.ts";

/** Settings of the driver. */
export interface BullmqSettings {
  readonly connection: RedisConnection;
  readonly prefix: string;
  /** A lock is renewed at half this time, and looked after as often. */
  readonly lockMs: number;
}

/** How long done and dead jobs are kept, in seconds: for a key, and for a retry. */
const doneSeconds = 2 * 24 * 60 * 60;
const deadSeconds = 14 * 24 * 60 * 60;
const connectMs = 2_000;

/** Keeps jobs in Redis. */
export class BullmqDriver implements WorkDriver {
  readonly name = "bullmq";
  readonly isTransactional = false;
  readonly #settings: BullmqSettings;
  readonly #queues = new Map<string, BullQueue>();
  readonly #workers: BullWorker[] = [];
  #bull: Bull | undefined;
  #host: DriverHost | undefined;
  #isDraining = false;

  constructor(settings: BullmqSettings) {
    this.#settings = settings;
  }

  now(): number {
    return Date.now();
  }

  async start(host: DriverHost): Promise<void> {
    this.#host = host;
    this.#bull ??= await loadBull();
    await inTime(this.#settings.connection.ping(), connectMs, `Redis did not answer within ${connectMs} ms`);
  }

  async send({ id, job, envelope, dueAt }: StoredJob): Promise<void> {
    const queue = this.#queue(job.name);
    await queue.add(job.name, envelope, {
      jobId: id,
      delay: Math.max(0, dueAt - Date.now()),
      attempts: job.attempts,
      backoff: { type: job.backoff.kind, delay: job.backoff.delayMs },
      removeOnComplete: { age: doneSeconds },
      removeOnFail: { age: deadSeconds },
    });
    this.#host?.back();
  }

  async consume(job: Job, deliver: (taken: TakenJob) => Promise<Outcome>): Promise<void> {
    const { Worker } = this.#loaded();
    const worker = new Worker(job.name, (one, token) => this.#process(one, token, deliver), {
      ...this.#options(),
      concurrency: job.concurrency,
      lockDuration: this.#settings.lockMs,
      stalledInterval: this.#settings.lockMs,
      maxStalledCount: job.attempts,
    });
    worker.on("error", (error) => this.#failed(error));
    this.#workers.push(worker);
  }

  async drain(): Promise<void> {
    this.#isDraining = true;
    await Promise.all(this.#workers.map((worker) => worker.close()));
  }

  async close(): Promise<void> {
    await this.drain();
    await Promise.all([...this.#queues.values()].map((queue) => queue.close()));
  }

  counts(names: readonly string[]): Promise<JobCounts[]> {
    return Promise.all(names.map((name) => this.#countsOf(name)));
  }

  async dead(name: string, limit: number): Promise<DeadJob[]> {
    const jobs = await this.#queue(name).getJobs(["failed"], 0, limit - 1, false);
    return jobs.flatMap((one) => {
      if (one?.id === undefined) return [];
      const { input } = Object(one.data) as Partial<Envelope>;
      return [{ id: one.id, name, input, reason: one.failedReason ?? "" }];
    });
  }

  async retry(name: string, id: string): Promise<boolean> {
    const job = await this.#queue(name).getJob(id);
    if (job === undefined || !(await job.isFailed())) return false;
    await job.retry("failed");
    return true;
  }

  async #countsOf(job: string): Promise<JobCounts> {
    const queue = this.#queue(job);
    const [counts, [waiting], [delayed]] = await Promise.all([
      queue.getJobCounts("wait", "active", "delayed", "failed"),
      queue.getJobs(["wait"], 0, 0, true),
      queue.getJobs(["delayed"], 0, 0, true),
    ]);
    const of = (name: string): number => counts[name] ?? 0;
    const now = Date.now();
    const ages = [waiting, delayed].flatMap((one) => (one === undefined ? [] : [now - dueAtOf(one)]));
    return {
      job,
      waiting: of("wait") + of("delayed"),
      active: of("active"),
      failed: of("failed"),
      oldestMs: Math.max(0, ...ages),
    };
  }

  async #process(
    one: BullJob,
    token: string | undefined,
    deliver: (taken: TakenJob) => Promise<Outcome>,
  ): Promise<unknown> {
    const { DelayedError, UnrecoverableError, WaitingError } = this.#loaded();
    this.#host?.back();
    const outcome = await deliver({ id: String(one.id), attempt: one.attemptsMade + 1, envelope: one.data });
    if (outcome.kind === "done") return null;
    if (outcome.kind === "failed") throw errorOf(outcome.error);
    if (outcome.kind === "dead") throw new UnrecoverableError(outcome.reason);
    if (outcome.delayMs === 0) {
      await one.moveToWait(token);
      throw new WaitingError();
    }
    await one.moveToDelayed(Date.now() + outcome.delayMs, token);
    throw new DelayedError();
  }

  /** @throws Error when the server is away, since the client would keep the command for later. */
  #queue(name: string): BullQueue {
    if (!isReady(this.#settings.connection)) {
      const error = new Error("Redis is not connected");
      this.#host?.away(error);
      throw error;
    }
    const known = this.#queues.get(name);
    if (known !== undefined) return known;
    const { Queue } = this.#loaded();
    const queue = new Queue(name, this.#options());
    queue.on("error", (error) => this.#failed(error));
    this.#queues.set(name, queue);
    return queue;
  }

  #options(): object {
    const { connection, prefix } = this.#settings;
    return { connection, prefix };
  }

  #failed(error: unknown): void {
    if (this.#isDraining) return;
    if (isReady(this.#settings.connection) && !isLost(error)) this.#host?.reported(error);
    else this.#host?.away(error);
  }

  #loaded(): Bull {
    if (this.#bull === undefined) throw new Error("BullMQ has not started");
    return this.#bull;
  }
}

const dueAtOf = ({ timestamp, processedOn = 0, opts }: BullJob): number =>
  Math.max(timestamp + (opts.delay ?? 0), processedOn);

/** A worker's own connection can break before the client's. */
const isLost = (error: unknown): boolean =>
  /^E[A-Z]+$/.test(String(Object(error).code)) || /connection is closed/i.test(messageOf(error));

const errorOf = (error: unknown): Error => (error instanceof Error ? error : new Error(messageOf(error)));
