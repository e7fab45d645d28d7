/** The options of `Framework.create` that JSON can express, and the environment variables that it reads. */
import { Type, type TInteger, type TString, type TUnion, type TLiteral } from "typebox";

const MAX = 2 ** 31 - 1;

const bounded = (value: number, description: string): TInteger =>
  Type.Integer({ minimum: Math.min(1, value), maximum: MAX, default: value, description });
/** The digits of a number up to `max`: fewer digits, or as many with a lower first, second … digit. */
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

/** Groups of IPv6, with `::` at every allowed position. */
function ipv6(): string {
  const group = "[0-9A-Fa-f]{1,4}";
  const groups = (least: number, most: number): string =>
    most === 0
      ? ""
      : `${least === 0 ? "(?:" : ""}${group}(?::${group}){${Math.max(0, least - 1)},${most - 1}}${least === 0 ? ")?" : ""}`;
  const shortened = Array.from({ length: 8 }, (_, left) => `${groups(left, left)}::${groups(0, 7 - left)}`);
  return [groups(8, 8), ...shortened].join("|");
}

const byte = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const proxies = [
  "loopback|private",
  `${byte}(?:\\.${byte}){3}(?:/(?:[1-9]|[12]\\d|3[0-2]))?`,
  `(?:${ipv6()})(?:/(?:[1-9]\\d?|1[01]\\d|12[0-8]))?`,
].join("|");

const header: TUnion<[TLiteral<"x-forwarded">, TLiteral<"forwarded">]> = Type.Union(
  [Type.Literal("x-forwarded"), Type.Literal("forwarded")],
  { description: "The header that the proxies write; the other is never read" },
);
const TrustProxy = Type.Union(
  [
    Type.Boolean({ description: "true: X-Forwarded-* of one proxy" }),
    Type.Object(
      {
        header,
        hops: Type.Optional(
          Type.Integer({ minimum: 1, maximum: 100, default: 1, description: "How many proxies stand in front" }),
        ),
      },
      { additionalProperties: false },
    ),
    Type.Object(
      {
        header,
        from: Type.Array(Type.String({ pattern: `^(?:${proxies})$` }), {
          minItems: 1,
          description: "The proxies' addresses: loopback, private, an address, or a range such as 10.0.0.0/8",
        }),
      },
      { additionalProperties: false },
    ),
  ],
  { default: false, description: "Which proxies are believed when they say who the client is" },
);

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
    handlerMs: bounded(0, "Milliseconds that a handler and its middleware may take; later is 503, 0 is no limit"),
  }),
  { additionalProperties: false },
);

const ResponseChecks = Type.Enum(["off", "shape", "warn", "enforce"], {
  description: "What happens to the responses of routes that declare them",
  default: "shape",
});

/** The options of `Framework.create` that JSON can hold, that is, all without code. */
export const Config = Type.Partial(
  Type.Object({
    $schema: Type.String({ description: "Where an editor finds this schema; ignored" }),
    port: Type.Integer({ minimum: 0, maximum: 65_535, default: 8080, description: "0 picks a free one" }),
    host: Type.String({
      pattern: host,
      description: "The interface to listen on, without a scheme; every interface by default",
    }),
    contextPath: Type.String({ pattern: contextPath, default: "/", description: "The path that all routes lie under" }),
    strictSlash: Type.Boolean({ default: false, description: "Makes /a and /a/ two paths" }),
    trustProxy: TrustProxy,
    maxBodyBytes: Type.Integer({ minimum: 0, maximum: MAX, default: 1_048_576, description: "A larger body is 413" }),
    shutdownGraceMs: Type.Integer({
      minimum: 0,
      maximum: MAX,
      default: 10_000,
      description: "How many milliseconds stop() waits for requests in flight",
    }),
    responseChecks: ResponseChecks,
    limits: Limits,
    timeouts: Timeouts,
  }),
  { $id: "config.schema", title: "Options of Framework.create", additionalProperties: false },
);

/** The variables that replace missing options. An empty one counts as not set. */
export const Environment = Type.Partial(
  Type.Object({
    FRAMEWORK_PORT: variable("port", wholeNumber(65_535)),
    FRAMEWORK_HOST: variable("host", host),
    FRAMEWORK_CONTEXT_PATH: variable("contextPath", contextPath),
    FRAMEWORK_MAX_BODY_BYTES: variable("maxBodyBytes", wholeNumber(MAX)),
    FRAMEWORK_SHUTDOWN_GRACE_MS: variable("shutdownGraceMs", wholeNumber(MAX)),
    FRAMEWORK_RESPONSE_CHECKS: variable("responseChecks", "^(off|shape|warn|enforce)?$"),
  }),
  { $id: "environment.schema", title: "Environment of Framework.create" },
);
