/**
 * Puller: asks an engine for due jobs, for an engine that hands none out by itself.
 *
 *   every pollMs, and after a send of this process ──▶ which names have due jobs ──▶ as many of each as it has room for
 *
 * One question a turn for all names together. It never asks twice at a time, and never rejects.
 */
import type { Job } from "../app/work.ts";
import { currentScope, runIn } from "../internal/async-scope.ts";
import { later } from "./connection.ts";
import type { Outcome, TakenJob } from "./types.ts";

/** How it asks. */
export interface Source {
  /** Those of the names that have due jobs. */
  due(names: readonly string[]): Promise<readonly string[]>;
  fetch(name: string, count: number): Promise<readonly TakenJob[]>;
  /** Stores an outcome. Resolves when that is done, or given up. */
  settle(job: Job, taken: TakenJob, outcome: Outcome): Promise<void>;
  /** It could not be asked. */
  failed(error: unknown): void;
}

interface Consumer {
  readonly job: Job;
  readonly deliver: (taken: TakenJob) => Promise<Outcome>;
  running: number;
}

/** The consumers of one process. */
export class Puller {
  readonly #source: Source;
  readonly #pollMs: number;
  /** A send of a request asks in its turn, and its statements are not that request's. */
  readonly #scope = currentScope();
  readonly #consumers = new Map<string, Consumer>();
  readonly #running = new Set<Promise<void>>();
  #turn: Promise<void> | undefined;
  #isAskedAgain = false;
  #isStopped = false;
  #cancel: (() => void) | undefined;

  constructor(source: Source, pollMs: number) {
    this.#source = source;
    this.#pollMs = pollMs;
  }

  add(job: Job, deliver: Consumer["deliver"]): void {
    this.#consumers.set(job.name, { job, deliver, running: 0 });
    this.ask();
  }

  /** Asks now, or once more after the turn that is under way. */
  ask(): void {
    if (this.#isStopped) return;
    if (this.#turn !== undefined) {
      this.#isAskedAgain = true;
      return;
    }
    this.#cancel?.();
    this.#turn = runIn(this.#scope, () => this.#take()).finally(() => {
      this.#turn = undefined;
      if (this.#isStopped) return;
      if (!this.#isAskedAgain) this.#cancel = later(this.#pollMs, () => this.ask());
      else {
        this.#isAskedAgain = false;
        this.ask();
      }
    });
  }

  /** Asks no more, and waits for the jobs that are under way. */
  async drain(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#turn;
    await Promise.all(this.#running);
  }

  async #take(): Promise<void> {
    try {
      const free = [...this.#consumers.values()].filter((one) => one.running < one.job.concurrency);
      if (free.length === 0) return;
      for (const name of await this.#source.due(free.map(({ job }) => job.name))) {
        const consumer = this.#consumers.get(name);
        if (consumer === undefined || this.#isStopped) continue;
        const taken = await this.#source.fetch(name, consumer.job.concurrency - consumer.running);
        for (const one of taken) this.#begin(consumer, one);
      }
    } catch (error) {
      this.#source.failed(error);
    }
  }

  #begin(consumer: Consumer, taken: TakenJob): void {
    consumer.running += 1;
    const running: Promise<void> = consumer
      .deliver(taken)
      .then((outcome) => this.#source.settle(consumer.job, taken, outcome))
      .finally(() => {
        consumer.running -= 1;
        this.#running.delete(running);
        this.ask();
      });
    this.#running.add(running);
  }
}
