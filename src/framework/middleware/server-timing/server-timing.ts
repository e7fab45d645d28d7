/**
 * Server timing: how long the server took for a response, in a header that the browser's network panel shows.
 *
 *   the run's phases ──▶ Server-Timing: middleware;dur=0.4, handler;dur=12.3, total;dur=12.9
 *
 * The names are always these three. Names of beans, middleware and handlers never leave the process. Times help an attacker to
 * compare secrets and to find what is slow, so install it in development, or say with `when` who gets it.
 *
 * Spec: spec/context.md
 */
import type { Context } from "../../http/context.ts";
import { checkOptionNames } from "../../internal/option-names.ts";
import { shown, usageError } from "../../internal/usage-errors.ts";
import { Faults } from "../../metrics/faults.ts";
import { HookMiddleware } from "../hooks.ts";
import type { Lifecycle } from "../types.ts";

/** Options of {@link ServerTimingMiddleware}. */
export interface ServerTimingOptions {
  /** True for requests whose response gets the header. Default: all. */
  readonly when?: ((ctx: Context) => boolean) | undefined;
}

/** The time of a request's handler so far, in milliseconds. */
const handlerMs: unique symbol = Symbol("serverTimingHandler");

/**
 * Sends `Server-Timing`.
 *
 * @example
 * ```ts
 * if (process.env["NODE_ENV"] !== "production") app.use(new ServerTimingMiddleware());
 * ```
 */
export class ServerTimingMiddleware extends HookMiddleware {
  readonly #when: ((ctx: Context) => boolean) | undefined;
  readonly #faults = new Faults("ServerTimingMiddleware: when");

  /** @throws TypeError naming the option, its value and the allowed values. */
  constructor(options: ServerTimingOptions = {}) {
    super();
    checkOptionNames("ServerTimingMiddleware", options, ["when"]);
    const { when } = options;
    if (when !== undefined && typeof when !== "function")
      throw usageError("CONFIG_INVALID", `ServerTimingMiddleware has when: ${shown(when)}: a function is allowed`);
    this.#when = when;
  }

  /** How often `when` threw or rejected. */
  get faults(): number {
    return this.#faults.count;
  }

  installed(app: Lifecycle): void {
    this.#faults.tell(app);
    app.onPhase((ctx, { kind, startedAt, endedAt }) => {
      const before = ctx.attribute(handlerMs);
      if (kind === "handler" && before !== undefined) ctx.attribute(handlerMs, Number(before) + endedAt - startedAt);
    });
  }

  override before(ctx: Context): void {
    if (this.#when !== undefined && !this.#faults.isTrue(this.#when, ctx)) return;
    ctx.attribute(handlerMs, 0);
    ctx.onResponse(sendTiming);
  }
}

function sendTiming(ctx: Context): void {
  const total = performance.now() - ctx.startedAt;
  const handler = Math.min(Number(ctx.attribute(handlerMs)), total);
  const text = (ms: number): string => `dur=${Math.max(0, ms).toFixed(1)}`;
  ctx.appendHeader(
    "Server-Timing",
    `middleware;${text(total - handler)}, handler;${text(handler)}, total;${text(total)}`,
  );
}
