/**
 * framework/prometheus: metrics through prom-client.
 *
 *   Observation ──▶ prom-client histogram http_server_request_duration_seconds{method, route, status}
 *
 * Needs the optional peer `prom-client`. The same family, labels and boundaries as `InMemoryMetricsCollector.prometheus()`, in
 * a registry together with the app's own metrics.
 *
 * Spec: spec/metrics.md
 */
import * as prometheus from "prom-client";
import type { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { DeprecatedCall, JobCounts, JobObservation, MetricsCollector, Observation } from "../metrics/collector.ts";
import { DEPRECATED, DURATION_HELP, DURATION_METRIC } from "../metrics/exposition.ts";
import { DURATION_BOUNDARIES } from "../metrics/histogram.ts";
import { JOB_DURATION, JOBS, JOBS_OLDEST, jobStates } from "../metrics/job-families.ts";
import { routeLabel } from "../metrics/labels.ts";
import { ACTIVE_REQUESTS } from "../metrics/runtime/runtime-families.ts";
import type { RuntimeSource } from "../metrics/runtime/runtime-metrics.ts";
import { registerRuntime } from "./runtime.ts";

const LABELS = ["http_request_method", "http_route", "http_response_status_code"] as const;
type Label = (typeof LABELS)[number];

/**
 * Records into a prom-client registry.
 *
 * @example
 * ```ts
 * app.use(new MetricsMiddleware(new PromClientMetricsCollector()));
 * app.get("/metrics", async ctx => ctx.setHeader("Content-Type", register.contentType).text(await register.metrics()));
 * ```
 */
export class PromClientMetricsCollector implements MetricsCollector {
  readonly #histogram: Histogram<Label>;
  readonly #registry: Registry;
  #active = 0;
  #ofJobs: JobFamilies | undefined;
  #ofDeprecated: Counter<"http_request_method" | "http_route" | "caller"> | undefined;

  /**
   * @param registry default: prom-client's default registry
   * @throws TypeError when it is not a registry, Error when it holds the family already
   */
  constructor(registry: Registry = prometheus.register) {
    if (!isRegistry(registry)) throw new TypeError(noRegistry);
    this.#registry = registry;
    this.#histogram = new prometheus.Histogram<Label>({
      name: DURATION_METRIC,
      help: DURATION_HELP,
      labelNames: LABELS,
      buckets: [...DURATION_BOUNDARIES],
      registers: [registry],
    });
    const active = (): number => this.#active;
    void new prometheus.Gauge({
      ...ACTIVE_REQUESTS,
      registers: [registry],
      collect() {
        this.set(active());
      },
    });
  }

  started(): void {
    this.#active += 1;
  }

  record({ method, route, status, durationSeconds }: Observation): void {
    if (this.#active > 0) this.#active -= 1;
    this.#histogram.labels(method, routeLabel(route), String(status)).observe(durationSeconds);
  }

  deprecated({ method, route, caller = "" }: DeprecatedCall): void {
    this.#ofDeprecated ??= new prometheus.Counter({
      ...DEPRECATED,
      labelNames: ["http_request_method", "http_route", "caller"],
      registers: [this.#registry],
    });
    this.#ofDeprecated.labels(method, route, caller).inc();
  }

  job({ job, outcome, durationSeconds }: JobObservation): void {
    this.#jobFamilies().duration.labels(job, outcome).observe(durationSeconds);
  }

  jobs(counts: readonly JobCounts[]): void {
    const { count, oldest } = this.#jobFamilies();
    for (const one of counts) {
      for (const state of jobStates) count.labels(one.job, state).set(one[state]);
      oldest.labels(one.job).set(one.oldestMs / 1_000);
    }
  }

  /** @throws Error when the registry has a metric of that name already, as after `collectDefaultMetrics()`. */
  attachRuntime(source: RuntimeSource): void {
    registerRuntime(this.#registry, source);
  }

  /** An app without jobs has none. */
  #jobFamilies(): JobFamilies {
    const registers = [this.#registry];
    return (this.#ofJobs ??= {
      duration: new prometheus.Histogram({
        ...JOB_DURATION,
        labelNames: ["job", "outcome"],
        buckets: [...DURATION_BOUNDARIES],
        registers,
      }),
      count: new prometheus.Gauge({ ...JOBS, labelNames: ["job", "state"], registers }),
      oldest: new prometheus.Gauge({ ...JOBS_OLDEST, labelNames: ["job"], registers }),
    });
  }
}

/** The metrics of jobs. */
interface JobFamilies {
  readonly duration: Histogram<"job" | "outcome">;
  readonly count: Gauge<"job" | "state">;
  readonly oldest: Gauge<"job">;
}

const noRegistry =
  "new PromClientMetricsCollector takes a prom-client Registry itself: new PromClientMetricsCollector(registry), not " +
  "{ registry } or { registers: [registry] }; without an argument it takes the default registry";

/** Structural, because two copies of prom-client may be installed. */
const isRegistry = (value: unknown): boolean =>
  typeof value === "object" && value !== null && typeof Reflect.get(value, "registerMetric") === "function";
