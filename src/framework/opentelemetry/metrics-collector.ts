/**
 * OpenTelemetryMetricsCollector: passes every observation to an OpenTelemetry meter.
 *
 *   Observation ──▶ histogram `http.server.request.duration` (seconds, the conventions' boundaries)
 *
 * Spec: spec/metrics.md
 */
import type { Attributes, Histogram, Meter } from "@opentelemetry/api";
import type { MetricsCollector, Observation } from "../metrics/collector.ts";
import { DURATION_HELP } from "../metrics/exposition.ts";
import { DURATION_BOUNDARIES } from "../metrics/histogram.ts";
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

  constructor(meter: Meter) {
    this.#histogram = meter.createHistogram("http.server.request.duration", {
      description: DURATION_HELP,
      unit: "s",
      advice: { explicitBucketBoundaries: [...DURATION_BOUNDARIES] },
    });
  }

  record(observation: Observation): void {
    this.#histogram.record(observation.durationSeconds, attributesOf(observation));
  }
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
