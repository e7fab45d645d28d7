/**
 * Handles a promise from a callback that must decide synchronously. It is not awaited, and its rejection must
 * not end the process.
 *
 *   ignore: async (ctx) => …  ──▶ traced all the same, and one line that says so
 */
import { types } from "node:util";

/** Whether it is a promise. If so, its rejection is swallowed. */
export function isPromise(value: unknown): boolean {
  if (!types.isPromise(value)) return false;
  void Promise.prototype.then.call(value, undefined, () => undefined);
  return true;
}

/** Warns one time for each callback that returned a promise. */
export class PromiseWarnings {
  readonly #warn: (line: string) => void;
  readonly #told: Set<string> = new Set();

  constructor(warn: (line: string) => void) {
    this.#warn = warn;
  }

  /** Whether it is a promise. @param instead what happens if it is, as the end of a sentence */
  isOne(name: string, returned: unknown, instead: string): boolean {
    if (!isPromise(returned)) return false;
    if (this.#told.has(name)) return true;
    this.#told.add(name);
    this.#warn(
      `devtools: ${name} returned a promise, which nothing waits for: ${instead}. Make it a function that is not async.`,
    );
    return true;
  }
}
