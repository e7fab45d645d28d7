/**
 * Activity: which call of one run the thread executes, at any time of it.
 *
 *   a bean is called or returns ──▶ enter, leave
 *   code goes on after an await ──▶ node:async_hooks ──▶ enter, leave      ──▶ at(ms) ──▶ a call, the handler, or other work
 *
 * Several calls of a run are open at the same time, and the thread executes one of them at most. It costs time, and is only on
 * while a run is profiled.
 */
import { createHook, type AsyncHook } from "node:async_hooks";

/** A call's id, null for the request outside of calls, undefined for work that is not of this run. */
export type Executing = number | null | undefined;

/** The activity of one run. */
export class Activity {
  readonly #times: number[] = [];
  readonly #executing: Executing[] = [];
  readonly #above: Executing[] = [];
  readonly #hook: AsyncHook;
  #now: Executing;

  /** @param running what the code that goes on belongs to */
  constructor(running: () => Executing) {
    this.#hook = createHook({ before: () => this.enter(running()), after: () => this.leave() }).enable();
    process.on("uncaughtExceptionMonitor", this.#lost);
  }

  enter(executing: Executing): void {
    this.#above.push(this.#now);
    this.#mark(executing);
  }

  leave(): void {
    this.#mark(this.#above.pop());
  }

  /** Ends the recording. */
  stop(): void {
    this.#hook.disable();
    process.off("uncaughtExceptionMonitor", this.#lost);
    this.#lost();
  }

  /** What was executed at a time of `performance.now()`, and until when. */
  at(ms: number): { readonly executing: Executing; readonly untilMs: number } {
    let [low, high] = [0, this.#times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#times[middle] ?? 0) <= ms) low = middle + 1;
      else high = middle;
    }
    return { executing: this.#executing[low - 1], untilMs: this.#times[low] ?? Infinity };
  }

  /** Code that ends with an uncaught exception is not left. */
  readonly #lost = (): void => {
    this.#above.length = 0;
    this.#mark(undefined);
  };

  #mark(executing: Executing): void {
    if (executing === this.#now) return;
    this.#now = executing;
    this.#times.push(performance.now());
    this.#executing.push(executing);
  }
}
