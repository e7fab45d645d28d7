/**
 * Schedules: each sends a job at the times of a cron line, once for all processes.
 *
 *   start, each time ──▶ the next time ──▶ sent now, due then, with the time as its key ──▶ the engine keeps one of them
 *
 * The next job is in the engine before it is due, so it is done even if no process runs at that time. Of times at which nothing
 * ran, the last is made up for. A job of a schedule whose line has changed since is dropped.
 */
import type { Job, ScheduleFacts, ScheduleOptions } from "../app/work.ts";
import { checkOptionNames } from "../internal/option-names.ts";
import type { SafeLogger } from "../internal/logger.ts";
import { shown, usageError } from "../internal/usage-errors.ts";
import { later } from "./connection.ts";
import { type Cron, cronOf } from "./cron.ts";
import { checkedInput, messageOf } from "./envelope.ts";
import { checkJob } from "./job.ts";
import type { Sender } from "./sender.ts";
import type { WorkDriver } from "./types.ts";

interface Schedule {
  readonly name: string;
  readonly line: string;
  readonly timeZone: string;
  readonly cron: Cron;
  readonly job: Job;
  readonly input: unknown;
}

/** The longest delay of a timer. */
const longestMs = 2 ** 31 - 1;
const againMs = 10_000;
const namePattern = /^[A-Za-z][A-Za-z0-9._-]{0,63}$/;

/** The schedules of one app. */
export class Schedules {
  readonly #sender: Sender;
  readonly #driver: WorkDriver;
  readonly #logger: SafeLogger;
  readonly #all = new Map<string, Schedule>();
  readonly #timers = new Map<string, () => void>();
  #isStopped = false;

  constructor(sender: Sender, driver: WorkDriver, logger: SafeLogger) {
    this.#sender = sender;
    this.#driver = driver;
    this.#logger = logger;
  }

  /** @throws TypeError (`WORK_INVALID`) naming what is not allowed. */
  add(name: string, line: string, options: ScheduleOptions, job: Job, input: unknown): void {
    const where = `app.schedule(${shown(name)})`;
    if (typeof name !== "string" || !namePattern.test(name))
      throw usageError(
        "WORK_INVALID",
        `${where}: its name is a letter, then letters, digits, ".", "_" and "-", 64 in all`,
      );
    if (this.#all.has(name)) throw usageError("WORK_INVALID", `${where}: there is a schedule of that name already`);
    checkOptionNames(where, options, ["timeZone"], "WORK_INVALID");
    checkJob(where, job);
    const { timeZone = "UTC" } = options;
    this.#all.set(name, { name, line, timeZone, cron: cronOf(where, line, timeZone), job, input });
  }

  /** All, with their next times. */
  get facts(): readonly ScheduleFacts[] {
    const now = this.#driver.now();
    return [...this.#all.values()].map(({ name, line, timeZone, cron, job }) => ({
      name,
      cron: line,
      timeZone,
      job: job.name,
      nextAt: cron.next(now),
    }));
  }

  /** @throws (rejects) JobInputError naming the job when the input of a schedule does not fit. */
  async check(): Promise<void> {
    for (const { job, input } of this.#all.values()) await checkedInput(job, input);
  }

  /** Sends the next job of each. @throws (rejects) when the engine does not take one. */
  async begin(): Promise<void> {
    for (const schedule of this.#all.values()) await this.#arm(schedule, this.#driver.now());
  }

  /** Sends the job after a taken one. Is the taken one still due by its line? */
  async taken({ name, at }: { readonly name: string; readonly at: number }): Promise<boolean> {
    const schedule = this.#all.get(name);
    // A process of a newer version may have sent it, and this one can do it.
    if (schedule === undefined) return true;
    await this.#armed(schedule, Math.max(at, this.#driver.now()));
    if (schedule.cron.next(at - 1) === at) return true;
    this.#logger.info(`a job of the schedule ${name} was dropped: its line has changed since it was sent`);
    return false;
  }

  stop(): void {
    this.#isStopped = true;
    for (const cancel of this.#timers.values()) cancel();
  }

  async #arm(schedule: Schedule, afterMs: number): Promise<void> {
    const at = schedule.cron.next(afterMs);
    await this.#sender.sendAt(schedule.job, schedule.input, { name: schedule.name, at });
    this.#timer(schedule, at - this.#driver.now());
  }

  async #armed(schedule: Schedule, afterMs: number): Promise<void> {
    try {
      await this.#arm(schedule, afterMs);
    } catch (error) {
      if (this.#isStopped) return;
      this.#logger.warn(
        `the next job of the schedule ${schedule.name} was not sent (${messageOf(error)}): it is tried again`,
      );
      this.#timer(schedule, againMs);
    }
  }

  /** Sends the next one at that time too, in case that no process has taken this one. */
  #timer(schedule: Schedule, ms: number): void {
    this.#timers.get(schedule.name)?.();
    if (this.#isStopped || this.#driver.isManual === true) return;
    const cancel = later(Math.min(Math.max(ms, 1), longestMs), () => void this.#armed(schedule, this.#driver.now()));
    this.#timers.set(schedule.name, cancel);
  }
}
