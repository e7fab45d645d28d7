/**
 * Tracer and spans for the exporter, by the interfaces of `@opentelemetry/api`.
 *
 *   startSpan ──▶ sampled by its parent, or by the share of traces ──▶ OtlpSpan ──end()──▶ its message
 *             └─▶ not sampled: a span with ids only
 *
 * A span has 128 attributes, events and links at most. More are counted.
 */
import * as api from "@opentelemetry/api";
import type {
  Attributes,
  AttributeValue,
  Context,
  Exception,
  Link,
  Span,
  SpanContext,
  SpanOptions,
  SpanStatus,
  TimeInput,
  Tracer,
} from "@opentelemetry/api";
import { exceptionAttributes } from "../exceptions.ts";
import { RANDOM, SAMPLED } from "../traceparent.ts";
import type { Message } from "./protobuf.ts";
import type { Sampler } from "./settings.ts";
import { attributesOf, MAX_COUNT, monotonic, nanosOf, now, randomId } from "./values.ts";

const { context, INVALID_SPAN_CONTEXT, isSpanContextValid, SpanKind, SpanStatusCode, trace } = api;

/** Set by exporters around their own requests. */
export const suppressed: symbol = Symbol.for("OpenTelemetry SDK Context Key SUPPRESS_TRACING");

/** Receives the message of an ended span. Never throws. */
export type SpanSink = (make: () => Message) => void;

/** Makes spans. Without a sink it makes none, and leaves a trace as it is. */
export class OtlpTracer implements Tracer {
  readonly #sampler: Sampler;
  readonly #sink: SpanSink | undefined;

  constructor(sampler: Sampler, sink: SpanSink | undefined) {
    this.#sampler = sampler;
    this.#sink = sink;
  }

