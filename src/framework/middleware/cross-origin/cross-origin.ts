/**
 * Cross-origin protection: a page of another origin cannot change anything in the name of its visitor (CSRF).
 *
 *   POST from a page of this origin, or from a program ──▶ goes on
 *   POST from a page of any other origin ──▶ 403, unless its origin or the route is named
 *
 * It keeps no state and needs no token, since browsers say where a request comes from. `SessionMiddleware` does the same by
 * default. Install this one before it to name origins for the whole app.
 *
 * Spec: spec/cross-origin.md
 */
import type { Context } from "../../http/context.ts";
import { HookMiddleware } from "../hooks.ts";
import type { Lifecycle } from "../types.ts";
import { CrossOriginCheck, type CrossOriginOptions } from "./cross-origin-check.ts";

/**
 * Rejects unsafe requests of pages of other origins.
 *
 * @example
 * ```ts
 * app.use(new CrossOriginProtectionMiddleware({ trustedOrigins: ["https://app.example"] }));
 * ```
 */
export class CrossOriginProtectionMiddleware extends HookMiddleware {
  readonly #check: CrossOriginCheck;

  /** @throws TypeError naming the option, its value and the allowed values. */
  constructor(options: CrossOriginOptions = {}) {
    super();
    this.#check = new CrossOriginCheck("CrossOriginProtectionMiddleware", options);
  }

  /** Part of Middleware. A pattern of `exempt` that no route has fails the start. */
  installed(app: Lifecycle): void {
    app.onRoutes((routes) => this.#check.checkRoutes(routes));
  }

  override before(ctx: Context): void {
    this.#check.check(ctx);
  }
}
