/**
 * OpenTelemetry tracing: a span for every request. The access log contains its trace id.
 *
 * By default spans are not exported: OTEL_TRACES_EXPORTER=console prints them. To send them to a collector, give the provider its
 * exporter.
 */
import { context } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { BasicTracerProvider, ConsoleSpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { TracingMiddleware } from "framework/opentelemetry";

export interface Tracing {
  readonly middleware: TracingMiddleware;
  /** Exports the remaining spans. */
  close(): Promise<void>;
}

/** Makes the span of a request the parent of those created while it is handled; `print` shows each when it ends. */
export function startTracing(print: boolean): Tracing {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const provider = new BasicTracerProvider({
    spanProcessors: print ? [new SimpleSpanProcessor(new ConsoleSpanExporter())] : [],
  });
  return { middleware: new TracingMiddleware(provider.getTracer("shop")), close: () => provider.shutdown() };
}
