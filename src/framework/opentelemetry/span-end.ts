/**
 * Span end: writes how a request ended into its span, and ends it.
 *
 *   aborted            ──▶ ERROR, error.type "aborted"           (no status code when no head went out)
 *   5xx                ──▶ ERROR, error.type = the exception's name, else the status
 *   anything below 500 ──▶ status unset: an answer, however it came about
 *
 * Each call into the tracer is guarded on its own, so that `end()` is reached whatever the others do.
 *
 * Spec: spec/tracing.md (SPAN-013 … SPAN-018)
 */
import { type Span, SpanStatusCode } from "@opentelemetry/api";
import type { Completion } from "../context.ts";
import { describeError, type Faults } from "../metrics/faults.ts";

/** What is only known at the end. */
export interface SpanEnd {
  /** The final name when it is not the first one any more. */
  readonly name: string | undefined;
  readonly route: string | undefined;
  /** On the clock of `performance.now()`. */
  readonly endTime: number;
}

/** The client left before the head was out. */
const CLIENT_CLOSED = 499;

/** Ends `span`. Never throws. */
export function endSpan(span: Span, completion: Completion, end: SpanEnd, faults: Faults): void {
  const guarded = (step: () => unknown): void => {
    try {
      faults.watch(step());
    } catch (error) {
      faults.note(error);
    }
  };
  const { status, aborted, error } = completion;
  const { name, route, endTime } = end;
  if (name !== undefined) {
    guarded(() => span.updateName(name));
    if (route !== undefined) guarded(() => span.setAttribute("http.route", route));
  }
  if (!(aborted && status === CLIENT_CLOSED)) guarded(() => span.setAttribute("http.response.status_code", status));
  const failure = errorType(completion);
  if (failure !== undefined) {
    guarded(() => span.setStatus({ code: SpanStatusCode.ERROR }));
    guarded(() => span.setAttribute("error.type", failure));
    if (error !== undefined) guarded(() => span.recordException(exception(error)));
  }
  guarded(() => span.end(endTime));
}

/** What kind of failure it was; undefined when it was none. */
function errorType({ status, aborted, error }: Completion): string | undefined {
  if (aborted) return "aborted";
  if (status < 500) return undefined;
  return error instanceof Error && error.name !== "" ? error.name : String(status);
}

function exception(error: unknown): Error | { name: string; message: string } {
  return error instanceof Error ? error : { name: typeof error, message: describeError(error) };
}
