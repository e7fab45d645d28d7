/**
 * Loop delay: how late the event loop is, measured while a page listens and not otherwise.
 *
 *   first page ──▶ two histograms of perf_hooks, each reset after a minute, half a minute apart ──▶ the older one is read
 *   last page  ──▶ both end
 *
 * Spec: spec/history.md
 */
import type { IntervalHistogram } from "node:perf_hooks";

const RESOLUTION_MS = 10;
const HALF_MS = 30_000;
const NS_PER_US = 1_000;

/** Measures one process. */
export class LoopDelay {
  /** The older one first. Empty while nothing is measured, and on runtimes without such histograms. */
  #histograms: readonly IntervalHistogram[] = [];
  #timer: ReturnType<typeof setInterval> | undefined;

  start(): void {
    if (this.#timer !== undefined) return;
    this.#histograms = [histogram(), histogram()].flatMap((one) => one ?? []);
    this.#timer = setInterval(() => this.#turn(), HALF_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    for (const one of this.#histograms) one.disable();
    this.#histograms = [];
  }

  /** The delay that 99 % of the last half a minute to a minute had at most, in microseconds. Undefined if it is not known. */
  p99Us(): number | undefined {
    const [older] = this.#histograms;
    // The histogram has the times between two ticks of a timer.
    if (older === undefined || older.count === 0) return undefined;
    const us = older.percentile(99) / NS_PER_US;
    return Math.max(0, Math.round(us - RESOLUTION_MS * NS_PER_US));
  }

  #turn(): void {
    const [older, newer] = this.#histograms;
    if (older === undefined || newer === undefined) return;
    older.reset();
    this.#histograms = [newer, older];
  }
}

/** A running histogram, or undefined on a runtime without them. */
function histogram(): IntervalHistogram | undefined {
  try {
    const made = process.getBuiltinModule("node:perf_hooks").monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    made.enable();
    return made;
  } catch {
    return undefined;
  }
}
