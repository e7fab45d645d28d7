/** Configuration: argument, else environment, else default. A bad value throws a sentence and is never guessed. */
import type { CompileSchema } from "../contract/input.ts";
import type { CompileSerializer } from "../contract/shape.ts";
import type { JsonSchemaOf } from "../contract/json-schema.ts";
import type { ResponseChecks } from "../http/declared-responses.ts";
import type { ServerEngine } from "../http/exchange.ts";
import { type Logger, safeLogger, type SafeLogger } from "../internal/logger.ts";
import { unknownName } from "../internal/option-names.ts";
import { shown, usageError } from "../internal/usage-errors.ts";
import { trustOf, type Trust, type TrustedProxies } from "../http/trust.ts";

/** Limits of a request. Sizes in bytes. */
export interface Limits {
  readonly headerBytes: number;
  readonly headerCount: number;
  readonly urlBytes: number;
  readonly jsonDepth: number;
  readonly queryPairs: number;
}

/** Timeouts of the node engines, in milliseconds. */
export interface Timeouts {
  readonly headersMs: number;
  /** Time for a request to arrive whole. On every engine also for an asynchronous schema of a contract. */
  readonly requestMs: number;
  readonly idleMs: number;
  readonly checkMs: number;
  /**
   * How long the middleware and handler of a request may take, on every engine. Then its client gets 503. A stream that has
   * begun is exempt. Default 0, without a limit.
   */
  readonly handlerMs: number;
}

/** The options of `Framework.create`, all optional. */
export interface FrameworkOptions {
  /** 0 to 65535, where 0 picks a free one. Default 8080, or `FRAMEWORK_PORT`. */
  readonly port?: number | undefined;
  /** The interface to listen on, by default every interface. `FRAMEWORK_HOST`. */
  readonly host?: string | undefined;
  /** The path prefix of all routes, e.g. `/shop`. `FRAMEWORK_CONTEXT_PATH`. */
  readonly contextPath?: string | undefined;
  /** Makes `/a` and `/a/` two paths. */
  readonly strictSlash?: boolean | undefined;
  /**
   * The trusted proxies and the header that they write: `{ header: "x-forwarded", hops: 1 }`, which is the meaning of `true`,
   * or `{ header: "forwarded", from: ["loopback", "10.0.0.0/8"] }`. The other header is never read.
   */
  readonly trustProxy?: boolean | TrustedProxies | undefined;
  /** Default 1 MiB. `FRAMEWORK_MAX_BODY_BYTES`. */
  readonly maxBodyBytes?: number | undefined;
  /** How long `stop` waits for requests in flight. Default 10,000. `FRAMEWORK_SHUTDOWN_GRACE_MS`. */
  readonly shutdownGraceMs?: number | undefined;
  /** Default `NodeHttpEngine`. */
  readonly engine?: ServerEngine | undefined;
  /** Makes validators of the JSON Schemas in contracts: TypeBox's `Compile`, or a few lines around Ajv. */
  readonly compileSchema?: CompileSchema | undefined;
  /**
   * Makes serializers for the JSON responses of contracts, which is faster than running their schemas: `fast-json-stringify`.
   * A serializer leaves out unnamed members and adds defaults. It does not run transforms, and checks little.
   */
  readonly compileSerializer?: CompileSerializer | undefined;
  /**
   * Converts schemas in contracts without their own JSON Schema, e.g. `toJsonSchema` of `@valibot/to-json-schema`. Used for
   * documents, response checks and the parsing of lists. Default: that of an `OpenApiMiddleware` of the app.
   */
  readonly jsonSchemaOf?: JsonSchemaOf | undefined;
  /**
   * What happens to the responses of routes that declare them. `shape`, the default, sends a value as its schema returns it,
   * without unknown members, and 500 when the schema rejects it. `warn` sends it unchanged and logs one line for each route
   * that breaks its contract, `enforce` sends 500 for that. `off` checks nothing. `FRAMEWORK_RESPONSE_CHECKS`.
   */
  readonly responseChecks?: ResponseChecks | undefined;
  /** Receives the app's warnings, unexpected errors and the lines of `ctx.log`. Default: the console. */
  readonly logger?: Partial<Logger> | undefined;
  readonly limits?: Partial<Limits> | undefined;
  readonly timeouts?: Partial<Timeouts> | undefined;
}

