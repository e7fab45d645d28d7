/**
 * The OpenTelemetry SDK of every traced server of the bench: batch processor, an exporter that drops its batches, every request
 * sampled by default, AsyncLocalStorage as the context manager.
 */
import { context, type Tracer } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  type SpanExporter,
} from "@opentelemetry/sdk-trace-base";

const dropped: SpanExporter = { export: (_spans, done) => done({ code: 0 }), shutdown: () => Promise.resolve() };

/** A tracer of a fresh SDK. Registers the context manager. */
export function sdkTracer(isSampled = true): Tracer {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const provider = new BasicTracerProvider({
    sampler: isSampled ? new AlwaysOnSampler() : new AlwaysOffSampler(),
    spanProcessors: [new BatchSpanProcessor(dropped)],
  });
  return provider.getTracer("bench");
}
