/**
 * Background: work of the application outside any request.
 *
 *   app.background("reindex", work) ──▶ inside its observers ──▶ work(signal) ──▶ over │ failed: one line, no more
 *   app.stop ──▶ the signal is aborted ──▶ waits, as long as the grace lasts
 *
 * An error in it is logged under its name and never ends the process.
 */
import type { JobOrigin } from "../http/job-origin.ts";
import type { WorkOrigin } from "../http/services.ts";
import { inTime } from "../internal/in-time.ts";
import type { SafeLogger } from "../internal/logger.ts";
import { ignore } from "../internal/thenable.ts";

/** Work outside requests. The signal aborts when the application stops. */
export type BackgroundWork = (signal: AbortSignal) => unknown;

/**
 * Wraps each piece of work. It must call `work` once, and return or throw its outcome. `origin` is the event on the upgraded
 * connection that the work is for, or undefined for work of `app.background`. `job` is the attempt at a job that the work is.
 */
export type BackgroundWrap = (name: string, work: () => unknown, origin?: WorkOrigin, job?: JobOrigin) => unknown;

/** Runs work inside its wrappers, the first outermost. Returns or throws their outcome. */
export function inside(
  wraps: readonly BackgroundWrap[],
  name: string,
  work: () => unknown,
  origin?: WorkOrigin,
  job?: JobOrigin,
): unknown {
  return wraps.reduceRight<() => unknown>((inner, wrap) => () => wrap(name, inner, origin, job), work)();
}

/** All work of one application. */
export class Background {
  readonly #reports: Pick<SafeLogger, "warn" | "error">;
  readonly #wraps: readonly BackgroundWrap[];
  readonly #running = new Map<Promise<void>, string>();
  #controller: AbortController | undefined;
  #state: "open" | "stopping" | "over" = "open";

  /** @param wraps the wrappers of each piece of work. Some may be added until the first begins */
  constructor(reports: Pick<SafeLogger, "warn" | "error">, wraps: readonly BackgroundWrap[]) {
    this.#reports = reports;
    this.#wraps = wraps;
  }

  /** Begins the work immediately. */
  begin(name: string, work: BackgroundWork): void {
    if (this.#state === "over") return this.#reports.warn(`background work ${name} was not begun: the app has stopped`);
    this.#controller ??= new AbortController();
    const { signal } = this.#controller;
    if (this.#state === "stopping") this.#controller.abort();
    const running = this.#supervise(name, () => inside(this.#wraps, name, () => work(signal)), signal);
    this.#running.set(running, name);
    void running.then(() => this.#running.delete(running));
  }

  /** Aborts the work. */
  abort(): void {
    this.#state = "stopping";
    this.#controller?.abort();
  }

  /**
   * Waits for all work, also for work that begins in that time. After that many milliseconds it continues without the rest and
   * logs that.
   */
  async settled(graceMs: number): Promise<void> {
    if (this.#running.size > 0) await inTime(this.#drained(), graceMs, "late").catch(ignore);
    this.#state = "over";
    const left = [...this.#running.values()];
    if (left.length > 0) this.#reports.warn(`the app stopped while background work was running: ${left.join(", ")}`);
  }

  async #drained(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.keys());
  }

  async #supervise(name: string, work: () => unknown, signal: AbortSignal): Promise<void> {
    try {
      await work();
    } catch (error) {
      // Work that ends because of the abort has not failed.
      if (!signal.aborted || !isAbort(error)) this.#reports.error(`background work ${name} failed`, error);
    }
  }
}

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === "AbortError";
