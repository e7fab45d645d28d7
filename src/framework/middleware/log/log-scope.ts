/**
 * Log scope middleware: `ctx.log` for code without a `ctx`.
 *
 *   request ──▶ scope ──▶ handler ──▶ service ──▶ await … ──▶ currentLog()?.info("paid")   with this request's ids
 *
 * The scope follows the asynchronous code that a request starts (AsyncLocalStorage), and no other.
 *
 * Spec: spec/log.md
 */
import type { Log } from "../../internal/logger.ts";
import type { Context } from "../../http/context.ts";
import { usageError } from "../../internal/usage-errors.ts";
import type { Middleware, Next } from "../types.ts";

/** What runs: a request, or an attempt at a job. */
export interface LogScope {
  readonly log: Log;
  /** Its `requestId`, for one. */
  attribute(name: string): unknown;
  header?(name: string): string | undefined;
}

/** The part of AsyncLocalStorage that is used. */
interface Storage {
  getStore(): LogScope | undefined;
  run<T>(scope: LogScope, inside: () => T): T;
}

let storage: Storage | undefined;

/** The storage, or undefined on a platform without `node:async_hooks`. */
function storageOf(): Storage | undefined {
  const hooks = globalThis.process?.getBuiltinModule?.("node:async_hooks");
  return hooks === undefined ? undefined : (storage ??= new hooks.AsyncLocalStorage<LogScope>());
}

/** The running request or attempt. Undefined outside both, and without `LogScopeMiddleware`. */
export const currentLogScope = (): LogScope | undefined => storage?.getStore();

/** Runs work in a scope, or as it is on a platform without `node:async_hooks`. */
export function runInScope<T>(scope: LogScope, work: () => T): T {
  const found = storageOf();
  return found === undefined ? work() : found.run(scope, work);
}

/** Can this platform keep a scope? */
export const hasScopes = (): boolean => storageOf() !== undefined;

/**
 * The log of the running request, or of the running attempt at a job. Undefined outside both, and without
 * `LogScopeMiddleware`, which `app.work` brings.
 */
export const currentLog = (): Log | undefined => currentLogScope()?.log;

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
    const found = storageOf();
    if (found === undefined)
      throw usageError(
        "MIDDLEWARE_INVALID",
        "LogScopeMiddleware needs AsyncLocalStorage of node:async_hooks, which this platform lacks: hand ctx.log on instead",
      );
    this.#storage = found;
  }

  handle(ctx: Context, next: Next): unknown {
    return this.#storage.run(ctx, next);
  }
}