  startSpan(name: string, options: SpanOptions = {}, active: Context = context.active()): Span {
    const given = options.root === true ? undefined : trace.getSpanContext(active);
    const parent = given !== undefined && isSpanContextValid(given) ? given : undefined;
    if (this.#sink === undefined || active.getValue(suppressed) === true)
      return trace.wrapSpanContext(parent ?? INVALID_SPAN_CONTEXT);
    const traceId = parent?.traceId ?? randomId(16);
    const isParentSampled = parent === undefined ? undefined : (parent.traceFlags & SAMPLED) !== 0;
    const isSampled = this.#sampler(traceId, isParentSampled);
    const random = parent === undefined ? RANDOM : parent.traceFlags & RANDOM;
    const spanContext: SpanContext = {
      traceId,
      spanId: randomId(8),
      traceFlags: random | (isSampled ? SAMPLED : 0),
      ...(parent?.traceState === undefined ? {} : { traceState: parent.traceState }),
    };
    if (!isSampled) return trace.wrapSpanContext(spanContext);
    return new OtlpSpan(name, options, { spanContext, parent, sink: this.#sink });
  }

  startActiveSpan<F extends (span: Span) => unknown>(name: string, ...rest: readonly unknown[]): ReturnType<F> {
    const run = rest.at(-1) as F;
    const [options, given] = rest.slice(0, -1) as [SpanOptions?, Context?];
    const active = given ?? context.active();
    const span = this.startSpan(name, options, active);
    return context.with(trace.setSpan(active, span), () => run(span) as ReturnType<F>);
  }
}

interface SpanPlace {
  readonly spanContext: SpanContext;
  readonly parent: SpanContext | undefined;
  readonly sink: SpanSink;
}

/** The number of a kind in OTLP, which has one more at its beginning. */
const kindOf = (kind: number | undefined): number => (kind ?? SpanKind.INTERNAL) + 1;
/** Bits of `flags`: is it known whether the parent is remote, and is it? */
const HAS_REMOTE = 0x100;
const IS_REMOTE = 0x200;

class OtlpSpan implements Span {
  readonly #place: SpanPlace;
  readonly #startMs: number;
  readonly kind: number;
  readonly attributes: Record<string, AttributeValue> = Object.create(null) as Record<string, AttributeValue>;
  readonly #events: Message[] = [];
  readonly #links: Message[] = [];
  readonly #dropped = { attributes: 0, events: 0, links: 0 };
  #attributeCount = 0;
  #name: string;
  #status: SpanStatus = { code: SpanStatusCode.UNSET };
  #isEnded = false;

  constructor(name: string, { kind, attributes, links, startTime }: SpanOptions, place: SpanPlace) {
    this.#name = name;
    this.#place = place;
    this.kind = kind ?? SpanKind.INTERNAL;
    this.#startMs = monotonic(startTime);
    if (attributes !== undefined) this.setAttributes(attributes);
    if (links !== undefined) this.addLinks(links);
  }

  spanContext(): SpanContext {
    return this.#place.spanContext;
  }

  setAttribute(key: string, value: AttributeValue): this {
    if (this.#isEnded || key === "") return this;
    if (!Object.hasOwn(this.attributes, key)) {
      if (this.#attributeCount >= MAX_COUNT) {
        this.#dropped.attributes += 1;
        return this;
      }
      this.#attributeCount += 1;
    }
    this.attributes[key] = value;
    return this;
  }

  setAttributes(attributes: Attributes): this {
    for (const [key, value] of Object.entries(attributes)) if (value !== undefined) this.setAttribute(key, value);
    return this;
  }

  addEvent(name: string, attributesOrTime?: Attributes | TimeInput, time?: TimeInput): this {
    if (this.#isEnded) return this;
    const isTime =
      typeof attributesOrTime === "number" || attributesOrTime instanceof Date || Array.isArray(attributesOrTime);
    const attributes = isTime || attributesOrTime === undefined ? {} : attributesOrTime;
    const at = monotonic(isTime ? attributesOrTime : time);
    if (this.#events.length >= MAX_COUNT) this.#dropped.events += 1;
    else this.#events.push({ timeUnixNano: nanosOf(at), name, attributes: attributesOf(attributes) });
    return this;
  }

  addLink({ context: { traceId, spanId, traceFlags, traceState, isRemote }, attributes = {} }: Link): this {
    if (this.#isEnded) return this;
    if (this.#links.length >= MAX_COUNT) this.#dropped.links += 1;
    else
      this.#links.push({
        traceId,
        spanId,
        attributes: attributesOf(attributes),
        flags: (traceFlags & 0xff) | HAS_REMOTE | (isRemote === true ? IS_REMOTE : 0),
        ...(traceState === undefined ? {} : { traceState: traceState.serialize() }),
      });
    return this;
  }

  addLinks(links: readonly Link[]): this {
    for (const link of links) this.addLink(link);
    return this;
  }

  setStatus({ code, message }: SpanStatus): this {
    // OK is final, and UNSET is no status.
    if (this.#isEnded || code === SpanStatusCode.UNSET || this.#status.code === SpanStatusCode.OK) return this;
    this.#status = code === SpanStatusCode.ERROR && message !== undefined ? { code, message } : { code };
    return this;
  }

  updateName(name: string): this {
    if (!this.#isEnded) this.#name = name;
    return this;
  }

  recordException(exception: Exception, time?: TimeInput): void {
    const thrown = typeof exception === "string" ? { name: "Error", message: exception } : exception;
    this.addEvent("exception", exceptionAttributes(thrown), time);
  }

  isRecording(): boolean {
    return !this.#isEnded;
  }

  end(time?: TimeInput): void {
    if (this.#isEnded) return;
    const endMs = time === undefined ? now() : monotonic(time);
    this.#isEnded = true;
    this.#place.sink(() => this.#message(Math.max(this.#startMs, endMs)));
  }

  #message(endMs: number): Message {
    const { spanContext, parent } = this.#place;
    const { traceId, spanId, traceFlags, traceState } = spanContext;
    const { attributes, events, links } = this.#dropped;
    const { code, message } = this.#status;
    const isRemote = parent?.isRemote === true ? IS_REMOTE : 0;
    return {
      traceId,
      spanId,
      ...(traceState === undefined ? {} : { traceState: traceState.serialize() }),
      ...(parent === undefined ? {} : { parentSpanId: parent.spanId }),
      flags: (traceFlags & 0xff) | HAS_REMOTE | isRemote,
      name: this.#name,
      kind: kindOf(this.kind),
      startTimeUnixNano: nanosOf(this.#startMs),
      endTimeUnixNano: nanosOf(endMs),
      attributes: attributesOf(this.attributes),
      ...(attributes === 0 ? {} : { droppedAttributesCount: attributes }),
      ...(this.#events.length === 0 ? {} : { events: this.#events }),
      ...(events === 0 ? {} : { droppedEventsCount: events }),
      ...(this.#links.length === 0 ? {} : { links: this.#links }),
      ...(links === 0 ? {} : { droppedLinksCount: links }),
      status: { ...(message === undefined ? {} : { message }), ...(code === SpanStatusCode.UNSET ? {} : { code }) },
    };
  }
}
