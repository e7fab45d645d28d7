/**
 * memoryWork: an engine in this process, for development and tests.
 *
 *   const jobs = memoryWork({ manual: true });
 *   app.work(jobs); …; await jobs.run({ at: "2026-03-29T03:00:00Z" })   ──▶ what ran, in order
 */
import { checkOptionNames } from "../internal/option-names.ts";
import { shown, usageError } from "../internal/usage-errors.ts";
import { type EngineOptions, engineOptionNames, JobEngine } from "./engine.ts";
import { MemoryDriver, type RanJob } from "./memory-driver.ts";

/** Options of `memoryWork`. */
export interface MemoryWorkOptions extends EngineOptions {
  /** True for tests: jobs run in `run`, and at no other time. */
  readonly manual?: boolean | undefined;
}

/** Options of `run`. */
export interface RunJobsOptions {
  /** The time to run until: milliseconds since 1970, a Date, or a text that Date reads. Default: the clock as it is. */
  readonly at?: number | Date | string | undefined;
}

/** The engine that `memoryWork` returns. */
export class MemoryWork extends JobEngine {
  readonly #driver: MemoryDriver;

  /** @throws TypeError (`WORK_INVALID`) naming what is not allowed. */
  constructor(options: MemoryWorkOptions = {}) {
    checkOptionNames("memoryWork", options, ["manual", ...engineOptionNames], "WORK_INVALID");
    const driver = new MemoryDriver(options.manual === true);
    super("memoryWork", driver, options);
    this.#driver = driver;
  }

  /**
   * Runs what is due until that time, schedules and later attempts too, one after the other, and sets the clock of jobs to it.
   * The app has to be ready: call `await app.ready()` first. Returns what ran, in order.
   *
   * @throws (rejects) TypeError (`WORK_INVALID`) without `manual`, and on a text that is no time.
   */
  async run({ at }: RunJobsOptions = {}): Promise<readonly RanJob[]> {
    if (!this.#driver.isManual)
      throw usageError(
        "WORK_INVALID",
        "run() is for tests: memoryWork({ manual: true }) runs jobs there, and only there",
      );
    const time = at === undefined ? this.#driver.now() : new Date(at).getTime();
    if (!Number.isFinite(time)) throw usageError("WORK_INVALID", `run() got at: ${shown(at)}, which is no time`);
    return this.#driver.run(time);
  }
}

/**
 * An engine in this process. What waits is lost when the process ends.
 *
 * @throws TypeError (`WORK_INVALID`) naming what is not allowed.
 * @example
 * ```ts
 * app.work(memoryWork());
 * ```
 */
export const memoryWork = (options: MemoryWorkOptions = {}): MemoryWork => new MemoryWork(options);
