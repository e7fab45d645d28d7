/**
 * Metrics middleware: one observation for every request, also aborted and rejected ones.
 *
 *   request ──started()──▶ … ──▶ completion ──record()──▶ MetricsCollector
 *
 * Labels are bounded (route pattern or null, known method or `_OTHER`), and the status is the sent one. A collector that throws
 * or rejects is counted in `faults` and affects nothing else.
 *
 * Spec: spec/metrics.md
 */
import type { Completion, Context } from "../../http/context.ts";
import type { RejectedRequest } from "../../http/exchange.ts";
import { checkOptionNames } from "../../internal/option-names.ts";
import { shown, usageError } from "../../internal/usage-errors.ts";
import type { MetricsCollector, Observation, StartedRequest } from "../../metrics/collector.ts";
import { Callers } from "../../metrics/callers.ts";
import { Faults } from "../../metrics/faults.ts";
import { knownMethods, methodLabel, OTHER_METHOD } from "../../metrics/labels.ts";
import { RuntimeMonitor } from "../../metrics/runtime/runtime-metrics.ts";
import { HookMiddleware } from "../hooks.ts";
import type { Lifecycle } from "../types.ts";

/** Options of {@link MetricsMiddleware}. */
export interface MetricsOptions {
  /** True for requests without an observation. */
  readonly skip?: ((ctx: Context) => boolean) | undefined;
  /**
   * Who calls a deprecated route, such as the id of the principal. The first 100 names are counted, further ones as `OVERFLOW`.
   * Called for deprecated routes only, when the request is over. Default: calls are counted without a name.
   */
  readonly caller?: ((ctx: Context) => string | undefined) | undefined;
  /**
   * Also the figures of the process: utilization and delay of the event loop, memory, garbage collection, CPU, open connections.
   * Default false.
   */
  readonly runtime?: boolean | undefined;
}

/**
 * Reports every request to a collector.
 *
 * @example
 * ```ts
 * const metrics = new InMemoryMetricsCollector();
 * app.use(new MetricsMiddleware(metrics));
 * ```
 */
export class MetricsMiddleware extends HookMiddleware {
  readonly #collector: MetricsCollector;
  readonly #skip: ((ctx: Context) => boolean) | undefined;
  readonly #caller: MetricsOptions["caller"];
  readonly #callers = new Callers();
  readonly #withRuntime: boolean;
  readonly #faults = new Faults("MetricsMiddleware: the collector, skip or caller");
  readonly #completed: (completion: Completion, ctx: Context) => void;

  /** @throws TypeError when `collector` has no `record`, and for an unknown option. */
  constructor(collector: MetricsCollector, options: MetricsOptions = {}) {
    super();
    if (typeof collector?.record !== "function") {
      throw new TypeError(
        "MetricsMiddleware needs a collector with a record method, e.g. new InMemoryMetricsCollector()",
      );
    }
    checkOptionNames("MetricsMiddleware", options, ["skip", "caller", "runtime"]);
    const { skip, caller, runtime = false } = options;
    if (typeof runtime !== "boolean" || (runtime && typeof collector.attachRuntime !== "function"))
      throw usageError("CONFIG_INVALID", `MetricsMiddleware has runtime: ${shown(runtime)}: ${runtimeAllowed}`);
    this.#collector = collector;
    if (caller !== undefined && typeof caller !== "function")
      throw usageError("CONFIG_INVALID", `MetricsMiddleware has caller: ${shown(caller)}: a function is allowed`);
    this.#skip = skip;
    this.#caller = caller;
    this.#withRuntime = runtime;
    const known = knownMethods();
    this.#completed = (completion, ctx) => {
      const observation = observe(completion, ctx, known);
      this.#record(observation);
      if (ctx.isDeprecated) this.#deprecated(ctx, observation);
    };
  }

  /** The given collector, for tools that show its contents. */
  get collector(): MetricsCollector {
    return this.#collector;
  }

  /** How often the collector threw or rejected. */
  get faults(): number {
    return this.#faults.count;
  }

  installed(app: Lifecycle): void {
    this.#faults.tell(app);
    if (this.#withRuntime) this.#monitor(app);
    app.onRejected((rejected) => {
      this.#started({ method: OTHER_METHOD, scheme: rejected.scheme });
      this.#record(observeRejected(rejected));
    });
  }

  before(ctx: Context): void {
    if (this.#skip !== undefined && this.#faults.isTrue(this.#skip, ctx)) return;
    this.#started(ctx);
    ctx.onComplete(this.#completed);
  }

  #monitor(app: Lifecycle): void {
    if (!RuntimeMonitor.isAvailable)
      return app.warn("MetricsMiddleware: this platform does not tell the figures of its process");
    const monitor = new RuntimeMonitor(() => app.connections);
    app.onStop(() => monitor.stop());
    this.#collector.attachRuntime?.(monitor);
  }

  #started(request: StartedRequest): void {
    try {
      const result: unknown = this.#collector.started?.(request);
      if (result !== undefined) this.#faults.watch(result);
    } catch (error) {
      this.#faults.note(error);
    }
  }

  #deprecated(ctx: Context, { method, route }: Observation): void {
    try {
      const caller = this.#callers.label(this.#caller?.(ctx));
      const result: unknown = this.#collector.deprecated?.({ method, route: route ?? "", caller });
      if (result !== undefined) this.#faults.watch(result);
    } catch (error) {
      this.#faults.note(error);
    }
  }

  #record(observation: Observation): void {
    try {
      const result: unknown = this.#collector.record(observation);
      if (result !== undefined) this.#faults.watch(result);
    } catch (error) {
      this.#faults.note(error);
    }
  }
}

const runtimeAllowed = "false is allowed, and true with a collector that has a method attachRuntime";

function observe(completion: Completion, ctx: Context, known: ReadonlySet<string>): Observation {
  return {
    method: methodLabel(ctx.method, known),
    route: ctx.route ?? null,
    status: completion.status,
    durationSeconds: Math.max(completion.durationMs, 0) / 1000,
    aborted: completion.aborted,
    scheme: ctx.scheme,
    httpVersion: ctx.httpVersion,
  };
}

function observeRejected({ status, durationMs, scheme }: RejectedRequest): Observation {
  const durationSeconds = Math.max(durationMs, 0) / 1000;
  return { method: OTHER_METHOD, route: null, status, durationSeconds, aborted: false, scheme };
}
