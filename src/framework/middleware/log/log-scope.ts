/**
 * Log scope middleware: `ctx.log` for code without a `ctx`.
 *
 *   request ──▶ scope ──▶ handler ──▶ service ──▶ await … ──▶ currentLog()?.info("paid")   with this request's ids
 *
 * The scope follows the asynchronous code that a request starts (AsyncLocalStorage), and no other.
 *
 * Spec: spec/log.md
 */
import type { Context } from "../../http/context.ts";
import type { Log } from "../../internal/logger.ts";
import { usageError } from "../../internal/usage-errors.ts";
import type { Middleware, Next } from "../types.ts";

/** The part of AsyncLocalStorage that is used. */
interface Storage {
  getStore(): Context | undefined;
  run<T>(ctx: Context, inside: () => T): T;
}

let storage: Storage | undefined;

/** The log of the running request. Undefined outside a request, and without `LogScopeMiddleware`. */
export const currentLog = (): Log | undefined => storage?.getStore()?.log;

/**
 * Makes `currentLog()` available to all code that runs for a request.
 *
 * @example
 * ```ts
 * app.use(new RequestIdMiddleware()).use(new LogScopeMiddleware());
 * app.get("/", () => {
 *   currentLog()?.info("hello"); // anywhere below, without ctx
 *   return "hello";
 * });
 * ```
 */
export class LogScopeMiddleware implements Middleware {
  readonly #storage: Storage;

  /** @throws TypeError on a platform without `node:async_hooks`. */
  constructor() {
    const hooks = globalThis.process?.getBuiltinModule?.("node:async_hooks");
    if (hooks === undefined)
      throw usageError(
        "MIDDLEWARE_INVALID",
        "LogScopeMiddleware needs AsyncLocalStorage of node:async_hooks, which this platform lacks: hand ctx.log on instead",
      );
    this.#storage = storage ??= new hooks.AsyncLocalStorage<Context>();
  }

  handle(ctx: Context, next: Next): unknown {
    return this.#storage.run(ctx, next);
  }
}