/** Options with every gap filled. */
export interface Config {
  readonly port: number;
  readonly host: string | undefined;
  readonly contextPath: string;
  readonly strictSlash: boolean;
  readonly trustProxy: false | Trust;
  readonly maxBodyBytes: number;
  readonly shutdownGraceMs: number;
  readonly engine: ServerEngine | undefined;
  readonly compileSchema: CompileSchema | undefined;
  readonly compileSerializer: CompileSerializer | undefined;
  readonly jsonSchemaOf: JsonSchemaOf | undefined;
  readonly responseChecks: ResponseChecks;
  readonly logger: SafeLogger;
  readonly limits: Limits;
  readonly timeouts: Timeouts;
}

const defaultLimits: Limits = {
  headerBytes: 16_384,
  headerCount: 100,
  urlBytes: 8_192,
  jsonDepth: 64,
  queryPairs: 1_000,
};
const defaultTimeouts: Timeouts = {
  headersMs: 15_000,
  requestMs: 60_000,
  idleMs: 120_000,
  checkMs: 5_000,
  handlerMs: 0,
};

const environment = (): Readonly<Record<string, string | undefined>> => globalThis.process?.env ?? {};

/** @throws TypeError naming the setting, its value and the allowed values. */
export function configOf(
  options: FrameworkOptions,
  env: Readonly<Record<string, string | undefined>> = environment(),
): Config {
  const whole = (name: "port" | "maxBodyBytes" | "shutdownGraceMs", variable: string, fallback: number): number => {
    const { [name]: given = fallback } = options;
    const text = env[variable] ?? "";
    const max = name === "port" ? maxPort : longest;
    if (options[name] !== undefined || text.trim() === "") return bounded(name, given, max);
    return bounded(name, digits(text), max, 0, `${shown(text)} (from ${variable})`);
  };
  const config: Config = {
    port: whole("port", "FRAMEWORK_PORT", 8080),
    host: hostOf(options.host, env["FRAMEWORK_HOST"]),
    contextPath: contextPathOf(options.contextPath, env["FRAMEWORK_CONTEXT_PATH"]),
    strictSlash: flag("strictSlash", options.strictSlash),
    trustProxy: trustOf(options.trustProxy),
    maxBodyBytes: whole("maxBodyBytes", "FRAMEWORK_MAX_BODY_BYTES", 1_048_576),
    shutdownGraceMs: whole("shutdownGraceMs", "FRAMEWORK_SHUTDOWN_GRACE_MS", 10_000),
    ...called(options),
    responseChecks: checksOf(options.responseChecks, env["FRAMEWORK_RESPONSE_CHECKS"]),
    logger: safeLogger(options.logger),
    limits: each("limits", options.limits, defaultLimits),
    timeouts: each("timeouts", options.timeouts, defaultTimeouts),
  };
  const names = Object.keys(config);
  // For options kept in JSON: `$schema` is the key that points an editor to their schema.
  const odd = unknownName(options, [...names, "$schema"]);
  if (odd !== undefined) throw invalid(`${odd} is no setting of Framework.create: ${names.join(", ")} are`);
  return config;
}

const maxPort = 65_535;
const longest = 2 ** 31 - 1;

/** @throws TypeError, which shows the value as `set`, unless it is an integer from `min` to `max`. */
function bounded(name: string, value: unknown, max: number, min = 0, set: string = shown(value)): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max) return value;
  throw invalid(`${name} is ${set}: a whole number from ${min} to ${max} is allowed`);
}

