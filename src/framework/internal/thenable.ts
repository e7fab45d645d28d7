/** Thenables: what `await` would wait for. */

/** Is `value` something to wait for? */
export const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  ((typeof value === "object" && value !== null) || typeof value === "function") &&
  "then" in value &&
  typeof value.then === "function";

/** What `use` makes of a value: at once where it is there, and without a promise for it. */
export const whenThere = <T, R>(value: T | Promise<T>, use: (value: T) => R | Promise<R>): R | Promise<R> =>
  value instanceof Promise ? value.then(use) : use(value);

/**
 * Does nothing: with a rejection that is heard of elsewhere, with an event that must have a listener. A function made where it
 * is handed over would hold what is around it for as long as it is held itself.
 */
export const ignore = (): void => undefined;

/** The promise, whose rejection ends no process where nobody waits for it; whoever awaits it gets the rejection all the same. */
export function handled<T>(promise: Promise<T>): Promise<T> {
  promise.then(undefined, ignore);
  return promise;
}
