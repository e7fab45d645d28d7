/** Shapes of spec/mistakes.md: what `Framework.create` takes of JSON, and the environment that it reads. */
import { Type, type TInteger, type TString } from "typebox";

const MAX = 2 ** 31 - 1;

const bounded = (value: number, description: string): TInteger =>
  Type.Integer({ minimum: 1, maximum: MAX, default: value, description });
/** Digits of a number up to `max`: shorter ones, then those that fall below it at their first, second … digit. */
function wholeNumber(max: number): string {
  const digits = Array.from(String(max));
  const below = digits.flatMap((digit, at) => {
    const lowest = at === 0 ? 1 : 0;
    if (Number(digit) <= lowest) return [];
    const rest = digits.length - at - 1;
    return [`${digits.slice(0, at).join("")}[${lowest}-${Number(digit) - 1}]${rest === 0 ? "" : `\\d{${rest}}`}`];
  });
  return `^\\s*(?:0*(?:\\d{1,${digits.length - 1}}|${below.join("|")}|${max}))?\\s*$`;
}

const variable = (option: string, pattern: string): TString =>
  Type.String({ pattern, description: `Stands in for the option ${option}` });
const host = "^[^\\s/]*$";
const contextPath = "^(?:|/|(?:/(?!\\.{1,2}(?:/|$))[A-Za-z0-9._~!$&'()+,;=:@-]+)+/?)$";

const Limits = Type.Partial(
  Type.Object({
    headerBytes: bounded(16_384, "Bytes of all header fields together; more is 431"),
    headerCount: bounded(100, "How many header fields; more is 431"),
    urlBytes: bounded(8_192, "Bytes of the request target; more is 414"),
    jsonDepth: bounded(64, "How deep a JSON body may be nested; deeper is 400"),
    queryPairs: bounded(1_000, "How many query parameters; more is 400"),
  }),
  { additionalProperties: false },
);

const Timeouts = Type.Partial(
  Type.Object({
    headersMs: bounded(15_000, "Milliseconds until the header is whole; later is 408"),
    requestMs: bounded(60_000, "Milliseconds until the request is whole; later is 408"),
    idleMs: bounded(120_000, "Milliseconds that a connection without a request stays open"),
    checkMs: bounded(5_000, "Milliseconds between two looks at the timeouts"),
  }),
  { additionalProperties: false },
);

/** The options of `Framework.create` that JSON can hold; the logger and the engine are code. */
export const Config = Type.Partial(
  Type.Object({
    $schema: Type.String({ description: "Where an editor finds this schema; ignored" }),
    port: Type.Integer({ minimum: 0, maximum: 65_535, default: 8080, description: "0 picks a free one" }),
    host: Type.String({
      pattern: host,
      description: "The interface to listen on, without a scheme; every one unless told",
    }),
    contextPath: Type.String({ pattern: contextPath, default: "/", description: "The path that all routes lie under" }),
    strictSlash: Type.Boolean({ default: false, description: "Makes /a and /a/ two paths" }),
    trustProxy: Type.Boolean({ default: false, description: "Believes the proxy headers of the nearest proxy" }),
    maxBodyBytes: Type.Integer({ minimum: 0, maximum: MAX, default: 1_048_576, description: "A larger body is 413" }),
    shutdownGraceMs: Type.Integer({
      minimum: 0,
      maximum: MAX,
      default: 10_000,
      description: "How many milliseconds stop() waits for requests in flight",
    }),
    limits: Limits,
    timeouts: Timeouts,
  }),
  { $id: "config.schema", title: "Options of Framework.create", additionalProperties: false },
);

/** The variables that stand in for options that are not given. An empty one counts as not set. */
export const Environment = Type.Partial(
  Type.Object({
    FRAMEWORK_PORT: variable("port", wholeNumber(65_535)),
    FRAMEWORK_HOST: variable("host", host),
    FRAMEWORK_CONTEXT_PATH: variable("contextPath", contextPath),
    FRAMEWORK_MAX_BODY_BYTES: variable("maxBodyBytes", wholeNumber(MAX)),
    FRAMEWORK_SHUTDOWN_GRACE_MS: variable("shutdownGraceMs", wholeNumber(MAX)),
  }),
  { $id: "environment.schema", title: "Environment of Framework.create" },
);
