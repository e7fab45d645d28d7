/**
 * Install queue: plugins one after another, in the order of their calls.
 *
 *   add ──▶ nothing is under way ──▶ installed at once: what it throws is the caller's
 *     └──▶ one is under way ──▶ behind it; once one has failed, none that waits is installed
 *
 * Spec: spec/plugins.md
 */
import { isThenable } from "../internal/thenable.ts";

/** Installs in order. */
export class InstallQueue {
  #tail: Promise<void> | undefined;

  /** Installs now, or when everything before it is over. @throws what `install` throws, where it runs now. */
  add(install: () => void | Promise<void>): void {
    const tail = this.#tail === undefined ? install() : this.#tail.then(install);
    if (!isThenable(tail)) return;
    this.#tail = Promise.resolve(tail);
    // Whoever starts the app hears of it: until then it is no unhandled rejection.
    this.#tail.catch(() => undefined);
  }

  /** Is nothing under way? */
  get isIdle(): boolean {
    return this.#tail === undefined;
  }

  /** Waits for all of it, also for what is added meanwhile; undefined where nothing is under way. */
  settled(): Promise<void> | undefined {
    return this.#tail === undefined ? undefined : this.#settle(this.#tail);
  }

  async #settle(tail: Promise<void>): Promise<void> {
    await tail;
    if (this.#tail !== tail && this.#tail !== undefined) return this.#settle(this.#tail);
    this.#tail = undefined;
  }
}
