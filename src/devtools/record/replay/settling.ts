/**
 * Settling: promises of a replay settle in their recorded order.
 *
 *   Promise.race([a, b]), b was first ──▶ b is first again
 *
 * One settles in each turn of the event loop, the earliest waiting one, because the code after it may begin further
 * calls, which have their place among the others.
 *
 * Spec: spec/replay.md
 */

interface PendingSettlement {
  readonly endUs: number;
  readonly settle: () => void;
}

/** The promise, without an unhandled rejection. Unlike in the recording, it may reject before the code awaits it. */
export function handled(promise: Promise<unknown>): Promise<unknown> {
  promise.catch(() => undefined);
  return promise;
}

/** The promises of one replay that have not settled. */
export class Settling {
  readonly #waiting: PendingSettlement[] = [];

  /** A promise of the result or error of `outcome`, after the earlier ones have settled. */
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
