/**
 * RequestLog: the object `ctx.log`. Made on first use.
 *
 *   line + fields ──▶ + requestId, traceId, spanId, as they are now ──▶ app.observe({ log }) ──▶ the app's logger
 *
 * The ids are read for each line, so a logger taken before `RequestIdMiddleware` has run carries them too. No field of a line
 * can replace them.
 *
 * Spec: spec/log.md
 */
import type { Log, LogEntry, LogFields, LogLevel, SafeLogger } from "../internal/logger.ts";
import { unharmed } from "../internal/watchers.ts";
import type { Context } from "./context.ts";

/**
 * Gets each line of `ctx.log` before it is written, for tools that watch. A returned function is called after the write. Errors
 * of either are ignored.
 */
export type LogListener = (entry: LogEntry, ctx: Context) => unknown;

/** The app, as a request's log needs it. */
export interface LogServices {
  readonly logger: SafeLogger;
  readonly onLog: readonly LogListener[];
}

const ids = ["requestId", "traceId", "spanId"] as const;
const noFields: LogFields = {};
const noOne: readonly unknown[] = [];

/** The log of one request. */
export class RequestLog implements Log {
  readonly #ctx: Context;
  readonly #services: LogServices;
  readonly #fields: LogFields;

  constructor(ctx: Context, services: LogServices, fields: LogFields = noFields) {
    this.#ctx = ctx;
    this.#services = services;
    this.#fields = fields;
  }

  debug(message: string, fields?: LogFields): void {
    this.#write("debug", message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#write("info", message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#write("warn", message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#write("error", message, fields);
  }

  child(fields: LogFields): Log {
    return new RequestLog(this.#ctx, this.#services, merged(this.#fields, fields));
  }

  #write(level: LogLevel, message: string, own: LogFields | undefined): void {
    const fields = merged(this.#fields, own);
    for (const name of ids) {
      const id = this.#ctx.attribute(name);
      if (id !== undefined) fields[name] = id;
    }
    const { logger, onLog } = this.#services;
    const written = onLog.length === 0 ? noOne : this.#tell({ level, message, fields });
    if (level === "error") {
      const { error, ...rest } = fields;
      logger.error(message, error, rest);
    } else logger[level](message, fields);
    for (const listener of written) if (typeof listener === "function") unharmed(() => listener() as unknown);
  }

  /** Calls the listeners for a line, and returns their functions for after the write. */
  #tell(entry: LogEntry): readonly unknown[] {
    return this.#services.onLog.map((listener) => unharmed(() => listener(entry, this.#ctx)));
  }
}

/** All fields in one object. Later ones win. Unreadable fields are left out. */
function merged(kept: LogFields, own: LogFields | undefined): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  if (kept !== noFields) add(fields, kept);
  if (own !== undefined) add(fields, own);
  return fields;
}

function add(fields: Record<string, unknown>, some: LogFields): void {
  try {
    Object.assign(fields, some);
  } catch {
    // An app's getter throws. The line matters more than that field.
  }
}
