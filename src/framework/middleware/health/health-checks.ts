/**
 * Health checks: runs one check at a time, bounded, and turns any outcome into UP or DOWN.
 *
 *   result() ──▶ still fresh?     the cached result
 *            ──▶ already running? the same promise for all (single flight)
 *            ──▶ else run it ──▶ true | nothing ─────────────────────────▶ UP
 *                               false | throw | reject | timeout | other ─▶ DOWN
 *
 * It always settles within the check's timeout. A run that outlives it is given up: its signal is aborted and its late result
 * ignored. Until it ends the check is DOWN without being started again, so that hanging checks cannot pile up. A run that never
 * ends is written off after a while, so that one lost promise does not mean DOWN for ever.
 *
 * Spec: spec/health.md
 */
import { describeError } from "../../metrics/faults.ts";
import { isThenable } from "../../internal/thenable.ts";

/** `UP`: usable. `DOWN`: not. */
export type HealthStatus = "UP" | "DOWN";

/** Tells whether a dependency is usable. The signal aborts when the result is no longer awaited. */
export type HealthCheck = (signal: AbortSignal) => boolean | void | Promise<boolean | void>;

/** The outcome of one run. */
export interface CheckResult {
  readonly status: HealthStatus;
  readonly durationUs: number;
  /** Why it is down. Only shown when details are on. */
  readonly error?: string | undefined;
}

/** A run given up is written off after this multiple of the timeout, which doubles with each in a row. */
const PATIENCE = 30;
const MAX_PATIENCE_MS = 3_600_000;

/** Runs one check. */
export class CheckRunner {
  readonly #check: HealthCheck;
  readonly #timeoutMs: number;
  readonly #cacheMs: number;
  #running: Promise<CheckResult> | undefined;
  #unfinished = 0;
  #writtenOffAt = 0;
  #last: CheckResult | undefined;
  #lastAt = 0;
  #results = 0;

  /** @param cacheMs how long a result is reused after it came in. 0 = never. */
  constructor(check: HealthCheck, timeoutMs: number, cacheMs: number) {
    this.#check = check;
    this.#timeoutMs = timeoutMs;
    this.#cacheMs = cacheMs;
  }

  /** The check's result, immediate when it is cached or the check is synchronous. Never throws, never rejects. */
  result(): CheckResult | Promise<CheckResult> {
    return this.resultWithin(this.#cacheMs);
  }

  /** The same, but a result of at most that age is good enough. */
  resultWithin(maxAgeMs: number): CheckResult | Promise<CheckResult> {
    if (this.#running !== undefined) return this.#running;
    if (this.#last !== undefined && performance.now() - this.#lastAt < maxAgeMs) return this.#last;
    if (this.#unfinished > 0 && performance.now() < this.#writtenOffAt)
      return { status: "DOWN", durationUs: 0, error: "not started: an earlier run has not ended" };
    return this.#start();
  }

  /** The time since the last result, or 0 before the first. */
  get ageMs(): number {
    return this.#last === undefined ? 0 : performance.now() - this.#lastAt;
  }

  /** The number of results so far. */
  get results(): number {
    return this.#results;
  }

  #start(): CheckResult | Promise<CheckResult> {
    const controller = new AbortController();
    const startedAt = performance.now();
    let pending: Promise<unknown>;
    try {
      const returned: unknown = this.#check(controller.signal);
      if (!isThenable(returned)) return this.#keep(judge(returned, startedAt));
      pending = Promise.resolve(returned);
    } catch (error) {
      return this.#keep(down(error, startedAt));
    }
    const outcome = pending.then(
      (value) => judge(value, startedAt),
      (error: unknown) => down(error, startedAt),
    );
    this.#running = this.#within(outcome, controller, startedAt).then((result) => {
      this.#running = undefined;
      return this.#keep(result);
    });
    return this.#running;
  }

  /** `outcome`, or DOWN when it takes longer than the timeout. */
  #within(outcome: Promise<CheckResult>, controller: AbortController, startedAt: number): Promise<CheckResult> {
    return new Promise((resolve) => {
      let late = false;
      const timer = setTimeout(() => {
        late = true;
        this.#unfinished += 1;
        const patience = this.#timeoutMs * PATIENCE * 2 ** (this.#unfinished - 1);
        this.#writtenOffAt = performance.now() + Math.min(patience, MAX_PATIENCE_MS);
        const error = new Error(`timed out after ${this.#timeoutMs} ms`);
        resolve(down(error, startedAt));
        controller.abort(error);
      }, this.#timeoutMs);
      void outcome.then((result) => {
        clearTimeout(timer);
        if (late) this.#unfinished -= 1;
        resolve(result);
      });
    });
  }

  #keep(result: CheckResult): CheckResult {
    this.#last = result;
    this.#lastAt = performance.now();
    this.#results += 1;
    return result;
  }
}

/** Only `true` and no value are UP. A check that returns another value is broken, and broken is DOWN. */
function judge(value: unknown, startedAt: number): CheckResult {
  if (value === true || value === undefined) return { status: "UP", durationUs: since(startedAt) };
  if (value === false) return { status: "DOWN", durationUs: since(startedAt), error: "returned false" };
  return { status: "DOWN", durationUs: since(startedAt), error: `returned ${typeof value}, not a boolean` };
}

function down(error: unknown, startedAt: number): CheckResult {
  return { status: "DOWN", durationUs: since(startedAt), error: describeError(error) };
}

function since(startedAt: number): number {
  return Math.max(0, Math.round((performance.now() - startedAt) * 1000));
}
