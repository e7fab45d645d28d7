/**
 * Observers: the middleware that watches requests, and what it really emitted, kept as evidence.
 *
 *   RequestLoggingMiddleware ──write(line)──▶ lines ──────────────┐
 *   TracingMiddleware ──▶ OpenTelemetry SDK ──▶ finished spans ───┼──▶ evidence()
 *   MetricsMiddleware ──▶ InMemoryMetricsCollector ──▶ snapshot ──┘
 *
 * Nothing here is made up for the suite: lines are parsed as they were written, spans are what an exporter got.
 *
 * Spec: spec/subject.md, shape SubjectEvidence
 */
import { context, SpanKind, SpanStatusCode } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  AlwaysOnSampler,
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import {
  InMemoryMetricsCollector,
  MetricsMiddleware,
  type MetricsSnapshot,
  type MiddlewareLike,
  RequestLoggingMiddleware,
} from "framework";
import { TracingMiddleware } from "framework/opentelemetry";

/** What was emitted since the last `reset`. Lines and spans are unchecked: holding them to a shape is the suite's job. */
export interface Evidence {
  readonly logs: readonly unknown[];
  readonly spans: readonly object[];
  readonly metrics: MetricsSnapshot;
}

/** The three that observe, and what they saw. */
export class Observers {
  readonly metrics: InMemoryMetricsCollector = new InMemoryMetricsCollector();
  readonly #exporter = new InMemorySpanExporter();
  readonly #provider: BasicTracerProvider;
  #lines: string[] = [];

  constructor() {
    keepContextAcrossAwait();
    // Every span, also of callers that did not sample their trace: the promise is one span for every request.
    this.#provider = new BasicTracerProvider({
      sampler: new AlwaysOnSampler(),
      spanProcessors: [new SimpleSpanProcessor(this.#exporter)],
    });
  }

  /** In the order of installation. */
  middleware(): readonly MiddlewareLike[] {
    return [
      RequestLoggingMiddleware.json({ write: (line) => void this.#lines.push(line) }),
      new MetricsMiddleware(this.metrics),
      new TracingMiddleware(this.#provider.getTracer("subject")),
    ];
  }

  evidence(): Evidence {
    return {
      logs: this.#lines.map(parsed),
      spans: this.#exporter.getFinishedSpans().map(serverSpan),
      metrics: this.metrics.snapshot(),
    };
  }

  reset(): void {
    this.#lines = [];
    this.#exporter.reset();
    this.metrics.reset();
  }

  close(): Promise<void> {
    return this.#provider.shutdown();
  }
}

/** OpenTelemetry knows one context manager a process; the first subject brings it, the others use it. */
function keepContextAcrossAwait(): void {
  if (managed) return;
  managed = context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
}
let managed = false;

/** A line that is no JSON is shown as the string it is, so that it fails the shape instead of vanishing. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}

/** A finished span as a ServerSpan (spec/tracing.ts); what it should not hold is not left out. */
function serverSpan(span: ReadableSpan): object {
  const { traceId, spanId, traceState } = span.spanContext();
  return {
    name: span.name,
    kind: SpanKind[span.kind],
    traceId,
    spanId,
    parentSpanId: span.parentSpanContext?.spanId ?? null,
    traceState: traceState?.serialize() || null,
    status: SpanStatusCode[span.status.code],
    attributes: span.attributes,
    exceptions: span.events
      .filter(({ name }) => name === "exception")
      .map(({ attributes }) => ({ type: attributes?.["exception.type"], message: attributes?.["exception.message"] })),
  };
}
