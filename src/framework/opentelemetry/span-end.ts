/**
 * Span end: writes how a request ended into its span, and ends it.
 *
 *   aborted            ──▶ ERROR, error.type "aborted"           (no status code when no head went out)
 *   5xx                ──▶ ERROR, error.type = the exception's name, else the status
 *   anything below 500 ──▶ status unset: a response from any source
 *
 * Each call of the tracer is guarded separately, so that `end()` is always reached.
 *
 * Spec: spec/tracing.md
 */
import * as api from "@opentelemetry/api";
import type { Span } from "@opentelemetry/api";
import type { Completion } from "../http/context.ts";
import type { Faults } from "../metrics/faults.ts";
import { CLIENT_CLOSED_REQUEST } from "../internal/http-rules.ts";
import { exceptionEvents, exceptionOf, type Exceptions } from "./exceptions.ts";

const { SpanStatusCode } = api;

/** Data that is only known at the end. */
export interface SpanEnd {
  /** The final name, if it has changed. */
  readonly name: string | undefined;
  readonly route: string | undefined;
  /** On the clock of `performance.now()`, or undefined for now. */
  readonly endTime: number | undefined;
  /** Will its owner end it? */
  readonly isAdopted: boolean;
}

/** Receives faults and exceptions. */
export interface SpanListeners {
  readonly faults: Faults;
  readonly exceptions: Exceptions;
}

/** Ends `span`. Never throws. */
export function endSpan(span: Span, completion: Completion, end: SpanEnd, { faults, exceptions }: SpanListeners): void {
  const { status, aborted, error } = completion;
  const { name, route, endTime, isAdopted } = end;
  const failure = errorType(completion);
  const event = aborted ? exceptionEvents.aborted : exceptionEvents.request;
  const isHeld = failure !== undefined && error !== undefined && exceptions.emit(span, error, event);
  // Its owner may have ended it before, and a call after the end only causes a warning.
  if (isAdopted && !guarded(span, faults, isOpen, undefined)) return;
  if (name !== undefined) {
    guarded(span, faults, rename, name);
    if (route !== undefined) guarded(span, faults, setRoute, route);
  }
  if (!(aborted && status === CLIENT_CLOSED_REQUEST)) guarded(span, faults, setStatusCode, status);
  if (failure !== undefined) {
    guarded(span, faults, fail, failure);
    guarded(span, faults, setErrorType, failure);
    if (isHeld) guarded(span, faults, recordException, error);
  }
  if (!isAdopted) guarded(span, faults, finish, endTime);
}

/** Every request takes two of these steps, so none is a closure. */
const rename = (span: Span, name: string): unknown => span.updateName(name);
const setRoute = (span: Span, route: string): unknown => span.setAttribute("http.route", route);
const setStatusCode = (span: Span, status: number): unknown => span.setAttribute("http.response.status_code", status);
const fail = (span: Span): unknown => span.setStatus({ code: SpanStatusCode.ERROR });
const setErrorType = (span: Span, type: string): unknown => span.setAttribute("error.type", type);
const recordException = (span: Span, error: unknown): unknown => span.recordException(exceptionOf(error));
const isOpen = (span: Span): unknown => span.isRecording();
const finish = (span: Span, endTime: number | undefined): unknown => span.end(endTime);

function guarded<T>(span: Span, faults: Faults, step: (span: Span, value: T) => unknown, value: T): unknown {
  try {
    const result = step(span, value);
    faults.watch(result);
    return result;
  } catch (error) {
    faults.note(error);
    return undefined;
  }
}

/** The kind of failure, or undefined when it was none. */
function errorType({ status, aborted, error }: Completion): string | undefined {
  if (aborted) return "aborted";
  if (status < 500) return undefined;
  return error instanceof Error && error.name !== "" ? error.name : String(status);
}
