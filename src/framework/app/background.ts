/**
 * Background: work that belongs to the application and to no request.
 *
 *   app.background("reindex", work) ──▶ around it, whoever watches ──▶ work(signal) ──▶ over │ failed: one line, no more
 *   app.stop ──▶ the signal is aborted ──▶ waits, as long as the grace lasts
 *
 * An error in it is logged under its name and never ends the process.
 */
import type { WorkOrigin } from "../http/services.ts";
import { inTime } from "../internal/in-time.ts";
import type { SafeLogger } from "../internal/logger.ts";
import { ignore } from "../internal/thenable.ts";

/** Work beside requests. The signal tells it that the application stops. */
export type BackgroundWork = (signal: AbortSignal) => unknown;

/**
 * Stands around each piece of work: must call `work` once, and return or throw what that did. `origin` is what has happened
 * on the upgraded connection that the work is for; undefined for work of `app.background`.
 */
export type BackgroundWrap = (name: string, work: () => unknown, origin?: WorkOrigin) => unknown;

/** Does work inside of those that stand around it, the first outermost; returns or throws what they do. */
export function inside(
  wraps: readonly BackgroundWrap[],
  name: string,
  work: () => unknown,
  origin?: WorkOrigin,
): unknown {
  return wraps.reduceRight<() => unknown>((inner, wrap) => () => wrap(name, inner, origin), work)();
}

/** All work of one application. */
export class Background {
  readonly #reports: Pick<SafeLogger, "warn" | "error">;
  readonly #wraps: readonly BackgroundWrap[];
  readonly #running = new Map<Promise<void>, string>();
  #controller: AbortController | undefined;
  #state: "open" | "stopping" | "over" = "open";

  /** @param wraps what stands around each piece of work; some may be added until the first begins */
  constructor(reports: Pick<SafeLogger, "warn" | "error">, wraps: readonly BackgroundWrap[]) {
    this.#reports = reports;
    this.#wraps = wraps;
  }

  /** Begins the work at once. */
  begin(name: string, work: BackgroundWork): void {
    if (this.#state === "over") return this.#reports.warn(`background work ${name} was not begun: the app has stopped`);
    this.#controller ??= new AbortController();
    const { signal } = this.#controller;
    if (this.#state === "stopping") this.#controller.abort();
    const running = this.#supervise(name, () => inside(this.#wraps, name, () => work(signal)), signal);
    this.#running.set(running, name);
    void running.then(() => this.#running.delete(running));
  }

  /** Tells the work to end. */
  abort(): void {
    this.#state = "stopping";
    this.#controller?.abort();
  }

  /** Waits for it, also for what begins meanwhile; after so many milliseconds goes on without it, and says so. */
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
      // What ends since it was told to has not failed.
      if (!signal.aborted || !isAbort(error)) this.#reports.error(`background work ${name} failed`, error);
    }
  }
}

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === "AbortError";
