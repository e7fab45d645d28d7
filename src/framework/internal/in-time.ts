/** A time limit for foreign promises. */

/** Settles like `promise`, or anything with a `then`. Rejects with `late` when that takes longer, and ignores later results. */
export function inTime<T>(promise: PromiseLike<T>, timeoutMs: number, late: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(late)), timeoutMs);
    void Promise.resolve(promise)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}
