/**
 * Overload protection: what a process cannot do in time, it rejects at once.
 *
 *   request ──▶ below all limits ──▶ goes on
 *                 └─ above one ──▶ health, exempt ──▶ goes on      any other ──▶ 503 with Retry-After
 *
 * Without it each waits for all others, until clients give up and the work is done in vain. With it the responses that are
 * sent stay fast, and the others are sent at once, so that a balancer or a client can act. Nothing has to be reset: the limits
 * are compared with the present.
 *
 * Spec: spec/overload.md
 */
import type { Context } from "../../http/context.ts";
import { ServiceUnavailableError, withoutStack } from "../../internal/errors.ts";
import { checkOptionNames } from "../../internal/option-names.ts";
import { shown, usageError } from "../../internal/usage-errors.ts";
import { ExemptRoutes } from "../exempt-routes.ts";
import { isHealthPath } from "../health/health-paths.ts";
import { HookMiddleware } from "../hooks.ts";
import type { Lifecycle } from "../types.ts";
import { type Exceeded, LoadSensor } from "./load-sensor.ts";

/** Options of {@link OverloadMiddleware}. */
export interface OverloadOptions {
  /** How far the event loop may be behind, in milliseconds. Default 250. `false` turns it off. */
  readonly eventLoopDelayMs?: number | false | undefined;
  /** The share of time in which the event loop may be busy, from 0 to 1, e.g. 0.98. By default unlimited. */
  readonly eventLoopUtilization?: number | undefined;
  /** Requests at the same time. Streams and WebSockets count until they end. By default unlimited. */
  readonly inFlight?: number | undefined;
  /** The used heap. Choose it below `--max-old-space-size`. By default unlimited. */
  readonly heapBytes?: number | undefined;
  /** Routes that are always served, by the pattern that `ctx.route` shows. The paths of HealthMiddleware always are. */
  readonly exempt?: readonly string[] | undefined;
  /** The `Retry-After` of a rejected request, in seconds. Default 1. */
  readonly retryAfterSeconds?: number | undefined;
}

const names: readonly string[] = [
  "eventLoopDelayMs",
  "eventLoopUtilization",
  "inFlight",
  "heapBytes",
  "exempt",
  "retryAfterSeconds",
];

/** The code of the 503. */
const OVERLOADED = "OVERLOADED";

/**
 * Responds 503 to what the process cannot do in time.
 *
 * @example
 * ```ts
 * app.use(new OverloadMiddleware({ eventLoopDelayMs: 200, inFlight: 1_000, exempt: ["/payments/{id}"] }));
 * ```
 */
export class OverloadMiddleware extends HookMiddleware {
  readonly #sensor: LoadSensor;
  readonly #exempt: ExemptRoutes;
  readonly #inFlight: number | undefined;
  readonly #error: { readonly code: string; readonly headers: Readonly<Record<string, string>> };
  readonly #sentence: string;
  readonly #over = (): void => void (this.#active -= 1);
  #app: Lifecycle | undefined;
  #active = 0;
  #rejected = 0;

  /** @throws TypeError naming the option, its value and the allowed values. */
  constructor(options: OverloadOptions = {}) {
    super();
    checkOptionNames("OverloadMiddleware", options, names);
    const { eventLoopDelayMs = 250, eventLoopUtilization, inFlight, heapBytes, retryAfterSeconds = 1 } = options;
    const delay = eventLoopDelayMs === false ? undefined : eventLoopDelayMs;
    within("eventLoopDelayMs", delay, 1, 60_000);
    within("eventLoopUtilization", eventLoopUtilization, 0.01, 1);
    whole("inFlight", inFlight);
    whole("heapBytes", heapBytes);
    whole("retryAfterSeconds", retryAfterSeconds);
    this.#sensor = new LoadSensor({ eventLoopDelayMs: delay, eventLoopUtilization, heapBytes });
    this.#exempt = new ExemptRoutes("OverloadMiddleware", options.exempt);
    this.#inFlight = inFlight;
    this.#error = { code: OVERLOADED, headers: { "Retry-After": String(retryAfterSeconds) } };
    this.#sentence = `there is more to do than is possible now: try again in ${retryAfterSeconds} s`;
  }

  /** How many requests were rejected. */
  get rejected(): number {
    return this.#rejected;
  }

  /** Part of Middleware. A pattern of `exempt` that no route has fails the start. */
  installed(app: Lifecycle): void {
    this.#app = app;
    app.onRoutes((routes) => this.#exempt.checkRoutes(routes));
  }

  override before(ctx: Context): void {
    const exceeded = this.#exceeded();
    if (exceeded !== undefined) this.#decide(ctx, exceeded);
    if (this.#inFlight === undefined) return;
    this.#active += 1;
    ctx.onComplete(this.#over);
  }

  #exceeded(): Exceeded | undefined {
    const limit = this.#inFlight;
    if (limit !== undefined && this.#active >= limit) return { by: "inFlight", limit, value: this.#active };
    return this.#sensor.exceeded();
  }

  /** @throws ServiceUnavailableError (503) unless the request is exempt. */
  #decide(ctx: Context, exceeded: Exceeded): void {
    const exempt = this.#isExempt(ctx);
    ctx.annotations?.add("overload", { ...exceeded, exempt });
    if (exempt) return;
    this.#rejected += 1;
    throw withoutStack(() => new ServiceUnavailableError(this.#sentence, this.#error));
  }

  #isExempt(ctx: Context): boolean {
    return this.#exempt.has(ctx) || (this.#app !== undefined && isHealthPath(this.#app, ctx.path));
  }
}

function whole(name: string, value: number | undefined): void {
  if (value === undefined || (Number.isSafeInteger(value) && value >= 1)) return;
  throw invalid(name, value, "a whole number from 1 is allowed");
}

function within(name: string, value: number | undefined, least: number, most: number): void {
  if (value === undefined || (typeof value === "number" && value >= least && value <= most)) return;
  throw invalid(name, value, `a number from ${least} to ${most} is allowed`);
}

const invalid = (name: string, value: unknown, allowed: string): TypeError =>
  usageError("CONFIG_INVALID", `OverloadMiddleware has ${name}: ${shown(value)}: ${allowed}`);
