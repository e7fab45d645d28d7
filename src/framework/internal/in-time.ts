/**
 * A bound in time for what others promise.
 */

/** What `promise` comes to; rejects with `late` when that takes longer. What comes later is ignored. */
export function inTime<T>(promise: Promise<T>, timeoutMs: number, late: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(late)), timeoutMs);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
