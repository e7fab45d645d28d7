/**
 * ForeignSpans: the spans that services on this machine have exported to devtools, and the requests that led to them.
 *
 *   request with `traceparent` ──▶ refer ──▶ the leaf's `run: { origin, id }`
 *   POST …/v1/traces ──▶ add ──▶ the newest traces, within bounds
 *   …/api/remote?origin=…&id=… ──▶ read ──▶ the service's spans as a ServiceRun, without secrets
 */
import type { RunReference, ServiceRun } from "../../run/shapes.ts";
import { readReference, readTraceparent, spanReference } from "../../run/otlp/reference.ts";
import { serviceRun, type ShownValues } from "../../run/otlp/service-run.ts";
import { SpanTree } from "../../run/otlp/span-tree.ts";
import type { Span } from "../../run/otlp/spans.ts";

const maxTraces = 500;
const maxSpans = 20_000;
/** Of one trace. */
const maxInTrace = 10_000;
const maxBytes = 33_554_432;
/** Requests whose number is remembered. */
const maxCounted = 1_000;

/** The spans of one trace. */
interface HeldTrace {
  readonly spans: Map<string, Span>;
  bytes: number;
}

/** The held spans. */
export class ForeignSpans {
  readonly #shown: () => ShownValues;
  /** The longest ago changed first. */
  readonly #traces = new Map<string, HeldTrace>();
  readonly #counts = new Map<string, number>();
  #spans = 0;
  #bytes = 0;
  /** How often spans have arrived. */
  version = 0;

  /** @param shown shows the values of one run */
  constructor(shown: () => ShownValues) {
    this.#shown = shown;
  }

  /** A reference to the run of a service that received this request, if it has a valid `traceparent`. */
  refer(origin: string, traceparent: string): RunReference | undefined {
    const sent = readTraceparent(traceparent);
    if (sent === undefined || !/^https?:\/\/[^/?#\s]+$/.test(origin)) return undefined;
    const key = `${origin} ${sent.traceId} ${sent.spanId}`;
    const n = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.delete(key);
    this.#counts.set(key, n);
    const [oldest] = this.#counts.keys();
    if (this.#counts.size > maxCounted && oldest !== undefined) this.#counts.delete(oldest);
    return { origin, id: spanReference({ ...sent, n }) };
  }

  /** Adds spans, each once. Returns the number of those that have no room. @param bytes of all of them */
  add(spans: readonly Span[], bytes: number): number {
    let rejected = 0;
    const each = bytes / Math.max(1, spans.length);
    for (const span of spans) {
      const trace = this.#traces.get(span.traceId) ?? { spans: new Map<string, Span>(), bytes: 0 };
      // Deleted and set again, so that the newest trace is the last one.
      this.#traces.delete(span.traceId);
      this.#traces.set(span.traceId, trace);
      const key = `${span.spanId} ${span.service}`;
      const isNew = !trace.spans.has(key);
      if (isNew && (trace.spans.size >= maxInTrace || trace.bytes + each > maxBytes / 4)) rejected += 1;
      else {
        trace.spans.set(key, span);
        if (isNew) this.#count(trace, 1, each);
      }
      this.#evict();
    }
    if (rejected < spans.length) this.version += 1;
    return rejected;
  }

  /** The run of the service that received that request, or undefined while there is none. */
  read(origin: string, id: string): ServiceRun | undefined {
    const reference = readReference(id);
    const trace = reference === undefined ? undefined : this.#traces.get(reference.traceId);
    if (reference === undefined || trace === undefined) return undefined;
    const tree = new SpanTree([...trace.spans.values()]);
    const port = URL.canParse(origin) ? new URL(origin).port : "";
    const root = tree.entry(reference.spanId, reference.n, port);
    return root === undefined ? undefined : serviceRun(tree, root, this.#shown());
  }

  #count(trace: HeldTrace, spans: number, bytes: number): void {
    trace.bytes += bytes;
    this.#spans += spans;
    this.#bytes += bytes;
  }

  /** Drops the traces that changed the longest ago; the newest stays. */
  #evict(): void {
    while (this.#traces.size > 1 && this.#isFull) {
      const [oldest] = this.#traces;
      if (oldest === undefined) return;
      const [traceId, trace] = oldest;
      this.#traces.delete(traceId);
      this.#count(trace, -trace.spans.size, -trace.bytes);
    }
  }

  get #isFull(): boolean {
    return this.#traces.size > maxTraces || this.#spans > maxSpans || this.#bytes > maxBytes;
  }
}
