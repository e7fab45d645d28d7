/**
 * Turns: spreads simultaneous work over turns of the event loop, so that other work runs in between.
 *
 * Spec: spec/engines.md
 */

/** One piece of work. One that returns false does not count. */
export type Job = () => boolean | void;

/** Runs jobs in the order they came, up to a number in each turn of the event loop. */
export class Turns {
  readonly #perTurn: number;
  #left: number;
  #isScheduled = false;
  #jobs: Job[] = [];
  /** The index of the first job that has not run. */
  #at = 0;

  constructor(perTurn: number) {
    this.#perTurn = perTurn;
    this.#left = perTurn;
  }

  /** Runs `job` immediately when there is room in this turn, else in a later one. */
  run(job: Job): void {
    this.#schedule();
    if (this.#left > 0 && this.#at === this.#jobs.length) this.#do(job);
    else this.#jobs.push(job);
  }

  /** The next turn starts again. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#next());
  }

  #next(): void {
    this.#isScheduled = false;
    this.#left = this.#perTurn;
    for (; this.#left > 0 && this.#at < this.#jobs.length; this.#at += 1) {
      const job = this.#jobs[this.#at];
      if (job !== undefined) this.#do(job);
    }
    this.#jobs = this.#jobs.slice(this.#at);
    this.#at = 0;
    if (this.#left < this.#perTurn) this.#schedule();
  }

  #do(job: Job): void {
    if (job() !== false) this.#left -= 1;
  }
}
