/**
 * OpenTelemetry tracing: a span for every request. The access log contains its trace id.
 *
 * By default spans are not exported. OTEL_TRACES_EXPORTER=console prints them, OTEL_EXPORTER_OTLP_ENDPOINT=http://… sends them to a
 * collector.
 */
import { context } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { BasicTracerProvider, ConsoleSpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { TracingMiddleware } from "framework/opentelemetry";
import { OtlpExporter } from "framework/opentelemetry/otlp";

export interface Tracing {
  readonly middleware: TracingMiddleware;
  /** Exports the remaining spans. */
  close(): Promise<void>;
}

/**
 * Makes the span of a request the parent of those created while it is handled. `print` shows each when it ends, `service` is the
 * name under which a collector gets them.
 */
export function startTracing({
  print,
  service,
}: {
  readonly print: boolean;
  readonly service?: string | undefined;
}): Tracing {
  if (service !== undefined) {
    const otlp = new OtlpExporter({ service, signals: ["traces"] }).register();
    return { middleware: new TracingMiddleware(otlp.tracer), close: () => otlp.close() };
  }
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const provider = new BasicTracerProvider({
    spanProcessors: print ? [new SimpleSpanProcessor(new ConsoleSpanExporter())] : [],
  });
  return { middleware: new TracingMiddleware(provider.getTracer("shop")), close: () => provider.shutdown() };
}
