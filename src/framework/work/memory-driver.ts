/**
 * Memory: jobs in this process, for development and tests. What waits is lost when the process ends.
 *
 *   send ──▶ waiting ──▶ due, and a consumer has room ──▶ active ──▶ done │ waiting again │ dead
 *
 * With `isManual` nothing runs by itself: `run` takes the jobs in the order in which they are due, and sets the clock to each.
 */
import type { Job } from "../app/work.ts";
import type { JobCounts } from "../metrics/collector.ts";
import { reasonOf } from "./attempt.ts";
import { later } from "./connection.ts";
import { delayAfter } from "./job.ts";
import type { DeadJob, Outcome, StoredJob, TakenJob, WorkDriver } from "./types.ts";

interface Kept {
  readonly stored: StoredJob;
  state: "waiting" | "active" | "done" | "dead";
  dueAt: number;
  attempt: number;
  reason: string;
}

interface Consumer {
  readonly job: Job;
  readonly deliver: (taken: TakenJob) => Promise<Outcome>;
  running: number;
}

/** What `run` did, in order. */
export interface RanJob {
  readonly job: string;
  readonly id: string;
  readonly attempt: number;
  /** When it was due, in milliseconds since 1970. */
  readonly at: number;
  readonly outcome: Outcome["kind"];
  /** Why it failed, or empty. */
  readonly reason: string;
}

/** So many done jobs are kept for their keys. */
const rememberedJobs = 10_000;
const longestRun = 100_000;
const longestTimerMs = 2 ** 31 - 1;

/** Keeps jobs in a map. */
export class MemoryDriver implements WorkDriver {
  readonly name = "memory";
  readonly isTransactional = false;
  readonly isManual: boolean;
  readonly #kept = new Map<string, Kept>();
  readonly #consumers = new Map<string, Consumer>();
  readonly #active = new Set<Promise<unknown>>();
  #clock: number | undefined;
  #isDraining = false;
  #cancel: (() => void) | undefined;
  #done = 0;

  constructor(isManual: boolean) {
    this.isManual = isManual;
  }

  now(): number {
    return this.#clock ?? Date.now();
  }

  async start(): Promise<void> {}

  async send(stored: StoredJob): Promise<void> {
    if (this.#kept.has(stored.id)) return;
    this.#kept.set(stored.id, { stored, state: "waiting", dueAt: stored.dueAt, attempt: 0, reason: "" });
    this.#pump();
  }

  async consume(job: Job, deliver: Consumer["deliver"]): Promise<void> {
    this.#consumers.set(job.name, { job, deliver, running: 0 });
    this.#pump();
  }

  async drain(): Promise<void> {
    this.#isDraining = true;
    this.#cancel?.();
    await Promise.all(this.#active);
  }

  async close(): Promise<void> {
    await this.drain();
  }

  async counts(names: readonly string[]): Promise<JobCounts[]> {
    return names.map((job) => {
      const own = [...this.#kept.values()].filter(({ stored }) => stored.job.name === job);
      const count = (state: Kept["state"]): number => own.filter((one) => one.state === state).length;
      const due = own.flatMap((one) => (one.state === "waiting" ? [this.now() - one.dueAt] : []));
      return {
        job,
        waiting: count("waiting"),
        active: count("active"),
        failed: count("dead"),
        oldestMs: Math.max(0, ...due),
      };
    });
  }

  async dead(name: string, limit: number): Promise<DeadJob[]> {
    return [...this.#kept.values()]
      .filter(({ stored, state }) => stored.job.name === name && state === "dead")
      .map(({ stored, reason }) => ({ id: stored.id, name, input: stored.envelope.input, reason }))
      .toReversed()
      .slice(0, limit);
  }

  async retry(name: string, id: string): Promise<boolean> {
    const kept = this.#kept.get(id);
    if (kept === undefined || kept.state !== "dead" || kept.stored.job.name !== name) return false;
    Object.assign(kept, { state: "waiting", dueAt: this.now(), attempt: kept.stored.job.attempts - 1 });
    this.#pump();
    return true;
  }

  /** Runs what is due until that time, one after the other. */
  async run(at: number = this.now()): Promise<RanJob[]> {
    const ran: RanJob[] = [];
    this.#clock = Math.min(this.now(), at);
    for (let next = this.#next(at); next !== undefined; next = this.#next(at)) {
      this.#clock = Math.max(this.#clock, next.kept.dueAt);
      const { kept, consumer } = next;
      const due = kept.dueAt;
      const outcome = await this.#attempt(kept, consumer);
      const { stored, attempt } = kept;
      ran.push({
        job: stored.job.name,
        id: stored.id,
        attempt,
        at: due,
        outcome: outcome.kind,
        reason: reasonOf(outcome),
      });
      if (ran.length > longestRun) throw new Error(`more than ${longestRun} jobs ran: one of them sends itself again`);
    }
    this.#clock = at;
    return ran;
  }

  /** The waiting job that is due first, of those with a free consumer. */
  #next(until: number): { readonly kept: Kept; readonly consumer: Consumer } | undefined {
    let first: { kept: Kept; consumer: Consumer } | undefined;
    for (const kept of this.#kept.values()) {
      const consumer = this.#consumers.get(kept.stored.job.name);
      if (kept.state !== "waiting" || kept.dueAt > until || consumer === undefined) continue;
      if (consumer.running >= consumer.job.concurrency) continue;
      if (first === undefined || kept.dueAt < first.kept.dueAt) first = { kept, consumer };
    }
    return first;
  }

  /** Begins every job that can, and comes back when the next one is due. */
  #pump(): void {
    if (this.isManual || this.#isDraining) return;
    let now = this.now();
    for (let next = this.#next(now); next !== undefined; now = this.now(), next = this.#next(now)) {
      const running: Promise<unknown> = this.#attempt(next.kept, next.consumer).finally(() => {
        this.#active.delete(running);
        this.#pump();
      });
      this.#active.add(running);
    }
    // A second reading of the clock would leave out a job that became due between the two, and nothing would come back for it.
    const due = [...this.#kept.values()].flatMap((one) =>
      one.state === "waiting" && one.dueAt > now ? [one.dueAt] : [],
    );
    this.#cancel?.();
    if (due.length === 0) return;
    const soonest = due.reduce((a, b) => Math.min(a, b));
    this.#cancel = later(Math.min(Math.max(soonest - this.now(), 1), longestTimerMs), () => this.#pump());
  }

  async #attempt(kept: Kept, consumer: Consumer): Promise<Outcome> {
    const { id, envelope } = kept.stored;
    kept.state = "active";
    kept.attempt += 1;
    consumer.running += 1;
    const outcome = await consumer.deliver({ id, attempt: kept.attempt, envelope });
    consumer.running -= 1;
    this.#end(kept, outcome);
    return outcome;
  }

  #end(kept: Kept, outcome: Outcome): void {
    const { job } = kept.stored;
    kept.reason = reasonOf(outcome);
    if (outcome.kind === "done") {
      kept.state = "done";
      this.#done += 1;
      if (this.#done > rememberedJobs) this.#forget();
    } else if (outcome.kind === "dead" || (outcome.kind === "failed" && kept.attempt >= job.attempts))
      kept.state = "dead";
    else {
      kept.state = "waiting";
      kept.dueAt = this.now() + (outcome.kind === "back" ? outcome.delayMs : delayAfter(job, kept.attempt));
    }
  }

  #forget(): void {
    for (const [id, { state }] of this.#kept)
      if (state === "done") {
        this.#kept.delete(id);
        this.#done -= 1;
        return;
      }
  }
}
