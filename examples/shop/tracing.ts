/**
 * OpenTelemetry tracing: a span for every request, whose trace id the access log carries.
 *
 * Spans go nowhere unless asked for: OTEL_TRACES_EXPORTER=console prints them. To send them to a collector, give the
 * provider its exporter.
 */
import { context } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { BasicTracerProvider, ConsoleSpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { TracingMiddleware } from "framework/opentelemetry";

export interface Tracing {
  readonly middleware: TracingMiddleware;
  /** Hands out what was not exported yet. */
  close(): Promise<void>;
}

/** Makes the span of a request the parent of those made while it is handled; `print` shows each as it ends. */
export function startTracing(print: boolean): Tracing {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const provider = new BasicTracerProvider({
    spanProcessors: print ? [new SimpleSpanProcessor(new ConsoleSpanExporter())] : [],
  });
  return { middleware: new TracingMiddleware(provider.getTracer("shop")), close: () => provider.shutdown() };
}
