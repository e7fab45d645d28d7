/**
 * OtlpExporter: sends traces, metrics and log lines to a collector over OTLP/HTTP, without an SDK.
 *
 *   TracingMiddleware, TracingDecorator ──▶ otlp.tracer ──▶ spans ───────┐
 *   OpenTelemetryMetricsCollector ────────▶ otlp.meter ───▶ metrics ─────┼──▶ batches ──▶ POST /v1/traces, /v1/metrics, /v1/logs
 *   Framework.create({ logger }) ─────────▶ otlp.logger() ▶ log records ─┘
 *
 * It has no effect on the app: queues are bounded, what is too much is dropped and counted, and its own requests are not traced.
 * The wire format is that of opentelemetry-proto 1. `@opentelemetry/api` is all that it needs.
 *
 * Spec: spec/tracing.md, spec/metrics.md, spec/log.md
 */
import * as api from "@opentelemetry/api";
import type { Meter, Tracer } from "@opentelemetry/api";
import { currentScope, runIn } from "../../internal/async-scope.ts";
import { consoleLogger, safeLogger, type Logger, type LogLevel } from "../../internal/logger.ts";
import { unref } from "../../internal/timers.ts";
import { Faults } from "../../metrics/faults.ts";
import { logsApi } from "../exceptions.ts";
import { Batches, type Outside } from "./batches.ts";
import { AsyncContextManager } from "./context.ts";
import { Losses } from "./losses.ts";
import { loggerTo, recordOf, type EmittedRecord } from "./logs.ts";
import { OtlpMeter } from "./meter.ts";
import type { Message } from "./protobuf.ts";
import { settingsOf, type OtlpOptions, type OtlpSignal } from "./settings.ts";
import { OtlpTracer, suppressed } from "./tracer.ts";

const { context, metrics, ROOT_CONTEXT, trace } = api;

/** The name of tracers, meters and loggers that have none. */
const SCOPE = "framework";

/**
 * Exports over OTLP/HTTP.
 *
 * @example
 * ```ts skip="needs a collector"
 * const otlp = new OtlpExporter({ url: "http://collector:4318", service: "shop" });
 * otlp.register();
 * const app = Framework.create({ logger: otlp.logger() });
 * app.use(new TracingMiddleware(otlp.tracer));
 * app.use(new MetricsMiddleware(new OpenTelemetryMetricsCollector(otlp.meter), { runtime: true }));
 * app.onStop(() => otlp.close());
 * ```
 */
export class OtlpExporter {
  readonly #batches: Partial<Record<OtlpSignal, Batches>>;
  readonly #losses: Losses;
  readonly #meters = new Map<string, OtlpMeter>();
  readonly #faults = new Faults("OtlpExporter: a metric's callback");
  readonly #outside: Outside;
  readonly #sampler: ReturnType<typeof settingsOf>["sampler"];
  readonly #timer: ReturnType<typeof setInterval> | undefined;
  #closing: Promise<void> | undefined;

