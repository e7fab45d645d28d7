/**
 * Loggers: the targets of the app's own lines and those of `ctx.log`.
 *
 *   ctx.log.info("paid", { order: 7 }) ──▶ with the request's ids ──┐
 *   the framework's warnings and unexpected errors ─────────────────┴──▶ Logger: the console, pino, yours
 *
 * A logger that throws or rejects has no effect. On the console each call is one line. Control characters are escaped, and text
 * that looks like a field is quoted, so a client's data can fill a line but never forge one. In text an error follows as the
 * console shows it, with its stack on separate lines. In JSON it is in the line, with its cause and its errors.
 *
 * Spec: spec/log.md
 */
import { isError, loggedError, reasonOf } from "./logged-error.ts";
import { isThenable } from "./thenable.ts";
import { shown, usageError } from "./usage-errors.ts";

/** The importance of a line. */
export type LogLevel = "debug" | "info" | "warn" | "error";

/** The data of a line in addition to its message, by name. */
export type LogFields = Readonly<Record<string, unknown>>;

/** The target of lines. The app itself uses `warn` and `error`. The others come from `ctx.log` alone. */
export interface Logger {
  readonly debug?: ((line: string, fields?: LogFields) => void) | undefined;
  readonly info?: ((line: string, fields?: LogFields) => void) | undefined;
  warn(line: string, fields?: LogFields): void;
  error(line: string, error?: unknown, fields?: LogFields): void;
}

/** The type of `ctx.log`. Each line carries the ids of the request. An `Error` is put into the field `error`. */
export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** The same with these fields on every line. */
  child(fields: LogFields): Log;
}

/** A line of `ctx.log`, for tools that watch. */
export interface LogEntry {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
}

/** A logger with every level, none of which throws or rejects. */
export interface SafeLogger {
  debug(line: string, fields?: LogFields): void;
  info(line: string, fields?: LogFields): void;
  warn(line: string, fields?: LogFields): void;
  error(line: string, error?: unknown, fields?: LogFields): void;
}

/** The given logger, with the console's methods for missing ones, except `debug`. */
export function safeLogger(given: Partial<Logger> = {}): SafeLogger {
  const console = consoleLogger();
  /** A console prints an undefined argument, so none is passed at the end, and to the console itself none at all. */
  const tell = (level: LogLevel, line: string, ...rest: readonly unknown[]): unknown => {
    const last = rest.findLastIndex((one) => one !== undefined);
    const isKept = (one: unknown, at: number): boolean =>
      given === globalThis.console ? one !== undefined : at <= last;
    return Reflect.apply(given[level] ?? console[level], given, [line, ...rest.filter(isKept)]);
  };
  return {
    debug: (line, fields) => attempt(() => given.debug && tell("debug", line, fields)),
    info: (line, fields) => attempt(() => tell("info", line, fields)),
    warn: (line, fields) => attempt(() => tell("warn", line, fields)),
    error: (line, error, fields) => attempt(() => tell("error", line, error, fields)),
  };
}

/** A fault of the logger is not a fault of the app. */
function attempt(log: () => unknown): void {
  try {
    const result = log();
    if (isThenable(result)) result.then(undefined, () => undefined);
  } catch {
    // Where else could it be logged?
  }
}

