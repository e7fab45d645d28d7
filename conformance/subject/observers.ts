/**
 * Observers: the middleware that watches requests, and its real output, kept as evidence.
 *
 *   RequestLoggingMiddleware ──write(line)──▶ lines ──────────────┐
 *   TracingMiddleware ──▶ OpenTelemetry SDK ──▶ finished spans ───┼──▶ evidence()
 *   MetricsMiddleware ──▶ InMemoryMetricsCollector ──▶ snapshot ──┘
 *
 * Nothing here is invented for the suite: lines are parsed as written, spans are those of an exporter.
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

/** The output since the last `reset`. Lines and spans are not validated, since that is the suite's job. */
export interface Evidence {
  readonly logs: readonly unknown[];
  readonly spans: readonly object[];
  readonly metrics: MetricsSnapshot;
}

/** The three observers and their records. */
export class Observers {
  readonly metrics: InMemoryMetricsCollector = new InMemoryMetricsCollector();
  readonly #exporter = new InMemorySpanExporter();
  readonly #provider: BasicTracerProvider;
  #lines: string[] = [];

  constructor() {
    keepContextAcrossAwait();
    // Every span, including those of callers that did not sample their trace: each request has one span.
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

/** OpenTelemetry has one context manager per process. The first subject creates it, the others use it. */
function keepContextAcrossAwait(): void {
  if (managed) return;
  managed = context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
}
let managed = false;

/** A line that is not JSON is kept as a string, so that it fails the shape instead of vanishing. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}

/** A finished span as a ServerSpan (spec/tracing.ts), including any member that it should not have. */
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
