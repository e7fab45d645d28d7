/**
 * The OpenTelemetry SDK of every traced server of the bench: batch processor, an exporter that drops its batches, every request
 * sampled, AsyncLocalStorage as the context manager.
 */
import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";

/** A provider of a fresh SDK, registered globally with its context manager. */
export function sdkProvider() {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const dropped = { export: (_spans, done) => done({ code: 0 }), shutdown: () => Promise.resolve() };
  const provider = new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(dropped)] });
  trace.setGlobalTracerProvider(provider);
  return provider;
}
