/**
 * The middleware of an app: in the app, its groups and its routes.
 *
 *   install(middleware, prefix) ──▶ `installed(lifecycle)` of it, the first time ──▶ as it is kept
 *
 * Spec: spec/middleware.md
 */
import type { Class } from "../beans/types.ts";
import { installed, type Installed } from "../dispatch/installed.ts";
import { usageError } from "../internal/usage-errors.ts";
import type { Lifecycle, MiddlewareLike } from "../middleware/types.ts";

/** What is installed in one app. */
export class AppMiddleware {
  readonly #lifecycle: Lifecycle;
  readonly #known: Set<MiddlewareLike> = new Set();

  constructor(lifecycle: Lifecycle) {
    this.#lifecycle = lifecycle;
  }

  /** Any middleware as it is kept. @throws TypeError when it is none. */
  install(middleware: MiddlewareLike, prefix = "/"): Installed {
    if (typeof middleware === "function") return installed(middleware, prefix);
    if (typeof middleware !== "object" || middleware === null || typeof middleware.handle !== "function")
      throw usageError(
        "MIDDLEWARE_INVALID",
        "a middleware is a function (ctx, next) or has a method handle(ctx, next)",
      );
    if (!this.#known.has(middleware)) middleware.installed?.(this.#lifecycle);
    this.#known.add(middleware);
    return installed(middleware, prefix);
  }

  /** Those of that class, in order of installation. */
  of<T extends object>(type: Class<T>): T[] {
    return [...this.#known].filter((one) => one instanceof (type as Function)) as object[] as T[];
  }
}
