/**
 * Work spans: an INTERNAL span for each piece of work outside a request.
 *
 *   app.background, a WebSocket's event ──▶ span, the root of a separate trace ──▶ work ──▶ end()
 *                                            └─ begun within a traced request: linked to its span
 *
 * The result and errors of the work are unchanged. A tracer that throws is counted in `faults`.
 *
 * Spec: spec/tracing.md
 */
import * as api from "@opentelemetry/api";
import type { Context as OtelContext, Link, Span, SpanOptions, Tracer } from "@opentelemetry/api";
import { ignore, isThenable } from "../internal/thenable.ts";
import type { Faults } from "../metrics/faults.ts";
import { exceptionEvents, exceptionOf, type ExceptionEvent } from "./exceptions.ts";
import type { SpanListeners } from "./span-end.ts";

const { context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = api;

/** The tracer, and the name of the work. */
export interface WorkTracing extends SpanListeners {
  readonly tracer: Tracer;
  readonly name: string;
  /** The log record of its exception. That of work by default. */
  readonly event?: ExceptionEvent | undefined;
}

/** Runs the work with its span active. */
export function traceWork(tracing: WorkTracing, work: () => unknown): unknown {
  const around = trace.getSpanContext(context.active());
  const links: Link[] = around === undefined ? [] : [{ context: around }];
  return spanAround(tracing, { kind: SpanKind.INTERNAL, links }, ROOT_CONTEXT, work);
}

/** Runs the work with a new span active, which gets its error and ends after it. `begun` is called with the span before. */
export function spanAround(
  tracing: WorkTracing,
  options: SpanOptions,
  parent: OtelContext,
  work: () => unknown,
  begun: (span: Span) => void = ignore,
): unknown {
  const span = beginSpan(tracing, options, parent, begun);
  if (span === undefined) return work();
  const ended = (...failed: Failed): void => end(span, tracing, ...failed);
  return runInside(trace.setSpan(parent, span), work, { isPending: isThenable, ended, faults: tracing.faults });
}

/** Nothing, or the thrown error. */
type Failed = readonly [error?: unknown];

/** The span around some code. */
interface Surrounding {
  /** Must its end wait for that result? */
  isPending(result: unknown): result is PromiseLike<unknown>;
  /** Called once. Must not throw. */
  ended(...failed: Failed): void;
  readonly faults: Faults;
}

/** Runs code once with the context active, also if the context manager fails. Returns or throws its outcome. */
export function runInside(active: OtelContext, run: () => unknown, surrounding: Surrounding): unknown {
  const { isPending, ended, faults } = surrounding;
  let entered = false;
  let result: unknown;
  try {
    result = context.with(active, () => {
      entered = true;
      return run();
    });
  } catch (error) {
    if (!entered) faults.note(error);
    ended(error);
    if (entered) throw error;
    return run();
  }
  if (!isPending(result)) {
    ended();
    return result;
  }
  return result.then(
    (value: unknown) => {
      ended();
      return value;
    },
    (error: unknown) => {
      ended(error);
      throw error;
    },
  );
}

/** Begins a span. Undefined if the tracer throws. */
export function beginSpan(
  { tracer, faults, name }: Pick<WorkTracing, "tracer" | "faults" | "name">,
  options: SpanOptions,
  parent: OtelContext,
  begun: (span: Span) => void = ignore,
): Span | undefined {
  try {
    const span = tracer.startSpan(name, options, parent);
    faults.watch(span);
    begun(span);
    return span;
  } catch (error) {
    faults.note(error);
    return undefined;
  }
}

/** @param failed the thrown error, if the work failed */
function end(span: Span, { faults, exceptions, event = exceptionEvents.work }: WorkTracing, ...failed: Failed): void {
  const [error] = failed;
  const isHeld = failed.length > 0 && exceptions.emit(span, error, event);
  takeSteps(faults, [
    ...(failed.length === 0
      ? []
      : [() => span.setStatus({ code: SpanStatusCode.ERROR }), () => span.setAttribute("error.type", typeOf(error))]),
    ...(isHeld ? [() => span.recordException(exceptionOf(error))] : []),
    () => span.end(),
  ]);
}

/** The value of `error.type`. */
export const typeOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error);

/** Takes every step, also after one that throws. */
export function takeSteps(faults: Faults, steps: readonly (() => unknown)[]): void {
  for (const step of steps) {
    try {
      faults.watch(step());
    } catch (fault) {
      faults.note(fault);
    }
  }
}