/** Integers with a default each. 0 is allowed if it is the default. @throws TypeError as `configOf`. */
function each<T extends object>(group: string, given: Partial<T> | undefined, defaults: T): T {
  const names = Object.keys(defaults);
  const odd = unknownName(given ?? {}, names);
  if (odd !== undefined) throw invalid(`${group}.${odd} is no setting: ${names.join(", ")} are`);
  const filled = Object.entries(defaults).map(([key, fallback]: [string, number]) => {
    const { [key]: value = fallback } = (given ?? {}) as Record<string, unknown>;
    return [key, bounded(`${group}.${key}`, value, longest, Math.min(1, fallback))] as const;
  });
  return Object.fromEntries(filled) as T;
}

/** Functions that the app calls. @throws TypeError when one of them is not a function. */
function called({
  engine,
  compileSchema,
  compileSerializer,
  jsonSchemaOf,
  logger,
}: FrameworkOptions): Pick<Config, "engine" | "compileSchema" | "compileSerializer" | "jsonSchemaOf"> {
  const check = (name: string, given: unknown, isRight: boolean, allowed: string): void => {
    if (given !== undefined && !isRight) throw invalid(`${name} is ${shown(given)}: ${allowed} is allowed`);
  };
  check("engine", engine, typeof engine?.start === "function", "an engine such as new NodeHttp2Engine()");
  check("compileSchema", compileSchema, typeof compileSchema === "function", "a function");
  check("compileSerializer", compileSerializer, typeof compileSerializer === "function", "a function");
  check("jsonSchemaOf", jsonSchemaOf, typeof jsonSchemaOf === "function", "a function");
  check("logger", logger, Object(logger) === logger, "an object with warn and error");
  return { engine, compileSchema, compileSerializer, jsonSchemaOf };
}

/** The value of decimal digits, else NaN. No other notation is accepted. */
const digits = (text: string): number => (/^\s*\d+\s*$/.test(text) ? Number(text) : Number.NaN);

const invalid = (sentence: string): TypeError => usageError("CONFIG_INVALID", sentence);

/** A value, or the variable that it comes from when none was given. */
const told = (value: unknown, given: unknown, variable: string | undefined): string =>
  `${shown(value)}${given === undefined ? ` (from ${variable})` : ""}`;

/** The port given to `start(port)`. @throws TypeError when it is invalid. */
export const checkedPort = (port: number): number => bounded("port", port, maxPort);

function flag(name: string, given: unknown): boolean {
  if (given === undefined || typeof given === "boolean") return given ?? false;
  throw invalid(`${name} is ${shown(given)}: true or false is allowed`);
}

function checksOf(given: unknown, variable: string | undefined): ResponseChecks {
  const checks = given ?? (variable === "" || variable === undefined ? "shape" : variable);
  if (checks === "off" || checks === "shape" || checks === "warn" || checks === "enforce") return checks;
  const set = told(checks, given, "FRAMEWORK_RESPONSE_CHECKS");
  throw invalid(`responseChecks is ${set}: "shape", "warn", "enforce" or "off" is allowed`);
}

function hostOf(given: unknown, variable: string | undefined): string | undefined {
  const host = given ?? variable;
  if (host === undefined || host === "") return undefined;
  if (typeof host === "string" && !/[\s/]/.test(host)) return host;
  const set = told(host, given, "FRAMEWORK_HOST");
  throw invalid(`host is ${set}: a name or an address without a scheme is allowed`);
}

function contextPathOf(given: unknown, variable: string | undefined): string {
  const path = given ?? variable;
  if (path === undefined || path === "" || path === "/") return "/";
  const trimmed = typeof path === "string" ? path.replace(/\/$/, "") : "";
  if (/^(?:\/[A-Za-z0-9._~!$&'()+,;=:@-]+)+$/.test(trimmed) && !/\/\.{1,2}(?:\/|$)/.test(trimmed)) return trimmed;
  const set = told(path, given, "FRAMEWORK_CONTEXT_PATH");
  const escape = typeof path === "string" && path.includes("%") ? ", without a percent-escape" : "";
  throw invalid(`contextPath is ${set}: a literal path such as "/shop" is allowed${escape}`);
}
