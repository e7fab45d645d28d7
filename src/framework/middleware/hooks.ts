/**
 * HookMiddleware: middleware that acts before its inner chain, and never while that runs.
 *
 *   before ──▶ nothing is recorded ──▶ the inner chain
 *      └─▶ a response is recorded: nothing inside runs
 *
 * It needs no `next`, so the chain creates none, which saves a function, its variables and a `try` for each request. To all
 * other code it is an ordinary middleware with `handle(ctx, next)`.
 *
 * Spec: spec/middleware.md
 */
import type { Context } from "../http/context.ts";
import { isThenable } from "../internal/thenable.ts";
import { usageError } from "../internal/usage-errors.ts";

/**
 * A middleware without work while its inner chain runs. It is cheaper than a function with `next`. Use `ctx.onComplete` for the
 * end of the request.
 *
 * @example
 * ```ts
 * class ApiKey extends HookMiddleware {
 *   override before(ctx: Context): void {
 *     if (ctx.header("x-api-key") !== process.env["API_KEY"]) ctx.status(401).text("an API key is needed");
 *   }
 * }
 * app.use(new ApiKey());
 * ```
 */
export abstract class HookMiddleware {
  /**
   * Runs first. The request continues unless a response is recorded when this has settled. `ctx.text("…")`, `ctx.reply(204)`
   * and the like record one, `ctx.status(204)` alone does not. The inner chain also does not run for a client that has left by
   * then. A throw is the request's error.
   *
   * @returns nothing, or a promise of nothing. A value is a TypeError, MIDDLEWARE_INVALID, and RENAMED when it is `true`.
   */
  abstract before(ctx: Context): void | Promise<void>;

  /** The same with a `next`, for callers that have one. */
  handle(ctx: Context, next: () => void | Promise<void>): unknown {
    return runBefore(this, ctx, next);
  }
}

/** Runs `before`, then the inner chain, unless a response is recorded by then. Returns a promise only when `before` does. */
export function runBefore<C extends Context>(hooks: HookMiddleware, ctx: C, inside: (ctx: C) => unknown): unknown {
  const returned: unknown = hooks.before(ctx);
  if (returned === undefined) return ctx.responded ? undefined : inside(ctx);
  if (!isThenable(returned)) throw returnedValue(hooks, returned);
  return returned.then((settled) => {
    if (settled !== undefined) throw returnedValue(hooks, settled);
    return ctx.responded ? undefined : inside(ctx);
  });
}

/** The error for a `before` that returns a value. Earlier, `true` meant that the request continues. */
function returnedValue({ constructor: { name } }: HookMiddleware, value: unknown): TypeError {
  const rule = "the request continues unless a response is recorded";
  const owner = name === "" ? "a HookMiddleware" : name;
  if (value === true) return usageError("RENAMED", `${owner}: before() returns nothing now: ${rule}`);
  const kind = value === null ? "null" : `a value of type ${typeof value}`;
  return usageError("MIDDLEWARE_INVALID", `${owner}: before() returned ${kind}. It returns nothing: ${rule}`);
}
