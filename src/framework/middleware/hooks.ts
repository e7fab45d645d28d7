/**
 * Hooks: middleware that acts before what is inside of it, and never while that runs.
 *
 *   before ──▶ goes on ──▶ what is inside
 *      └─▶ has answered: nothing inside runs
 *
 * It needs no `next`, so the chain makes none for it: a function, its variables and a `try` less for each request.
 * Everybody else sees a middleware like any other, with `handle(ctx, next)`.
 *
 * Spec: spec/middleware.md (MW)
 */
import type { Context } from "../http/context.ts";

/** What `before` returns to let the request go on. */
export const goOn = true;

/** What became of `before`: go on, or the answer is recorded; a promise tells which once it has settled. */
export type Outcome = typeof goOn | undefined | Promise<typeof goOn | undefined>;

/** A middleware that has nothing to do while what is inside of it runs. */
export abstract class HookMiddleware {
  /** Runs first: goes on, or answers. */
  abstract before(ctx: Context): Outcome;

  handle(ctx: Context, next: () => void | Promise<void>): unknown {
    return goingOn(this.before(ctx), next, ctx);
  }
}

/** Runs what is inside if `before` says so, now or later. */
export function goingOn<C extends Context>(outcome: Outcome, inside: (ctx: C) => unknown, ctx: C): unknown {
  if (outcome === goOn) return inside(ctx);
  return outcome?.then((settled) => (settled === goOn ? inside(ctx) : undefined));
}
