/**
 * Incoming: the context that a request's span continues.
 *
 *   a SERVER span of this request is active (instrumentation-http, Sentry …)  ──▶ that one is adopted
 *   a propagator is registered (W3C, B3, baggage …)                           ──▶ its extracted context is the parent
 *   neither                                                                   ──▶ our strict traceparent and tracestate
 *
 * Spec: spec/tracing.md
 */
import * as api from "@opentelemetry/api";
import type { Context as OtelContext, Span, TextMapGetter } from "@opentelemetry/api";
import type { Context } from "../http/context.ts";
import { originForm, pathOf } from "../http/target.ts";
import type { Faults } from "../metrics/faults.ts";
import { parseTraceparent, RANDOM } from "./traceparent.ts";
import { parseTracestate } from "./tracestate.ts";

const { context, isSpanContextValid, propagation, ROOT_CONTEXT, SpanKind, trace } = api;

/** The parent of a new span, and the caller's flags that must be passed on. */
export interface Incoming {
  readonly parent: OtelContext;
  readonly randomFlag: number;
}

/** The context in a request's headers, or the root of a new trace when they are missing or malformed. */
export function incoming(ctx: Context, faults: Faults): Incoming {
  const header = ctx.header("traceparent");
  const parsed = header === undefined ? undefined : parseTraceparent(header);
  const randomFlag = parsed === undefined ? 0 : parsed.flags & RANDOM;
  if (propagation.fields().length > 0) {
    try {
      return { parent: propagation.extract(ROOT_CONTEXT, ctx, getter), randomFlag };
    } catch (error) {
      faults.note(error);
    }
  }
  if (parsed === undefined) return { parent: ROOT_CONTEXT, randomFlag };
  const { traceId, parentId: spanId, flags } = parsed;
  const state = ctx.header("tracestate");
  const traceState = state === undefined ? undefined : parseTracestate(state);
  const remote = { traceId, spanId, traceFlags: flags & ~RANDOM, isRemote: true };
  const parent = trace.setSpanContext(ROOT_CONTEXT, traceState === undefined ? remote : { ...remote, traceState });
  return { parent, randomFlag };
}

const getter: TextMapGetter<Context> = {
  get: (ctx, name) => ctx.header(name),
  keys: (ctx) => [...ctx.requestHeaders()].map(([name]) => name.toLowerCase()),
};

/** The data of a span that the SDK shows and the API does not. */
interface ReadableSpan extends Span {
  readonly kind?: unknown;
  readonly attributes?: Readonly<Record<string, unknown>>;
}

/** Spans that were begun or adopted here. A request inside such a request is another one. */
const taken = new WeakSet<Span>();

/** From now on no other request adopts that span. */
export const take = (span: Span): unknown => taken.add(span);

/**
 * The active SERVER span that foreign code has begun for this very request, or undefined. An unsampled one has no data, and is
 * assumed to be it, because it only keeps others from sampling.
 */
export function activeServerSpan(ctx: Context): Span | undefined {
  const span: ReadableSpan | undefined = trace.getSpan(context.active());
  if (span === undefined || taken.has(span)) return undefined;
  const spanContext = span.spanContext();
  if (spanContext.isRemote === true || !isSpanContextValid(spanContext)) return undefined;
  if (!span.isRecording()) return span.kind === undefined || span.kind === SpanKind.SERVER ? span : undefined;
  return span.kind === SpanKind.SERVER && isOf(span, ctx) ? span : undefined;
}

/** Is that the span of this request, and not of one around it? By old conventions and new. */
function isOf({ attributes = {} }: ReadableSpan, ctx: Context): boolean {
  const method =
    attributes["http.request.method_original"] ?? attributes["http.request.method"] ?? attributes["http.method"];
  const target = attributes["url.path"] ?? attributes["http.target"];
  if (method !== undefined && method !== ctx.method) return false;
  // Inside a host the path lacks the part that the host has removed from its front.
  return typeof target !== "string" || barePath(target).endsWith(barePath(ctx.url));
}

const barePath = (target: string): string => originForm(pathOf(target.replace(/#.*$/s, "")));

/** The place where OpenTelemetry's own instrumentation looks for the route, for its metrics and the final name. */
const rpcMetadata = Symbol.for("OpenTelemetry SDK Context Key RPC_METADATA");

/** Passes the route of the active span to its owner. */
export function tellRoute(route: string): void {
  const metadata = context.active().getValue(rpcMetadata);
  if (typeof metadata === "object" && metadata !== null) Object.assign(metadata, { route });
}