/** The used part of pino: any logger with methods that take an object and a message. */
export interface PinoLike {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * Sends everything to a pino logger. An `Error` becomes its `err`.
 *
 * @example
 * ```ts skip="pino is the application's to install"
 * const app = Framework.create({ logger: pinoLogger(pino()) });
 * ```
 */
export function pinoLogger(pino: PinoLike): Logger {
  const named = ({ error, ...fields }: LogFields = {}): object =>
    error === undefined ? fields : { ...fields, err: error };
  return {
    debug: (line, fields) => pino.debug(named(fields), line),
    info: (line, fields) => pino.info(named(fields), line),
    warn: (line, fields) => pino.warn(named(fields), line),
    error: (line, error, fields) => pino.error(named({ error, ...fields }), line),
  };
}

/** Options of {@link consoleLogger}. */
export interface ConsoleLoggerOptions {
  /**
   * `text` by default: the message, as a JSON string if it holds a `=`, then `name=value`. `json` is one object for each line.
   */
  readonly format?: "text" | "json" | undefined;
  /** The lowest level that is written. Default `info`. */
  readonly level?: LogLevel | undefined;
}

const levels: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/**
 * Writes to the console. Warnings and errors go to standard error.
 *
 * @throws TypeError on an unknown level or format.
 */
export function consoleLogger({ format = "text", level = "info" }: ConsoleLoggerOptions = {}): SafeLogger {
  const least = levels.indexOf(level);
  if (least < 0)
    throw usageError("CONFIG_INVALID", `consoleLogger: level is ${shown(level)}; ${levels.join(", ")} are allowed`);
  if (format !== "text" && format !== "json")
    throw usageError("CONFIG_INVALID", `consoleLogger: format is ${shown(format)}; text, json are allowed`);
  const write = (at: LogLevel, line: string, fields?: LogFields, error?: unknown): void => {
    if (levels.indexOf(at) < least) return;
    if (format === "json") return console[at](jsonOf(at, line, fields, error));
    const text = textOf(line, fields);
    if (error === undefined) return console[at](text);
    try {
      // With a second argument the first is a format. The `%c` of `/caf%c3%a9` would swallow the error.
      console[at](...(text.includes("%") ? ["%s", text] : [text]), error);
    } catch {
      console[at](text, stringified(described(error))); // Reading the error throws.
    }
  };
  return {
    debug: (line, fields) => write("debug", line, fields),
    info: (line, fields) => write("info", line, fields),
    warn: (line, fields) => write("warn", line, fields),
    error: (line, error, fields) => write("error", line, fields, error),
  };
}

function textOf(line: string, fields: LogFields = {}): string {
  const words = Object.entries(fields).map(([name, value]) => ` ${wordOf(name)}=${valueOf(value)}`);
  // After an unclosed quotation mark a reader would treat the rest as text.
  const isOdd = (words.length > 0 ? /[="]/ : /=/).test(line);
  return escaped((isOdd ? JSON.stringify(line) : line) + words.join(""));
}

/** A word as it is, anything else as a JSON string. */
const wordOf = (text: string): string => (/^[^\s"=]+$/.test(text) ? text : JSON.stringify(text));

function valueOf(value: unknown): string {
  if (isError(value)) return JSON.stringify(reasonOf(value));
  if (typeof value !== "object") return wordOf(String(value));
  const json = stringified(value) ?? "?";
  return /[\s=]/.test(json) ? JSON.stringify(json) : json;
}

/** Without characters that move the cursor, break the line or change the text direction (Unicode TR36 §2.5). */
const escaped = (text: string): string =>
  text.replace(
    // oxlint-disable-next-line no-control-regex -- they are what is looked for
    /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** A field without JSON only loses itself. */
function jsonOf(level: LogLevel, message: string, fields: LogFields | undefined, error: unknown): string {
  const reason = error === undefined ? {} : { error: stringified(error) === undefined ? described(error) : error };
  const line = { ...fields, time: new Date().toISOString(), level, message, ...reason };
  return escaped(
    stringified(line) ??
      `${stringified(Object.fromEntries(Object.entries(line).filter((field) => stringified(field[1]))))}`,
  );
}

/** A thrown value without its own JSON. */
const described = (thrown: unknown): unknown =>
  typeof thrown === "object" && thrown !== null ? loggedError(thrown) : shown(thrown);

/** The value as JSON, errors with their stacks and causes. Undefined when it has none. */
function stringified(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, function jsonValue(this: object, key: string, item: unknown) {
      const own: unknown = Reflect.get(this, key); // An error's `toJSON` may reveal more, or less.
      if (isError(own)) return loggedError(own);
      return typeof item === "bigint" ? String(item) : item;
    });
  } catch {
    return undefined; // it is circular, or its getter throws
  }
}
