/**
 * framework/opentelemetry: tracing and metrics through OpenTelemetry.
 *
 * Needs the optional peer `@opentelemetry/api`. An SDK registers the provider.
 *
 * Spec: spec/tracing.md, spec/metrics.md
 */
export { OpenTelemetryMetricsCollector } from "./metrics-collector.ts";
export { TracingDecorator } from "./tracing-decorator.ts";
export { traceHeaders, TracingMiddleware, type TracingOptions } from "./tracing.ts";
