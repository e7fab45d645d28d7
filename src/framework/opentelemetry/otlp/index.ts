/**
 * framework/opentelemetry/otlp: traces, metrics and logs over OTLP/HTTP, without an SDK.
 *
 * Needs the optional peer `@opentelemetry/api`.
 *
 * Spec: spec/tracing.md, spec/metrics.md, spec/log.md
 */
export { OtlpExporter } from "./exporter.ts";
export type { OtlpOptions, OtlpProtocol, OtlpSignal } from "./settings.ts";
