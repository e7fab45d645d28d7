/**
 * Job spans: a PRODUCER span where a job is sent, and a CONSUMER span for each attempt, by the conventions for messaging.
 *
 *   request ── send send-invoice (PRODUCER) ──▶ its traceparent and tracestate are in the job ──▶ process send-invoice (CONSUMER)
 *
 * The trace goes on for as many attempts, processes and days as the job does.
 *
 * Spec: spec/tracing.md
 */
import * as api from "@opentelemetry/api";
import type { Attributes, Context as OtelContext } from "@opentelemetry/api";
import type { JobOrigin, JobSending } from "../http/job-origin.ts";
import { exceptionEvents } from "./exceptions.ts";
import { formatTraceparent, parseTraceparent, RANDOM } from "./traceparent.ts";
import { parseTracestate } from "./tracestate.ts";
import { spanAround, type WorkTracing } from "./work-span.ts";

const { context, isSpanContextValid, ROOT_CONTEXT, SpanKind, trace } = api;

type JobTracing = Omit<WorkTracing, "name">;

/** Sends a job inside its span. The job carries that span's trace. */
export function traceSending(tracing: JobTracing, sending: JobSending, send: () => unknown): unknown {
  const options = { kind: SpanKind.PRODUCER, attributes: attributesOf(sending, "send") };
  const named = { ...tracing, name: `send ${sending.name}`, event: exceptionEvents.send };
  return spanAround(named, options, context.active(), send, (span) => {
    const spanContext = span.spanContext();
    tracing.faults.watch(spanContext);
    if (!isSpanContextValid(spanContext)) return;
    const { traceId, spanId, traceFlags, traceState } = spanContext;
    sending.tracestate = traceState?.serialize();
    sending.traceparent = formatTraceparent({ traceId, parentId: spanId, flags: traceFlags });
  });
}

/** Runs an attempt inside its span. */
export function traceJob(tracing: JobTracing, job: JobOrigin, work: () => unknown): unknown {
  const options = { kind: SpanKind.CONSUMER, attributes: attributesOf(job, "process") };
  const named = { ...tracing, name: `process ${job.name}`, event: exceptionEvents.process };
  return spanAround(named, options, parentOf(job), work);
}

function parentOf({ traceparent, tracestate }: JobOrigin): OtelContext {
  const parsed = traceparent === undefined ? undefined : parseTraceparent(traceparent);
  if (parsed === undefined) return ROOT_CONTEXT;
  const { traceId, parentId: spanId, flags } = parsed;
  const traceState = tracestate === undefined ? undefined : parseTracestate(tracestate);
  const remote = { traceId, spanId, traceFlags: flags & ~RANDOM, isRemote: true };
  return trace.setSpanContext(ROOT_CONTEXT, traceState === undefined ? remote : { ...remote, traceState });
}

const attributesOf = ({ id, name, system }: JobSending, operation: "send" | "process"): Attributes => ({
  "messaging.system": system,
  "messaging.destination.name": name,
  "messaging.operation.name": operation,
  "messaging.operation.type": operation,
  "messaging.message.id": id,
});
