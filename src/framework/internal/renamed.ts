/**
 * Renamed: a use of a member's old name throws an error with the new one.
 *
 *   static { defineRenamed(Framework.prototype, { onLog: "app.onLog(…) is app.observe({ log }) now" }) }
 *   app.onLog(heard) ──▶ TypeError RENAMED: app.onLog(…) is app.observe({ log }) now
 *
 * An old name is not in the types and is not enumerable. Calling it throws, and so does reading it, because some old members
 * were properties. `"onLog" in app` does not throw.
 */
import { usageError } from "./usage-errors.ts";

/** Defines each old name as a member that throws its sentence. An existing member of the prototype is kept. */
export function defineRenamed(prototype: object, sentences: Readonly<Record<string, string>>): void {
  for (const [name, sentence] of Object.entries(sentences)) {
    if (Object.hasOwn(prototype, name)) continue;
    const get = (): never => {
      throw usageError("RENAMED", sentence);
    };
    Object.defineProperty(prototype, name, { get, configurable: true });
  }
}
