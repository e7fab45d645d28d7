/**
 * framework/opentelemetry: tracing and metrics through OpenTelemetry.
 *
 * Needs the optional peer `@opentelemetry/api`; an SDK registers the provider.
 *
 * Spec: spec/tracing.md (SPAN), spec/metrics.md (METRIC-013)
 */
export { OpenTelemetryMetricsCollector } from "./metrics-collector.ts";
export { traceHeaders, TracingMiddleware, type TracingOptions } from "./tracing.ts";
