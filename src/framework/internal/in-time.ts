/**
 * A bound in time for what others promise.
 */

/** What `promise`, or anything with a `then`, comes to; rejects with `late` when that takes longer. What comes later is ignored. */
export function inTime<T>(promise: PromiseLike<T>, timeoutMs: number, late: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(late)), timeoutMs);
    void Promise.resolve(promise)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}
