/**
 * HookMiddleware: middleware that acts before what is inside of it, and never while that runs.
 *
 *   before ──▶ nothing is recorded ──▶ what is inside
 *      └─▶ a response is recorded: nothing inside runs
 *
 * It needs no `next`, so the chain makes none for it: a function, its variables and a `try` less for each request. To
 * everything else it is a middleware like any other, with `handle(ctx, next)`.
 *
 * Spec: spec/middleware.md
 */
import type { Context } from "../http/context.ts";
import { isThenable } from "../internal/thenable.ts";
import { usageError } from "../internal/usage-errors.ts";

/**
 * A middleware that has nothing to do while what is inside of it runs: cheaper than a function with `next`. What happens
 * at the end of the request goes into `ctx.onComplete`.
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
   * Runs first. The request continues unless a response is recorded when this has settled: `ctx.text("…")`, `ctx.reply(204)` and
   * the like record one, `ctx.status(204)` alone does not. Nothing inside runs for a client that has left in the meantime either.
   * A throw is the request's error.
   *
   * @returns nothing, or a promise of nothing; a value is a TypeError, MIDDLEWARE_INVALID, and RENAMED where it is `true`.
   */
  abstract before(ctx: Context): void | Promise<void>;

  /** The same with a `next`, for callers that have one. */
  handle(ctx: Context, next: () => void | Promise<void>): unknown {
    return runBefore(this, ctx, next);
  }
}

/** Runs `before`, then what is inside, unless a response is recorded by then. A promise only where `before` returns one. */
export function runBefore<C extends Context>(hooks: HookMiddleware, ctx: C, inside: (ctx: C) => unknown): unknown {
  const returned: unknown = hooks.before(ctx);
  if (returned === undefined) return ctx.responded ? undefined : inside(ctx);
  if (!isThenable(returned)) throw returnedValue(hooks, returned);
  return returned.then((settled) => {
    if (settled !== undefined) throw returnedValue(hooks, settled);
    return ctx.responded ? undefined : inside(ctx);
  });
}

/** The error for a `before` that returns a value. `true` once meant that the request continues. */
function returnedValue({ constructor: { name } }: HookMiddleware, value: unknown): TypeError {
  const rule = "the request continues unless a response is recorded";
  const owner = name === "" ? "a HookMiddleware" : name;
  if (value === true) return usageError("RENAMED", `${owner}: before() returns nothing now: ${rule}`);
  const kind = value === null ? "null" : `a value of type ${typeof value}`;
  return usageError("MIDDLEWARE_INVALID", `${owner}: before() returned ${kind}. It returns nothing: ${rule}`);
}
