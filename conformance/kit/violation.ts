import type { Comparison } from "./comparison.ts";

/** The subject broke a promise. Any other error of a case is a fault of the suite. */
export class Violation extends Error {
  override readonly name = "Violation";
  /** Expected and actual values, if two values were compared. */
  readonly comparison: Comparison | undefined;

  constructor(message: string, { comparison, ...options }: ErrorOptions & { comparison?: Comparison } = {}) {
    super(message, options);
    this.comparison = comparison;
  }
}

/** Was the connection closed before a head came? A connection that stays open too long does not count. */
export function wasClosed(error: unknown): boolean {
  return error instanceof Violation && !(error.cause instanceof Violation);
}

/** Rejects with the error of `late` if the promise has not settled within `timeoutMs`. */
export async function within<T>(promise: Promise<T>, timeoutMs: number, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), timeoutMs);
  });
  return Promise.race([promise, deadline]).finally(() => clearTimeout(timer));
}
