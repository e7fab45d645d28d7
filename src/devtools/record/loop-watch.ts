/**
 * Loop watch: when the event loop stood still while a run waited.
 *
 *   a timer each 10 ms while runs are in flight ──▶ it came late ──▶ from when it was due until it came, the loop ran other work
 *
 * Only the waits in which a run has no code of its own are looked at, which are reading its body and sending its response. Inside
 * of a handler it is unknown whether the run itself computed, so nothing is said about it.
 *
 * Spec: spec/trace.md
 */
import type { TimedStep } from "./phases.ts";

const PERIOD_MS = 10;
/** Timers are a few milliseconds late without a reason. */
const LATE_MS = 5;
/** The most remembered stops. A run that takes longer than all of them has lost the first ones. */
const MAX_STOPS = 200;

interface Stop {
  readonly from: number;
  readonly to: number;
}

/** Watches the event loop of one process. */
export class LoopWatch {
  #timer: NodeJS.Timeout | undefined;
  #dueAt = 0;
  readonly #stops: Stop[] = [];
  readonly #isIdle: () => boolean;

  /** @param isIdle whether no run is in flight, and the watch can end */
  constructor(isIdle: () => boolean) {
    this.#isIdle = isIdle;
  }

  /** A run begins. */
  begin(): void {
    if (this.#timer !== undefined) return;
    this.#dueAt = performance.now() + PERIOD_MS;
    this.#timer = setInterval(() => this.#tick(), PERIOD_MS);
    // A number on workerd.
    if (typeof this.#timer === "object") this.#timer.unref();
  }

  /** The steps, and the times in which the loop stood still during those that only wait. */
  with(steps: readonly TimedStep[]): readonly TimedStep[] {
    this.#note(performance.now());
    if (this.#stops.length === 0) return steps;
    const stops = steps
      .filter(({ kind, name }) => kind === "sending" || name === "read body")
      .flatMap(({ startedAt, endedAt }) =>
        this.#stops.flatMap(({ from, to }): readonly TimedStep[] => {
          const [begin, end] = [Math.max(from, startedAt), Math.min(to, endedAt)];
          return begin < end ? [{ kind: "event-loop", name: "blocked", startedAt: begin, endedAt: end }] : [];
        }),
      );
    return stops.length === 0 ? steps : [...steps, ...stops];
  }

  #tick(): void {
    const now = performance.now();
    this.#note(now);
    this.#dueAt = now + PERIOD_MS;
    if (!this.#isIdle()) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#stops.length = 0;
  }

  /** Remembers that the timer is late. The stop may go on. */
  #note(now: number): void {
    if (this.#timer === undefined || now - this.#dueAt < LATE_MS) return;
    const last = this.#stops.at(-1);
    if (last?.from === this.#dueAt) this.#stops.pop();
    else if (this.#stops.length >= MAX_STOPS) this.#stops.shift();
    this.#stops.push({ from: this.#dueAt, to: now });
  }
}
