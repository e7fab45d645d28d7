/**
 * Tracing decorator: an INTERNAL span for each call of a bean with an interface, if the request is sampled.
 *
 *   GET /orders/{id}                      SERVER, by TracingMiddleware
 *     └─ OrderService.find                INTERNAL
 *          └─ OrderRepository.byId        INTERNAL
 *               └─ SELECT …               of the driver's own instrumentation
 *
 * A span has the name of the bean and of the method, and never an argument or a result. It is an error if the call throws or
 * rejects, except for an HttpError below 500, which is a response. The exception itself is recorded once, by the request's span.
 *
 * Without an active sampled span there is none: not at the start of the app, and not in a request that the sampler dropped.
 *
 * Spec: spec/tracing.md
 */
import * as api from "@opentelemetry/api";
import type { Context as OtelContext, Span, Tracer } from "@opentelemetry/api";
import { observeCalls, type MethodCall } from "../beans/calls.ts";
import type { BeanDecorator, BeanInfo } from "../beans/types.ts";
import { HttpError } from "../internal/errors.ts";
import { isNativePromise } from "../internal/thenable.ts";
import { describeError, Faults } from "../metrics/faults.ts";
import { checkTracer, registeredTracer } from "./registered.ts";
import { beginSpan, runInside, takeSteps, typeOf } from "./work-span.ts";

const { context, SpanKind, SpanStatusCode, trace, TraceFlags } = api;

/**
 * Makes spans of bean calls.
 *
 * @example
 * ```ts
 * const beans = Beans.builder().bind(Orders, () => new SqlOrders()).instrument(new TracingDecorator(tracer)).start();
 * ```
 */
export class TracingDecorator implements BeanDecorator {
  /** A recorder of devtools leaves proxies alone, so it gets the bean itself. */
  readonly outermost = true;
  readonly #tracer: Tracer;
  readonly #faults = new Faults("TracingDecorator: the tracer");

  /** @throws TypeError when `tracer` has no `startSpan`. */
  constructor(tracer: Tracer) {
    checkTracer("TracingDecorator", tracer);
    this.#tracer = tracer;
  }

  /** With a tracer of the globally registered provider. @throws Error when none is registered. */
  static fromServiceLoader(): TracingDecorator {
    return new TracingDecorator(registeredTracer("TracingDecorator"));
  }

  /** The number of times the tracer threw. */
  get faults(): number {
    return this.#faults.count;
  }

  decorate<T extends object>(bean: T, { id, isInterface }: BeanInfo): T {
    if (!isInterface) return bean;
    return observeCalls<T, OtelContext>(bean, {
      where: () => this.#sampled(),
      call: (active, call) => this.#traced(active, `${id}.${call.name}`, call),
    });
  }

  /** The active context, if it has a sampled span. */
  #sampled(): OtelContext | undefined {
    try {
      const active = context.active();
      const span = trace.getSpan(active);
      if (span === undefined || (span.spanContext().traceFlags & TraceFlags.SAMPLED) === 0) return undefined;
      return active;
    } catch (error) {
      this.#faults.note(error);
      return undefined;
    }
  }

  #traced(parent: OtelContext, name: string, { method, self, args, bean, wrapper }: MethodCall): unknown {
    const run = (): unknown => Reflect.apply(method, self, args);
    const wrapped = (result: unknown): unknown => (result === bean ? wrapper : result);
    const options = { kind: SpanKind.INTERNAL, attributes: { "code.function.name": name } };
    const faults = this.#faults;
    const span = beginSpan({ tracer: this.#tracer, faults, name }, options, parent);
    if (span === undefined) return wrapped(run());
    const ended = (...failed: readonly [error?: unknown]): void => this.#end(span, failed);
    return wrapped(runInside(trace.setSpan(parent, span), run, { isPending: isNativePromise, ended, faults }));
  }

  #end(span: Span, failed: readonly [error?: unknown]): void {
    const [error] = failed;
    const isFailure = failed.length > 0 && !(error instanceof HttpError && error.status < 500);
    takeSteps(this.#faults, [
      ...(isFailure
        ? [
            () => span.setStatus({ code: SpanStatusCode.ERROR, message: describeError(error) }),
            () => span.setAttribute("error.type", typeOf(error)),
          ]
        : []),
      () => span.end(),
    ]);
  }
}
