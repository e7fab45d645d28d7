/**
 * Exceptions: the signal for thrown errors, by OpenTelemetry's migration from span events to logs.
 *
 *   OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN   unset      an event of the span
 *                                          logs       a log record
 *                                          logs/dup   both
 *
 * A log record goes to the globally registered logger provider. Without one the span carries the exception, so that none is
 * lost.
 *
 * Spec: spec/tracing.md
 */
import * as api from "@opentelemetry/api";
import type { Attributes, Context, Exception, Span } from "@opentelemetry/api";
import type { LogLevel } from "../internal/logger.ts";
import { describeError, type Faults } from "../metrics/faults.ts";

const { ROOT_CONTEXT, trace } = api;

/** The used part of `@opentelemetry/api-logs`, which is not a peer. */
interface Logger {
  emit(record: { eventName: string; severityNumber: number; attributes: Attributes; context: Context }): unknown;
}
interface LoggerProvider {
  getLogger(name: string): Logger;
}

/** The key under which every copy of `@opentelemetry/api-logs` finds the registered provider, and the version that it expects. */
export const logsApi: symbol = Symbol.for("io.opentelemetry.js.api.logs");
const logsVersion = 1;

const variable = "OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN";

/** The kind of a log record. */
export interface ExceptionEvent {
  readonly eventName: string;
  readonly severityNumber: number;
}

/** The numbers of OpenTelemetry's log data model. */
export const severity: Readonly<Record<LogLevel, number>> = { debug: 5, info: 9, warn: 13, error: 17 };

/** The records of the conventions for exceptions, HTTP and messaging. */
export const exceptionEvents: Readonly<Record<"request" | "aborted" | "work" | "send" | "process", ExceptionEvent>> = {
  request: { eventName: "http.server.request.exception", severityNumber: severity.error },
  /** What code throws because its client has left is no problem of the server. */
  aborted: { eventName: "http.server.request.exception", severityNumber: severity.debug },
  work: { eventName: "exception", severityNumber: severity.error },
  /** The caller may handle it. */
  send: { eventName: "messaging.send.exception", severityNumber: severity.warn },
  process: { eventName: "messaging.process.exception", severityNumber: severity.error },
};

/** Reports exceptions. */
export class Exceptions {
  readonly #optIn: string;
  readonly #faults: Faults;

  constructor(faults: Faults) {
    const host: typeof globalThis.process | undefined = globalThis.process;
    this.#optIn = host?.env?.[variable]?.trim() ?? "";
    this.#faults = faults;
  }

  /** Warns about environment settings without effect. */
  tell(app: { warn(line: string): void }): void {
    const stays = "exceptions stay on spans";
    if (!["", "logs", "logs/dup"].includes(this.#optIn))
      app.warn(`${variable} is ${JSON.stringify(this.#optIn)}: logs and logs/dup are allowed; ${stays}`);
    else if (this.#optIn !== "" && registered() === undefined)
      app.warn(`${variable} is ignored: no OpenTelemetry logger provider is registered; ${stays}`);
  }

  /** Emits the log record if one is configured. Returns whether the span has to carry the exception. Never throws. */
  emit(span: Span, error: unknown, event: ExceptionEvent): boolean {
    if (this.#optIn !== "logs" && this.#optIn !== "logs/dup") return true;
    try {
      const provider = registered();
      if (provider === undefined) return true;
      const attributes = exceptionAttributes(exceptionOf(error));
      const record = { ...event, attributes, context: trace.setSpan(ROOT_CONTEXT, span) };
      this.#faults.watch(provider.getLogger("framework").emit(record));
      return this.#optIn === "logs/dup";
    } catch (fault) {
      this.#faults.note(fault);
      return true;
    }
  }
}

function registered(): LoggerProvider | undefined {
  const get: unknown = Reflect.get(globalThis, logsApi);
  return typeof get === "function" ? (get(logsVersion) as LoggerProvider) : undefined;
}

/** The attributes of an exception, by the conventions. */
export const exceptionAttributes = ({ name, message, stack }: ThrownException): Attributes => ({
  "exception.type": name,
  "exception.message": message,
  ...(stack === undefined ? {} : { "exception.stacktrace": stack }),
});

type ThrownException = Exclude<Exception, string>;

/** Any thrown value, with a type and a message. */
export function exceptionOf(error: unknown): ThrownException & { name: string; message: string } {
  return error instanceof Error ? error : { name: typeof error, message: describeError(error) };
}
