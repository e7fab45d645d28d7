/** Losses: counts what could not be exported, and warns about it once a minute at most. */
import type { OtlpSignal } from "./settings.ts";

const QUIET_MS = 60_000;
const words: Readonly<Record<OtlpSignal, string>> = { traces: "spans", metrics: "metrics", logs: "log records" };

/** The counts of an exporter. */
export class Losses {
  readonly #warn: (line: string) => void;
  readonly #counts = { traces: 0, metrics: 0, logs: 0 };
  #warnedAt = -Infinity;

  constructor(warn: (line: string) => void) {
    this.#warn = warn;
  }

  /** All that was lost. */
  get count(): number {
    return this.#counts.traces + this.#counts.metrics + this.#counts.logs;
  }

  /** Counts some. Never throws. */
  add(signal: OtlpSignal, count: number, why: string): void {
    this.#counts[signal] += count;
    const at = performance.now();
    if (at - this.#warnedAt < QUIET_MS) return;
    this.#warnedAt = at;
    const total = this.#counts[signal];
    try {
      this.#warn(`OtlpExporter: ${count} ${words[signal]} lost, ${total} in all: ${why}`);
    } catch {
      // A throwing logger is ignored.
    }
  }
}
