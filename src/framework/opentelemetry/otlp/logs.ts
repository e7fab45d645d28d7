/**
 * Log records: the lines of the app's logger, and records of `@opentelemetry/api-logs`, in OTLP's JSON form.
 *
 *   ctx.log.info("paid", { order: 7, traceId, spanId }) ──▶ { body: "paid", severityNumber: 9, traceId, spanId, attributes: [order] }
 */
import * as api from "@opentelemetry/api";
import type { Context } from "@opentelemetry/api";
import type { LogFields, Logger, LogLevel } from "../../internal/logger.ts";
import { exceptionAttributes, severity } from "../exceptions.ts";
import type { Message } from "./protobuf.ts";
import { anyValue, attributesOf, monotonic, nanosOf, now } from "./values.ts";

const { context, isSpanContextValid, isValidSpanId, isValidTraceId, trace } = api;

/** The used part of a record of `@opentelemetry/api-logs`. */
export interface EmittedRecord {
  readonly eventName?: string | undefined;
  readonly timestamp?: api.TimeInput | undefined;
  readonly severityNumber?: number | undefined;
  readonly severityText?: string | undefined;
  readonly body?: unknown;
  readonly attributes?: object | undefined;
  readonly exception?: unknown;
  readonly context?: Context | undefined;
}

/** A record of a logger provider. */
export function recordOf({
  eventName,
  timestamp,
  severityNumber,
  severityText,
  body,
  ...rest
}: EmittedRecord): Message {
  const { attributes = {}, exception, context: given = context.active() } = rest;
  const ofException = exception instanceof Error ? exceptionAttributes(exception) : {};
  const span = trace.getSpanContext(given);
  return {
    timeUnixNano: nanosOf(monotonic(timestamp)),
    observedTimeUnixNano: nanosOf(now()),
    ...(severityNumber === undefined ? {} : { severityNumber }),
    ...(severityText === undefined ? {} : { severityText }),
    ...(body === undefined ? {} : { body: anyValue(body) }),
    attributes: attributesOf({ ...ofException, ...attributes }),
    ...(span === undefined || !isSpanContextValid(span)
      ? {}
      : { traceId: span.traceId, spanId: span.spanId, flags: span.traceFlags & 0xff }),
    ...(eventName === undefined ? {} : { eventName }),
  };
}

/** A line of a logger. The ids that `ctx.log` adds are the record's own. */
export function lineOf(level: LogLevel, body: string, error: unknown, fields: LogFields = {}): Message {
  const { traceId, spanId, error: field, ...others } = fields;
  const thrown = error ?? field;
  const ofError = thrown instanceof Error ? exceptionAttributes(thrown) : thrown === undefined ? {} : { error: thrown };
  const record = recordOf({
    severityNumber: severity[level],
    severityText: level.toUpperCase(),
    body,
    attributes: { ...others, ...ofError },
  });
  if (typeof traceId !== "string" || !isValidTraceId(traceId)) return record;
  const hasSpan = typeof spanId === "string" && isValidSpanId(spanId);
  const isSame = record["traceId"] === traceId;
  return { ...record, traceId, ...(hasSpan ? { spanId } : {}), ...(isSame ? {} : { flags: 0 }) };
}

/** A logger that passes each line from that level on to `sink`, and all of them to `next`. `sink` never throws. */
export function loggerTo(sink: (make: () => Message) => void, next: Required<Logger>, from: LogLevel): Logger {
  const emit = (level: LogLevel, ...line: readonly [string, unknown, LogFields | undefined]): void => {
    if (severity[level] >= severity[from]) sink(() => lineOf(level, ...line));
  };
  return {
    debug: (line, fields) => (emit("debug", line, undefined, fields), next.debug?.(line, fields)),
    info: (line, fields) => (emit("info", line, undefined, fields), next.info?.(line, fields)),
    warn: (line, fields) => (emit("warn", line, undefined, fields), next.warn(line, fields)),
    error: (line, error, fields) => (emit("error", line, error, fields), next.error(line, error, fields)),
  };
}
