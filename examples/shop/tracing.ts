/**
 * OpenTelemetry tracing, only when asked for: OTEL_TRACES_EXPORTER=console prints every request's span.
 *
 * A file of its own, loaded on demand, so that a shop without tracing loads no OpenTelemetry. To send the
 * spans somewhere, give the provider another exporter.
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

/** Spans, printed as they end. Makes the span of a request the parent of those made while it is handled. */
export function consoleTracing(): Tracing {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(new ConsoleSpanExporter())] });
  return { middleware: new TracingMiddleware(provider.getTracer("shop")), close: () => provider.shutdown() };
}
