/**
 * Connection: the start of an engine, tried until it succeeds, and one line for each change.
 *
 *   begin ──▶ driver.start ──▶ up ──▶ jobs are taken                away ──▶ one line ──▶ … ──▶ it answers: one line
 *               └─ rejects: one line, again in 1 s, 2 s, … 10 s
 *
 * The app starts without its engine, because a request that sends nothing needs none.
 */
import type { SafeLogger } from "../internal/logger.ts";
import { unref } from "../internal/timers.ts";
import { messageOf } from "./envelope.ts";
import type { DriverHost, WorkDriver } from "./types.ts";

const firstDelayMs = 1_000;
const longestDelayMs = 10_000;

/** A timer that does not keep the process alive. */
export function later(ms: number, work: () => void): () => void {
  const timer = unref(setTimeout(work, ms));
  return () => clearTimeout(timer);
}

/** The app's connection to its engine. */
export class Connection implements DriverHost {
  readonly #driver: WorkDriver;
  readonly #logger: SafeLogger;
  readonly #connected: () => Promise<void>;
  #cancel: (() => void) | undefined;
  #isAway = false;
  #isStopped = false;
  #isUp = false;

  /** @param connected called when the engine has started. Its rejection is one of the start. */
  constructor(driver: WorkDriver, logger: SafeLogger, connected: () => Promise<void>) {
    this.#driver = driver;
    this.#logger = logger;
    this.#connected = connected;
  }

  /** Has it started? */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** Starts the engine. Resolves after the first try. */
  async begin(delayMs: number = firstDelayMs): Promise<void> {
    try {
      await this.#driver.start(this);
      await this.#connected();
      this.#isUp = true;
      this.back();
    } catch (error) {
      if (this.#isStopped) return;
      this.away(error);
      this.#cancel = later(delayMs, () => void this.begin(Math.min(delayMs * 2, longestDelayMs)));
    }
  }

  /** Tries no more. */
  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  away(error: unknown): void {
    if (this.#isAway || this.#isStopped) return;
    this.#isAway = true;
    this.#logger.warn(
      `the engine of jobs, ${this.#driver.name}, is away (${messageOf(error)}): jobs wait there, and sending one rejects`,
    );
  }

  reported(error: unknown): void {
    if (!this.#isAway && !this.#isStopped)
      this.#logger.warn(`the engine of jobs, ${this.#driver.name}, reports an error`, { error });
  }

  back(): void {
    if (!this.#isAway || !this.#isUp) return;
    this.#isAway = false;
    this.#logger.warn(`the engine of jobs, ${this.#driver.name}, is back`);
  }
}