  /** @throws TypeError for a wrong option. A wrong environment variable is a warning. */
  constructor(options: OtlpOptions = {}) {
    const env: Readonly<Record<string, string | undefined>> = globalThis.process?.env ?? {};
    const settings = settingsOf(options, env);
    const { targets, metricsIntervalMs, warn, sampler } = settings;
    const scope = currentScope();
    const quiet = ROOT_CONTEXT.setValue(suppressed, true);
    this.#outside = (run) => runIn(scope, () => context.with(quiet, run));
    this.#losses = new Losses(warn);
    this.#sampler = sampler;
    this.#faults.tell({ warn });
    this.#batches = Object.fromEntries(
      Object.entries(targets).map(([name, target]) => {
        const signal = name as OtlpSignal;
        return [signal, new Batches(signal, target, settings, this.#losses, this.#outside)];
      }),
    );
    if (this.#batches.metrics !== undefined)
      this.#timer = unref(setInterval(() => void this.#collect(), metricsIntervalMs));
  }

  /** For `TracingMiddleware` and `TracingDecorator`. */
  get tracer(): Tracer {
    return this.tracerNamed(SCOPE);
  }

  /** For `OpenTelemetryMetricsCollector`, and for instruments of your own. */
  get meter(): Meter {
    return this.meterNamed(SCOPE);
  }

  /** A tracer whose spans have that name as their scope. */
  tracerNamed(scope: string): Tracer {
    const batches = this.#batches.traces;
    return new OtlpTracer(this.#sampler, batches === undefined ? undefined : (make) => batches.add(scope, make));
  }

  /** The meter of that name. */
  meterNamed(scope: string): Meter {
    const known = this.#meters.get(scope) ?? new OtlpMeter(this.#faults);
    this.#meters.set(scope, known);
    return known;
  }

  /**
   * A logger for `Framework.create({ logger })`. Lines from that level on are exported, and all go on to `next`.
   *
   * @param from default `info`
   */
  logger(next: Partial<Logger> = consoleLogger(), from: LogLevel = "info"): Logger {
    return loggerTo((make) => this.#batches.logs?.add(SCOPE, make), safeLogger(next), from);
  }

  /**
   * Registers itself with OpenTelemetry's API: context, tracers, meters and loggers, each unless another one is registered.
   * Spans that libraries make are exported, and are children of the request's span.
   */
  register(): this {
    const hooks = globalThis.process?.getBuiltinModule?.("node:async_hooks");
    if (hooks !== undefined) context.setGlobalContextManager(new AsyncContextManager(new hooks.AsyncLocalStorage()));
    trace.setGlobalTracerProvider({ getTracer: (name) => this.tracerNamed(name) });
    metrics.setGlobalMeterProvider({ getMeter: (name) => this.meterNamed(name) });
    if (!Reflect.has(globalThis, logsApi)) {
      const getLogger = (scope: string): object => ({
        emit: (record: EmittedRecord) => this.#batches.logs?.add(scope, () => recordOf(record)),
        enabled: () => true,
      });
      Reflect.set(globalThis, logsApi, () => ({ getLogger }));
    }
    return this;
  }

  /** How many spans, metrics and log records were dropped here, or rejected by the collector. */
  get lost(): number {
    return this.#losses.count;
  }

  /** How many the collector has accepted. */
  get sent(): number {
    return this.#all().reduce((sum, { sent }) => sum + sent, 0);
  }

  /** Sends all that waits, and the metrics as they are now. Never rejects. */
  async flush(): Promise<void> {
    await this.#collect();
    await Promise.all(this.#all().map((batches) => batches.flush()));
  }

  /**
   * Sends the rest, for at most `graceMs`, and drops and counts what comes later. For `app.onStop`. Never rejects.
   *
   * @param graceMs default 5,000
   */
  close({ graceMs = 5_000 }: { readonly graceMs?: number } = {}): Promise<void> {
    this.#closing ??= this.#close(graceMs);
    return this.#closing;
  }

  async #close(graceMs: number): Promise<void> {
    clearInterval(this.#timer);
    const late = new AbortController();
    // The process must not end before what waits is sent, so this timer is not unreferenced.
    const timer = setTimeout(() => late.abort(), graceMs);
    await Promise.race([
      this.#collect(),
      new Promise<void>((resolve) => late.signal.addEventListener("abort", () => resolve())),
    ]);
    await Promise.all(this.#all().map((batches) => batches.close(late.signal)));
    clearTimeout(timer);
  }

  #all(): readonly Batches[] {
    return Object.values(this.#batches);
  }

  /** Cumulative metrics lose nothing if a collection is left out. */
  async #collect(): Promise<void> {
    const batches = this.#batches.metrics;
    if (batches === undefined || batches.isSending) return;
    for (const [scope, meter] of this.#meters) {
      const collected: readonly Message[] = await this.#outside(() => meter.collect());
      for (const message of collected) batches.add(scope, () => message);
    }
    await batches.flush();
  }
}
