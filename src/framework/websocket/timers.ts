/**
 * The timer of an idle connection. It keeps no process alive. On Deno a timer is a number, which cannot be refreshed.
 *
 * Spec: spec/websocket.md
 */
import { unref } from "../internal/timers.ts";

/** Runs a callback when it was not refreshed for that long. */
export class IdleTimer {
  readonly #ms: number;
  readonly #run: () => void;
  #timer: ReturnType<typeof setTimeout>;

  constructor(ms: number, run: () => void) {
    this.#ms = ms;
    this.#run = run;
    this.#timer = unref(setTimeout(run, ms));
  }

  refresh(): void {
    const timer = Object(this.#timer) as { refresh?: () => void };
    if (timer.refresh !== undefined) return timer.refresh();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#run, this.#ms);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
