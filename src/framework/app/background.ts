/**
 * Background: work that belongs to the application and to no request.
 *
 *   app.background("reindex", work) ──▶ around it, whoever watches ──▶ work(signal) ──▶ over │ failed: one line, no more
 *   app.stop ──▶ the signal is aborted ──▶ waits, as long as the grace lasts
 *
 * An error in it is logged under its name and never ends the process.
 */
import type { Context } from "../http/context.ts";
import type { WorkOrigin } from "../http/services.ts";
import type { ConnectionEvent } from "../http/upgrade.ts";

/** Work beside requests. The signal tells it that the application stops. */
export type BackgroundWork = (signal: AbortSignal) => unknown;

/**
 * Stands around each piece of work: must call `work` once, and return or throw what that did. `origin` is what has happened
 * on the upgraded connection that the work is for; undefined for work of `app.background`.
 */
export type BackgroundWrap = (name: string, work: () => unknown, origin?: WorkOrigin) => unknown;

/** What supervised work tells. */
interface BackgroundReports {
  error(line: string, error: unknown): void;
  warn(line: string): void;
}

/** All work of one application. */
export class Background {
  readonly #reports: BackgroundReports;
  readonly #wraps: BackgroundWrap[] = [];
  readonly #running = new Map<Promise<void>, string>();
  #controller: AbortController | undefined;
  #state: "open" | "stopping" | "over" = "open";

  constructor(reports: BackgroundReports) {
    this.#reports = reports;
  }

  wrap(around: BackgroundWrap): void {
    this.#wraps.push(around);
  }

  /** Begins the work at once. */
  begin(name: string, work: BackgroundWork): void {
    if (this.#state === "over") return this.#reports.warn(`background work ${name} was not begun: the app has stopped`);
    const { signal } = this.#control();
    const running = this.#supervise(name, () => this.around(name, () => work(signal)), signal);
    this.#running.set(running, name);
    void running.then(() => this.#running.delete(running));
  }

  /** Runs work inside of the wraps, and gives back what they do. Nobody supervises it. Both or neither of the last two. */
  around(name: string, work: () => unknown, event?: ConnectionEvent, ctx?: Context): unknown {
    if (this.#wraps.length === 0) return work();
    const origin = event && ctx ? { event: event.event, data: event.data, ctx } : undefined;
    return this.#wraps.reduceRight<() => unknown>((inner, around) => () => around(name, inner, origin), work)();
  }

  /** Tells the work to end. */
  abort(): void {
    this.#state = "stopping";
    this.#controller?.abort();
  }

  /** Waits for it, also for what begins meanwhile; after so many milliseconds goes on without it, and says so. */
  async settled(graceMs: number): Promise<void> {
    if (this.#running.size > 0) await this.#drained(graceMs);
    this.#state = "over";
    const left = [...this.#running.values()];
    if (left.length > 0) this.#reports.warn(`the app stopped while background work was running: ${left.join(", ")}`);
  }

  async #drained(graceMs: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<"late">((resolve) => (timer = setTimeout(resolve, graceMs, "late")));
    while (this.#running.size > 0)
      if ((await Promise.race([Promise.all(this.#running.keys()), late])) === "late") break;
    clearTimeout(timer);
  }

  async #supervise(name: string, work: () => unknown, signal: AbortSignal): Promise<void> {
    try {
      await work();
    } catch (error) {
      // What ends since it was told to has not failed.
      if (signal.aborted && isAbort(error)) return;
      this.#reports.error(`background work ${name} failed`, error);
    }
  }

  #control(): AbortController {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#state !== "open") this.#controller.abort();
    }
    return this.#controller;
  }
}

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === "AbortError";
