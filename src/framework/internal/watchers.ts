/**
 * Watchers: functions of tools that only listen, such as those of `app.observe`.
 *
 *   an event ──▶ every watcher, in order of registration ──▶ errors and rejections are ignored
 *
 * Spec: spec/context.md, spec/log.md
 */
import { isThenable } from "./thenable.ts";

/** Calls each of them. A fault of a watcher is not a fault of the app. */
export function tellWatchers<A extends readonly unknown[]>(
  watchers: readonly ((...args: A) => unknown)[],
  ...args: A
): void {
  for (const watcher of watchers) unharmed(() => watcher(...args));
}

/** The watcher's result, or undefined when it throws. */
export function unharmed(watch: () => unknown): unknown {
  try {
    const result = watch();
    if (isThenable(result)) result.then(undefined, () => undefined);
    return result;
  } catch {
    return undefined;
  }
}
