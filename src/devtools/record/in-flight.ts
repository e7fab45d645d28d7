/**
 * In flight: the runs between start and end, numbered in the order of their starts.
 *
 *   begin(run) ──▶ 1, 2, 3 … ──▶ due(): those that take a while, reported each second ──▶ end(run)
 *
 * A request costs a place in a list, not in a Map, since map entries that come and go with each request cost the garbage
 * collector microseconds. Nothing is computed unless a page listens and the run takes longer than most.
 *
 * Spec: spec/stream.md
 */
import type { PendingCall, Started } from "../run/shapes.ts";
import type { Recording } from "./recorder.ts";

/** A run in progress. */
export interface UnderWay {
  readonly recording: Recording;
  /** Its number; set by `begin`. */
  run: number;
  place: number;
  /** Its current description in its shown form. */
  described(): Omit<Started, "instance" | "run" | "elapsedUs" | "calls" | "pending">;
}

/** A run is reported after this time. Most are over by then. */
const worthTellingMs = 100;
/** How often it is reported again, so that a page that missed its end can infer it from the silence. */
const againMs = 1_000;
/** The most runs that are reported in one turn, the earliest ones. */
const maxRuns = 50;
const maxPending = 10;

/** The runs of one process. */
export class InFlight {
  readonly #instance: string;
  /** In no order; the last one takes the place of one that ends. */
  readonly #runs: UnderWay[] = [];
  /** When slow runs were last reported. */
  readonly #toldAt = new Map<UnderWay, number>();
  #last = 0;

  constructor(instance: string) {
    this.#instance = instance;
  }

  get isEmpty(): boolean {
    return this.#runs.length === 0;
  }

  begin(run: UnderWay): number {
    run.run = run.recording.run = ++this.#last;
    run.place = this.#runs.push(run) - 1;
    return run.run;
  }

  end(run: UnderWay): void {
    if (this.#runs[run.place] !== run) return;
    const last = this.#runs.pop();
    if (last !== undefined && last !== run) {
      this.#runs[run.place] = last;
      last.place = run.place;
    }
    if (this.#toldAt.size > 0) this.#toldAt.delete(run);
  }

  /** The runs to report now. Never throws; a run that cannot be described is left out. */
  due(now: number = performance.now()): readonly Started[] {
    const due: Started[] = [];
    for (const run of this.#runs.toSorted((a, b) => a.run - b.run)) {
      const { startedAt, calls = [] } = run.recording;
      if (now - startedAt < worthTellingMs || now - (this.#toldAt.get(run) ?? Number.NEGATIVE_INFINITY) < againMs)
        continue;
      if (due.length >= maxRuns) break;
      this.#toldAt.set(run, now);
      try {
        due.push({
          instance: this.#instance,
          run: run.run,
          ...run.described(),
          elapsedUs: Math.floor((now - startedAt) * 1_000),
          calls: calls.length,
          pending: pendingOf(calls),
        });
      } catch {
        // reported at its end
      }
    }
    return due;
  }
}

const pendingOf = (calls: NonNullable<Recording["calls"]>): readonly PendingCall[] =>
  calls
    .filter(({ durationUs }) => durationUs === null)
    .slice(-maxPending)
    .map(({ bean, method, startUs }) => ({ bean, method, startUs }));
