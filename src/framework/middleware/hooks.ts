/**
 * HookMiddleware: middleware that acts before what is inside of it, and never while that runs.
 *
 *   before ──▶ CONTINUE ──▶ what is inside
 *      └─▶ a response is recorded: nothing inside runs
 *
 * It needs no `next`, so the chain makes none for it: a function, its variables and a `try` less for each request. To
 * everything else it is a middleware like any other, with `handle(ctx, next)`.
 *
 * Spec: spec/middleware.md
 */
import type { Context } from "../http/context.ts";

/** What `before` returns to let the request continue. */
export const CONTINUE = true;

/** What came of `before`: CONTINUE, or nothing where it has recorded a response; a promise of either. */
export type BeforeResult = typeof CONTINUE | undefined | Promise<typeof CONTINUE | undefined>;

/**
 * A middleware that has nothing to do while what is inside of it runs: cheaper than a function with `next`. What happens
 * at the end of the request goes into `ctx.onComplete`.
 *
 * @example
 * ```ts
 * class ApiKey extends HookMiddleware {
 *   override before(ctx: Context): BeforeResult {
 *     if (ctx.header("x-api-key") === process.env["API_KEY"]) return CONTINUE;
 *     ctx.status(401).text("an API key is needed");
 *     return undefined;
 *   }
 * }
 * app.use(new ApiKey());
 * ```
 */
export abstract class HookMiddleware {
  /** Runs first. Returns CONTINUE, or records a response and returns undefined. A throw is the request's error. */
  abstract before(ctx: Context): BeforeResult;

  /** The same with a `next`, for callers that have one. */
  handle(ctx: Context, next: () => void | Promise<void>): unknown {
    return continueInside(this.before(ctx), next, () => undefined, ctx);
  }
}

/** Runs what is inside if `before` says so, now or later, and `otherwise` if it does not. */
export function continueInside<C extends Context>(
  result: BeforeResult,
  inside: (ctx: C) => unknown,
  otherwise: (ctx: C) => void,
  ctx: C,
): unknown {
  if (result === CONTINUE) return inside(ctx);
  if (result === undefined) return otherwise(ctx);
  return result.then((settled) => (settled === CONTINUE ? inside(ctx) : otherwise(ctx)));
}
