/**
 * OpenTelemetryMetricsCollector: passes every observation to an OpenTelemetry meter.
 *
 *   Observation    ──▶ histogram `http.server.request.duration` (seconds, the conventions' boundaries)
 *   StartedRequest ──▶ `http.server.active_requests`, RuntimeSource ──▶ `nodejs.*`, `v8js.*`, `process.*`
 *   DeprecatedCall ──▶ counter `http.server.deprecated_requests`
 *   JobObservation ──▶ histogram `messaging.process.duration`, JobCounts ──▶ gauges `jobs.count`, `jobs.oldest.age`
 *
 * Spec: spec/metrics.md
 */
import type { Attributes, Counter, Gauge, Histogram, Meter } from "@opentelemetry/api";
import type {
  DeprecatedCall,
  JobCounts,
  JobObservation,
  MetricsCollector,
  Observation,
  StartedRequest,
} from "../metrics/collector.ts";
import { DEPRECATED, DURATION_HELP } from "../metrics/exposition.ts";
import { DURATION_BOUNDARIES } from "../metrics/histogram.ts";
import { JOB_DURATION, JOBS, JOBS_OLDEST, jobStates } from "../metrics/job-families.ts";
import { knownMethods, methodLabel } from "../metrics/labels.ts";
import type { RuntimeSource } from "../metrics/runtime/runtime-metrics.ts";
import { ActiveRequests } from "./active-requests.ts";
import { observeRuntime } from "./runtime-instruments.ts";
import { CLIENT_CLOSED_REQUEST } from "../internal/http-rules.ts";

/**
 * Records into an OpenTelemetry meter.
 *
 * @example
 * ```ts
 * app.use(new MetricsMiddleware(new OpenTelemetryMetricsCollector(meterProvider.getMeter("shop"))));
 * ```
 */
export class OpenTelemetryMetricsCollector implements MetricsCollector {
  readonly #histogram: Histogram;
  readonly #meter: Meter;
  readonly #active: ActiveRequests;
  readonly #known: ReadonlySet<string> = knownMethods();
  #ofJobs: JobInstruments | undefined;
  #ofDeprecated: Counter | undefined;

  constructor(meter: Meter) {
    this.#meter = meter;
    this.#histogram = meter.createHistogram("http.server.request.duration", {
      description: DURATION_HELP,
      unit: "s",
      advice: { explicitBucketBoundaries: [...DURATION_BOUNDARIES] },
    });
    this.#active = new ActiveRequests(meter);
  }

  started({ method, scheme }: StartedRequest): void {
    this.#active.add(methodLabel(method, this.#known), scheme, 1);
  }

  record(observation: Observation): void {
    this.#active.add(observation.method, observation.scheme, -1);
    this.#histogram.record(observation.durationSeconds, attributesOf(observation));
  }

  deprecated({ method, route, caller }: DeprecatedCall): void {
    this.#ofDeprecated ??= this.#meter.createCounter("http.server.deprecated_requests", {
      description: DEPRECATED.help,
      unit: "{request}",
    });
    const named = caller === undefined ? {} : { caller };
    this.#ofDeprecated.add(1, { "http.request.method": method, "http.route": route, ...named });
  }

  job({ job, system, outcome, durationSeconds }: JobObservation): void {
    const attributes: Attributes = {
      "messaging.system": system,
      "messaging.destination.name": job,
      "messaging.operation.name": "process",
    };
    if (outcome !== "done") attributes["error.type"] = outcome;
    this.#jobInstruments().duration.record(durationSeconds, attributes);
  }

  jobs(counts: readonly JobCounts[]): void {
    const { count, oldest } = this.#jobInstruments();
    for (const one of counts) {
      const named = { "messaging.destination.name": one.job };
      for (const state of jobStates) count.record(one[state], { ...named, "job.state": state });
      oldest.record(one.oldestMs / 1_000, named);
    }
  }

  attachRuntime(source: RuntimeSource): void {
    observeRuntime(this.#meter, source);
  }

  /** An app without jobs has none. */
  #jobInstruments(): JobInstruments {
    return (this.#ofJobs ??= {
      duration: this.#meter.createHistogram("messaging.process.duration", {
        description: JOB_DURATION.help,
        unit: "s",
        advice: { explicitBucketBoundaries: [...DURATION_BOUNDARIES] },
      }),
      count: this.#meter.createGauge("jobs.count", { description: JOBS.help, unit: "{job}" }),
      oldest: this.#meter.createGauge("jobs.oldest.age", { description: JOBS_OLDEST.help, unit: "s" }),
    });
  }
}

/** The metrics of jobs. */
interface JobInstruments {
  readonly duration: Histogram;
  readonly count: Gauge;
  readonly oldest: Gauge;
}

function attributesOf({ method, route, status, aborted, scheme, httpVersion }: Observation): Attributes {
  const attributes: Attributes = { "http.request.method": method };
  if (route !== null) attributes["http.route"] = route;
  if (!(aborted && status === CLIENT_CLOSED_REQUEST)) attributes["http.response.status_code"] = status;
  if (aborted) attributes["error.type"] = "aborted";
  else if (status >= 500) attributes["error.type"] = String(status);
  if (scheme !== undefined) attributes["url.scheme"] = scheme;
  if (httpVersion !== undefined) attributes["network.protocol.version"] = httpVersion;
  return attributes;
}
