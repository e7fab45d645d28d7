/**
 * Engine: what `memoryWork()` and the others return: a driver with the options that all have.
 *
 *   app.work(engine)     new HealthMiddleware({ checks: { jobs: engine.check({ maxAgeMs: 60_000 }) } })
 */
import type { AppWork, WorkEngine, WorkHost } from "../app/work.ts";
import { checkOptionNames } from "../internal/option-names.ts";
import type { MetricsCollector } from "../metrics/collector.ts";
import { whole } from "./job.ts";
import { Sender, type Work } from "./sender.ts";
import type { WorkDriver } from "./types.ts";
import { Works } from "./works.ts";

/** Options of every engine. */
export interface EngineOptions {
  /** The largest job in bytes, with its input as JSON. Default 262,144. */
  readonly maxBytes?: number | undefined;
  /** How long the engine may take to accept a job, in milliseconds. Default 5,000. */
  readonly sendTimeoutMs?: number | undefined;
  /** Gets each attempt, and how many jobs wait, run and have failed. */
  readonly metrics?: Pick<MetricsCollector, "job" | "jobs"> | undefined;
}

/** Options of `engine.check`. */
export interface JobsCheckOptions {
  /** How long a job may be due without being taken, in milliseconds. */
  readonly maxAgeMs: number;
}

/** The names of the options that every engine has. */
export const engineOptionNames: readonly string[] = ["maxBytes", "sendTimeoutMs", "metrics"];

/** An engine for `app.work`. */
export class JobEngine implements WorkEngine {
  readonly name: string;
  /** The bean `Work`, for a container that is started before the app: `builder.bindInstance(Work, engine.work)`. */
  readonly work: Work;
  readonly #driver: WorkDriver;
  readonly #sender: Sender;
  readonly #metrics: EngineOptions["metrics"];
  #works: Works | undefined;

  /** @throws TypeError (`WORK_INVALID`) naming what is not allowed. */
  constructor(where: string, driver: WorkDriver, options: EngineOptions) {
    const { maxBytes = 262_144, sendTimeoutMs = 5_000, metrics } = options;
    this.name = driver.name;
    this.#driver = driver;
    this.#metrics = metrics;
    this.work = this.#sender = new Sender(driver, {
      maxBytes: whole(where, "maxBytes", maxBytes, 1, 64 * 1_024 * 1_024),
      sendTimeoutMs: whole(where, "sendTimeoutMs", sendTimeoutMs, 1, 600_000),
    });
  }

  /**
   * A health check: down when the engine is away, or when a job has been due for longer than `maxAgeMs`.
   *
   * @throws TypeError (`WORK_INVALID`) when that is no time.
   */
  check(options: JobsCheckOptions): () => Promise<void> {
    checkOptionNames("engine.check", options, ["maxAgeMs"], "WORK_INVALID");
    const maxAgeMs = whole("engine.check", "maxAgeMs", options.maxAgeMs, 1, 2 ** 31 - 1);
    return async () => {
      if (this.#works?.isUp !== true) throw new Error(`${this.name} is not connected`);
      const counts = await this.#sender.counts();
      const late = counts.find(({ oldestMs }) => oldestMs > maxAgeMs);
      if (late !== undefined) throw new Error(`a job ${late.job} has been due for ${late.oldestMs} ms`);
    };
  }

  attach(host: WorkHost): AppWork {
    this.#sender.host = host;
    this.#works = new Works({ driver: this.#driver, sender: this.#sender, metrics: this.#metrics }, host);
    return this.#works;
  }
}
