/** Thenables: values that `await` would wait for. */

/** Is `value` a thenable? */
export const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  ((typeof value === "object" && value !== null) || typeof value === "function") &&
  "then" in value &&
  typeof value.then === "function";

/**
 * Is it a promise that runs already? Others can be lazy: a query of some drivers is a promise that runs when its `then` is called,
 * and a value for another query until then.
 */
export const isNativePromise = (value: unknown): value is Promise<unknown> =>
  value instanceof Promise && Object.getPrototypeOf(value) === Promise.prototype;

/** The result of `use` for a value, immediately when it is not a promise. */
export const whenThere = <T, R>(value: T | Promise<T>, use: (value: T) => R | Promise<R>): R | Promise<R> =>
  value instanceof Promise ? value.then(use) : use(value);

/**
 * Does nothing: for a rejection that is handled elsewhere, or an event that must have a listener. An inline function would keep
 * its surrounding scope alive.
 */
export const ignore = (): void => undefined;

/** The promise, marked so that its rejection never ends the process. An awaiting caller still gets the rejection. */
export function handled<T>(promise: Promise<T>): Promise<T> {
  promise.then(undefined, ignore);
  return promise;
}
