/**
 * Error handlers as a context knows those of its route's groups, looked up by error class.
 *
 * Spec: spec/errors.md, spec/plugins.md
 */
import type { Context } from "./context.ts";

/** Responds to an error of a class. */
export type ErrorHandler = (error: never, ctx: Context) => unknown;

/** The handlers of one group. */
export interface ErrorHandlers {
  /** The handler of the nearest class of `error`, without those already called. */
  nearest(error: unknown, asked: readonly unknown[]): ErrorHandler | undefined;
}
