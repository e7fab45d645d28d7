/**
 * Settling: promises of a replay settle in the order in which they did when they were recorded.
 *
 *   Promise.race([a, b]), b was first ──▶ b is first again
 *
 * One settles in each turn of the event loop, the earliest of those that wait: what the code does with it may begin further
 * calls, which have their place among the others.
 *
 * Spec: spec/replay.md
 */

interface PendingSettlement {
  readonly endUs: number;
  readonly settle: () => void;
}

/**
 * The promise, whose rejection ends no process: it may come before the code awaits it, which in the recording it did not.
 */
export function handled(promise: Promise<unknown>): Promise<unknown> {
  promise.catch(() => undefined);
  return promise;
}

/** The promises of one replay that have not settled. */
export class Settling {
  readonly #waiting: PendingSettlement[] = [];

  /** A promise of what `outcome` returns or throws, once those are settled that were before it. */
  promise(endUs: number, outcome: () => unknown): Promise<unknown> {
    const promise = new Promise<unknown>((resolve, reject) => {
      const settle = (): void => {
        try {
          resolve(outcome());
        } catch (error) {
          reject(error);
        }
      };
      const later = this.#waiting.findIndex((other) => other.endUs > endUs);
      this.#waiting.splice(later < 0 ? this.#waiting.length : later, 0, { endUs, settle });
      if (this.#waiting.length === 1) setImmediate(this.#next);
    });
    return handled(promise);
  }

  readonly #next = (): void => {
    this.#waiting.shift()?.settle();
    if (this.#waiting.length > 0) setImmediate(this.#next);
  };
}
