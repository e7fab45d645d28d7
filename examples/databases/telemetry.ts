/**
 * OpenTelemetry's instrumentation of pg. It patches pg while pg is loaded, so this file is imported before it.
 *
 *   pg: client.query ──▶ a span ──▶ devtools.spanProcessor() ──▶ a leaf under the bean's call
 */
import { Devtools } from "@framework/devtools";
import { PgInstrumentation } from "@opentelemetry/instrumentation-pg";
import { BasicTracerProvider } from "@opentelemetry/sdk-trace-base";

const instrumentation = new PgInstrumentation({ enhancedDatabaseReporting: true, ignoreConnectSpans: true });

/** Devtools that show the statements of pg, with their values. */
export function createDevtools(): Devtools {
  const devtools = Devtools.create();
  instrumentation.setTracerProvider(new BasicTracerProvider({ spanProcessors: [devtools.spanProcessor()] }));
  return devtools;
}
