/**
 * Tracing middleware: one SERVER span for every request, joined to the caller's trace.
 *
 *   headers ──▶ startSpan ──▶ next() with the span active ──▶ … ──▶ completion ──▶ end()
 *   a SERVER span is active ──▶ named ──▶ └─ spans made by the handler are its children
 *
 * The span ends exactly once, with the sent status. A 5xx, an unhandled exception and an abort are failures. An HttpError below
 * 500 is a response. A tracer that throws, at any place, is counted in `faults` and does not affect the request.
 *
 * Spec: spec/tracing.md, shape ServerSpan
 */
import * as api from "@opentelemetry/api";
import type { Context as OtelContext, Span, SpanOptions, Tracer } from "@opentelemetry/api";
import type { Completion, Context } from "../http/context.ts";
import { checkOptionNames } from "../internal/option-names.ts";
import { Faults } from "../metrics/faults.ts";
import { knownMethods } from "../metrics/labels.ts";
import type { Lifecycle, Middleware, Next } from "../middleware/types.ts";
import { Exceptions } from "./exceptions.ts";
import { activeServerSpan, incoming, take, tellRoute } from "./incoming.ts";
import { checkTracer, registeredTracer } from "./registered.ts";
import { spanName, startAttributes } from "./span-attributes.ts";
import { endSpan, type SpanListeners } from "./span-end.ts";
import { formatTraceparent } from "./traceparent.ts";
import { traceJob, traceSending } from "./job-spans.ts";
import { traceWork } from "./work-span.ts";

const { context, isSpanContextValid, ROOT_CONTEXT, SpanKind, trace } = api;

/** Options of {@link TracingMiddleware}. */
export interface TracingOptions {
  /** True for requests without a span. */
  readonly skip?: ((ctx: Context) => boolean) | undefined;
}

/** The span of a request, and the caller's flags that must be passed on. */
interface Traced {
  readonly span: Span;
  /** The route in its name. */
  readonly route: string | undefined;
  readonly randomFlag: number;
  /** Was it given the request's own start time? Then its end time is given, too. */
  readonly isLate: boolean;
  /** Is it a foreign span, which its owner ends? */
  readonly isAdopted: boolean;
}

/**
 * If a request has begun less than this number of milliseconds ago, its span begins now. The SDK's clock only has whole
 * milliseconds there, and an explicit time makes it read the clock more often.
 */
const unseenMs = 1;

/** The attribute of a request that holds its span. */
const spanOfRequest = Symbol("framework/opentelemetry: the span of a request");
const tracedOf = (ctx: Context): Traced | undefined => ctx.attribute(spanOfRequest) as Traced | undefined;

/**
 * Makes a span for every request, one for each piece of background work, and two for each job: where it is sent, and done.
 *
 * @example
 * ```ts
 * app.use(TracingMiddleware.fromServiceLoader());
 * app.use(new TracingMiddleware(provider.getTracer("shop")));
 * ```
 */
export class TracingMiddleware implements Middleware {
  readonly #tracer: Tracer;
  readonly #skip: ((ctx: Context) => boolean) | undefined;
  readonly #known: ReadonlySet<string> = knownMethods();
  readonly #faults = new Faults("TracingMiddleware: the tracer or skip");
  readonly #listeners: SpanListeners = { faults: this.#faults, exceptions: new Exceptions(this.#faults) };
  readonly #completed: (completion: Completion, ctx: Context) => void;

  /** @throws TypeError when `tracer` has no `startSpan`, and for an unknown option. */
  constructor(tracer: Tracer, options: TracingOptions = {}) {
    checkTracer("TracingMiddleware", tracer);
    checkOptionNames("TracingMiddleware", options, ["skip"]);
    this.#tracer = tracer;
    this.#skip = options.skip;
    this.#completed = (completion, ctx) => this.#end(completion, ctx);
  }

  /** A tracer of the globally registered provider. @throws Error when none is registered. */
  static fromServiceLoader(options: TracingOptions = {}): TracingMiddleware {
    return new TracingMiddleware(registeredTracer("TracingMiddleware"), options);
  }

  /** The number of times the tracer threw. */
  get faults(): number {
    return this.#faults.count;
  }

