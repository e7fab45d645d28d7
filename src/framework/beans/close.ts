/**
 * Closing: ends beans one after another in the order given, and goes on when one fails.
 *
 *   close()  else  [Symbol.asyncDispose]()  else  [Symbol.dispose]()  else nothing
 *
 * As long as nothing returns a promise, everything is closed before the call returns: a failing synchronous
 * `start()` relies on it.
 *
 * Spec: spec/beans.md (BEAN-019 … BEAN-022)
 */
import { isThenable } from "../internal/thenable.ts";

/** Closes every bean of the list. Returns what was thrown, in that order; never rejects. */
export async function closeAll(beans: readonly object[]): Promise<readonly unknown[]> {
  const errors: unknown[] = [];
  for (const bean of beans) {
    try {
      const closing = closerOf(bean)?.call(bean);
      if (isThenable(closing)) await closing;
    } catch (error) {
      errors.push(error);
    }
  }
  return errors;
}

function closerOf(bean: object): ((this: object) => unknown) | undefined {
  // A runtime that lacks one of the symbols looks for what no bean has.
  for (const key of ["close", Symbol.asyncDispose, Symbol.dispose]) {
    const method: unknown = Reflect.get(bean, key);
    if (typeof method === "function") return method as (this: object) => unknown;
  }
  return undefined;
}
