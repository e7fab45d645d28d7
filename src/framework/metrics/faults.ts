/**
 * Faults: errors of the app's own functions (collectors, tracers, sinks, generators).
 *
 *   try { theirs() } catch (error) { faults.note(error) }     a throw
 *   faults.watch(theirs())                                    a promise that rejects
 *
 * Every fault is counted and the app's logger logs the first. None ever reaches a request.
 *
 * Spec: spec/metrics.md, spec/log.md, spec/tracing.md
 */

/** Counts the faults of one foreign function. */
export class Faults {
  readonly #what: string;
  #count = 0;
  #warn: ((line: string) => void) | undefined;

  /** @param what the faulty part, as the log line should name it. */
  constructor(what: string) {
    this.#what = what;
  }

  /** The number of faults. */
  get count(): number {
    return this.#count;
  }

  /** The target of the first fault's log line. */
  tell(app: { warn(line: string): void }): void {
    this.#warn = (line) => app.warn(line);
  }

  /** Counts one. Never throws. */
  note(error: unknown): void {
    this.#count += 1;
    if (this.#count > 1) return;
    try {
      this.#warn?.(`${this.#what} failed: ${describeError(error)} (further faults are only counted)`);
    } catch {
      // A throwing logger is ignored.
    }
  }

  /** Runs the app's own check, such as `skip`. True only when it returns `true`. A throw is counted. Never throws. */
  isTrue<T>(check: (argument: T) => unknown, argument: T): boolean {
    try {
      const result = check(argument);
      this.watch(result); // A promise is not `true`, and a rejected one would end the process.
      return result === true;
    } catch (error) {
      this.note(error);
      return false;
    }
  }

  /** Counts a promise that rejects, and ignores anything else. Never throws. */
  watch(result: unknown): void {
    if (!(result instanceof Promise)) return;
    result.then(undefined, (error: unknown) => this.note(error));
  }
}

/** One printable line for any thrown value. Never throws. */
export function describeError(error: unknown): string {
  try {
    const text = error instanceof Error ? error.message || error.name : String(error);
    return text.length > 500 ? `${text.slice(0, 500)}...` : text;
  } catch {
    return "an error that cannot be described";
  }
}