  installed(app: Lifecycle): void {
    this.#faults.tell(app);
    this.#listeners.exceptions.tell(app);
    const tracing = { ...this.#listeners, tracer: this.#tracer };
    app.wrapBackground((name, work, _origin, job) =>
      job === undefined ? traceWork({ ...tracing, name }, work) : traceJob(tracing, job, work),
    );
    app.wrapSending((sending, send) => traceSending(tracing, sending, send));
    if (hasContextManager()) return;
    app.warn(
      "TracingMiddleware: no OpenTelemetry context manager is registered, so spans made in handlers will not be " +
        "children of the request's span; call context.setGlobalContextManager(…)",
    );
  }

  handle(ctx: Context, next: Next): void | Promise<void> {
    if (this.#skip !== undefined && this.#faults.isTrue(this.#skip, ctx)) return next();
    if (tracedOf(ctx) !== undefined) return next();
    const active = this.#start(ctx);
    if (active === undefined) return next();
    ctx.onComplete(this.#completed);
    let entered = false;
    try {
      return context.with(active, () => {
        entered = true;
        return next();
      });
    } catch (error) {
      if (entered) throw error;
      this.#faults.note(error);
      return next();
    }
  }

  /** The context of the handler. Undefined when the tracer failed. */
  #start(ctx: Context): OtelContext | undefined {
    try {
      const { method, route } = ctx;
      const adopted = this.#adopt(ctx);
      if (adopted !== undefined) return adopted;
      const { parent, randomFlag } = incoming(ctx, this.#faults);
      const isLate = performance.now() - ctx.startedAt >= unseenMs;
      const options: SpanOptions = { kind: SpanKind.SERVER, attributes: startAttributes(ctx, this.#known) };
      if (isLate) options.startTime = ctx.startedAt;
      const span = this.#tracer.startSpan(spanName(method, route, this.#known), options, parent);
      this.#faults.watch(span);
      take(span);
      ctx.attribute(spanOfRequest, { span, route, randomFlag, isLate, isAdopted: false } satisfies Traced);
      this.#expose(ctx, span);
      return trace.setSpan(parent, span);
    } catch (error) {
      this.#faults.note(error);
      return tracedOf(ctx) !== undefined ? ROOT_CONTEXT : undefined;
    }
  }

  /** The active context, if it already has a SERVER span of this request, which gets the route's name. */
  #adopt(ctx: Context): OtelContext | undefined {
    const span = activeServerSpan(ctx);
    if (span === undefined) return undefined;
    take(span);
    const { method, route } = ctx;
    ctx.attribute(spanOfRequest, { span, route, randomFlag: 0, isLate: false, isAdopted: true } satisfies Traced);
    if (span.isRecording()) {
      this.#faults.watch(span.updateName(spanName(method, route, this.#known)));
      if (route !== undefined) this.#faults.watch(span.setAttribute("http.route", route));
    }
    if (route !== undefined) tellRoute(route);
    this.#expose(ctx, span);
    return context.active();
  }

  #expose(ctx: Context, span: Span): void {
    const spanContext = span.spanContext();
    this.#faults.watch(spanContext);
    if (!isSpanContextValid(spanContext)) return;
    ctx.attribute("traceId", spanContext.traceId);
    ctx.attribute("spanId", spanContext.spanId);
  }

  #end(completion: Completion, ctx: Context): void {
    const traced = tracedOf(ctx);
    if (traced === undefined) return;
    const { method, route } = ctx;
    const name = route === traced.route ? undefined : spanName(method, route, this.#known);
    const endTime = traced.isLate ? ctx.startedAt + completion.durationMs : undefined;
    const { span, isAdopted } = traced;
    endSpan(span, completion, { name, route, endTime, isAdopted }, this.#listeners);
  }
}

/**
 * The headers that continue this request's trace in an outgoing call: `traceparent`, and `tracestate` if there is one. Empty
 * when the request is not traced.
 *
 * @example
 * ```ts
 * await fetch(url, { headers: traceHeaders(ctx) });
 * ```
 */
export function traceHeaders(ctx: Context): Record<string, string> {
  try {
    const traced = tracedOf(ctx);
    if (traced === undefined) return {};
    const spanContext = traced.span.spanContext();
    unasked.watch(spanContext);
    if (!isSpanContextValid(spanContext)) return {};
    const { traceId, spanId, traceFlags, traceState } = spanContext;
    const traceparent = formatTraceparent({ traceId, parentId: spanId, flags: traceFlags | traced.randomFlag });
    const tracestate = traceState?.serialize() ?? "";
    return tracestate === "" ? { traceparent } : { traceparent, tracestate };
  } catch {
    return {};
  }
}

/** Handles rejections without a caller. */
const unasked = new Faults("traceHeaders");

function hasContextManager(): boolean {
  const key = Symbol("framework");
  return context.with(ROOT_CONTEXT.setValue(key, true), () => context.active().getValue(key) === true);
}
