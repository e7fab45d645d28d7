/**
 * Exception handlers: they respond to errors of a class, in the app or in one of its groups.
 *
 *   thrown ──▶ its class ──▶ the class above ──▶ … ──▶ the first that has a handler here
 *
 * Spec: spec/errors.md, spec/plugins.md
 */
import type { Class } from "../beans/types.ts";
import type { ErrorHandler, ErrorHandlers } from "../http/error-handlers.ts";
import { HttpError } from "../internal/errors.ts";

/** The handlers of one place, one for a class. */
export class ExceptionHandlers implements ErrorHandlers {
  readonly #byClass: Map<object, ErrorHandler> = new Map();

  get isEmpty(): boolean {
    return this.#byClass.size === 0;
  }

  /** @param where names the call. @throws TypeError when `type` is not a class, or has a handler already. */
  add(type: Class<object>, handler: ErrorHandler, where: string): void {
    const prototype: unknown = Reflect.get(type, "prototype");
    if (typeof prototype !== "object" || prototype === null) throw new TypeError(`${where} takes an error class first`);
    if (this.#byClass.has(prototype)) throw new TypeError(`${type.name} has an exception handler already`);
    this.#byClass.set(prototype, handler);
  }

  /** The uncalled handler of the nearest class. A handler for Error does not catch HttpErrors, because those are responses. */
  nearest(error: unknown, asked: readonly unknown[]): ErrorHandler | undefined {
    if (typeof error !== "object" || error === null) return undefined;
    for (let at: object | null = Object.getPrototypeOf(error); at !== null; at = Object.getPrototypeOf(at)) {
      const handler = this.#byClass.get(at);
      if (handler !== undefined && !asked.includes(handler)) return handler;
      if (at === HttpError.prototype) return undefined;
    }
    return undefined;
  }
}
