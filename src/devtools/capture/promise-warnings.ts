/**
 * Promised: what a callback that decides at once returned where it is a promise. Nobody waits for it, and its rejection must
 * not end the process.
 *
 *   ignore: async (ctx) => …  ──▶ traced all the same, and one line that says so
 */
import { types } from "node:util";

/** Is it a promise? From then on its rejection goes nowhere. */
export function isPromise(value: unknown): boolean {
  if (!types.isPromise(value)) return false;
  void Promise.prototype.then.call(value, undefined, () => undefined);
  return true;
}

/** Says once of each callback that it returned a promise. */
export class PromiseWarnings {
  readonly #warn: (line: string) => void;
  readonly #told: Set<string> = new Set();

  constructor(warn: (line: string) => void) {
    this.#warn = warn;
  }

  /** Is it a promise? @param instead what happens where it is, as the end of a sentence */
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
