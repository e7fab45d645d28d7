import type { Comparison } from "./comparison.ts";

/** The subject broke a promise. Anything else that a case throws is a fault of the suite. */
export class Violation extends Error {
  override readonly name = "Violation";
  /** What was expected beside what was seen, where two values were compared. */
  readonly comparison: Comparison | undefined;

  constructor(message: string, { comparison, ...options }: ErrorOptions & { comparison?: Comparison } = {}) {
    super(message, options);
    this.comparison = comparison;
  }
}

/** Was the connection closed before a head came? One that stays open too long was not. */
export function wasClosed(error: unknown): boolean {
  return error instanceof Violation && !(error.cause instanceof Violation);
}

/** Rejects with what `late` makes when the promise has not settled within `timeoutMs`. */
export async function within<T>(promise: Promise<T>, timeoutMs: number, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), timeoutMs);
  });
  return Promise.race([promise, deadline]).finally(() => clearTimeout(timer));
}
