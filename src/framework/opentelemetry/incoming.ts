/**
 * Incoming: what a request's span continues.
 *
 *   a SERVER span of this request is active (instrumentation-http, Sentry …)  ──▶ that one is adopted
 *   a propagator is registered (W3C, B3, baggage …)                           ──▶ what it extracts is the parent
 *   neither                                                                   ──▶ our strict traceparent and tracestate
 *
 * Spec: spec/tracing.md
 */
import type { Context as OtelContext, Span, TextMapGetter } from "@opentelemetry/api";
import type { Context } from "../http/context.ts";
import { originForm, pathOf } from "../http/target.ts";
import type { Faults } from "../metrics/faults.ts";
import { parseTraceparent, RANDOM } from "./traceparent.ts";
import { parseTracestate } from "./tracestate.ts";
import { api } from "./peer.ts";

const { context, isSpanContextValid, propagation, ROOT_CONTEXT, SpanKind, trace } = api;

/** The parent of a span that is begun, and what of the caller's flags must be passed on. */
export interface Incoming {
  readonly parent: OtelContext;
  readonly randomFlag: number;
}

/** What the headers of a request continue; the root of a new trace when they are silent or malformed. */
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

/** What of a span the SDK shows; the API does not. */
interface ReadableSpan extends Span {
  readonly kind?: unknown;
  readonly attributes?: Readonly<Record<string, unknown>>;
}

/** Spans that were begun or adopted here: a request inside such a request is another one. */
const taken = new WeakSet<Span>();

/** From now on no other request adopts that span. */
export const take = (span: Span): unknown => taken.add(span);

/**
 * The SERVER span that somebody else has begun for this very request and made active; undefined when there is none. One
 * that is not sampled tells nothing of itself, and is taken for it: all that it does is to keep others from sampling.
 */
export function activeServerSpan(ctx: Context): Span | undefined {
  const span: ReadableSpan | undefined = trace.getSpan(context.active());
  if (span === undefined || taken.has(span)) return undefined;
  const spanContext = span.spanContext();
  if (spanContext.isRemote === true || !isSpanContextValid(spanContext)) return undefined;
  if (!span.isRecording()) return span.kind === undefined || span.kind === SpanKind.SERVER ? span : undefined;
  return span.kind === SpanKind.SERVER && isOf(span, ctx) ? span : undefined;
}

/** Is that the span of this request, and not of one inside of which this one is made? By old conventions and new. */
function isOf({ attributes = {} }: ReadableSpan, ctx: Context): boolean {
  const method =
    attributes["http.request.method_original"] ?? attributes["http.request.method"] ?? attributes["http.method"];
  const target = attributes["url.path"] ?? attributes["http.target"];
  if (method !== undefined && method !== ctx.method) return false;
  // Inside a host the path has lost what the host has taken from its front.
  return typeof target !== "string" || barePath(target).endsWith(barePath(ctx.url));
}

const barePath = (target: string): string => originForm(pathOf(target.replace(/#.*$/s, "")));

/** Where OpenTelemetry's own instrumentation looks for the route, for its metrics and the name it gives at the end. */
const rpcMetadata = Symbol.for("OpenTelemetry SDK Context Key RPC_METADATA");

/** Tells whoever has begun the active span which route it is of. */
export function tellRoute(route: string): void {
  const metadata = context.active().getValue(rpcMetadata);
  if (typeof metadata === "object" && metadata !== null) Object.assign(metadata, { route });
}
