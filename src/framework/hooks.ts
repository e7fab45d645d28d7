/**
 * Hooks: middleware that acts before what is inside of it, or after, and never in between.
 *
 *   before ──▶ goes on ──▶ what is inside ──▶ after
 *      └─▶ has answered: nothing inside runs
 *
 * It needs no `next`, so the chain makes none for it: a function, its variables and a `try` less for each request.
 * Everybody else sees a middleware like any other, with `handle(ctx, next)`.
 *
 * Spec: spec/middleware.md (MW)
 */
import type { Context } from "./context.ts";
import { isThenable } from "./thenable.ts";

/** What `before` returns to let the request go on. */
export const goOn = true;

/** What became of `before`: go on; or the answer is recorded, or will be once the promise has settled. */
export type Outcome = typeof goOn | undefined | Promise<void>;

/** A middleware that has nothing to do while what is inside of it runs. */
export abstract class HookMiddleware {
  /** Runs after the inside has settled, whichever way. It must not throw. */
  readonly after?: ((ctx: Context) => void) | undefined;

  /** Runs first: goes on, or answers. */
  abstract before(ctx: Context): Outcome;

  handle(ctx: Context, next: () => void | Promise<void>): unknown {
    const outcome = this.before(ctx);
    if (outcome !== goOn) return outcome;
    return this.after === undefined ? next() : finishing(next, this.after, ctx);
  }
}

/** Runs what is inside, then `after`. */
export function finishing<C extends Context>(inside: (ctx: C) => unknown, after: (ctx: C) => void, ctx: C): unknown {
  let value: unknown;
  try {
    value = inside(ctx);
  } catch (error) {
    after(ctx);
    throw error;
  }
  if (!isThenable(value)) {
    after(ctx);
    return value;
  }
  return value.then(
    () => after(ctx),
    (error: unknown) => {
      after(ctx);
      throw error;
    },
  );
}
