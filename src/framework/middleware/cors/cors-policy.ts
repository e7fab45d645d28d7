/**
 * CORS policy: the configuration of CorsMiddleware, checked once and made ready to send.
 *
 *   builder ──▶ CorsOptions ──corsPolicy()──▶ CorsPolicy (header values as strings, origins as a set or a function)
 *
 * A configuration that browsers would reject or could never use, or that would open the app to every site with the user's
 * cookies, throws when the app is built.
 *
 * Spec: spec/cors.md
 */
import type { Context } from "../../http/context.ts";
import { isToken } from "../../internal/http-rules.ts";
import { checkOptionNames } from "../../internal/option-names.ts";

/** Decides by the origin and the request. It gets every well-formed origin, also `null`. Only `true` allows. */
export type OriginCheck = (origin: string, ctx: Context) => boolean | Promise<boolean>;

/** Options of CorsMiddleware, all optional. */
export interface CorsOptions {
  /** Exact origins (`https://app.example`), `*` alone, or a function. Default `*`. `null` only when listed. */
  readonly allowOrigins?: readonly string[] | OriginCheck | undefined;
  /** In capitals. Default GET, HEAD, POST, PUT, PATCH, DELETE. QUERY only when listed. */
  readonly allowMethods?: readonly string[] | undefined;
  /** Default Content-Type, Authorization. */
  readonly allowHeaders?: readonly string[] | undefined;
  /** Response headers that scripts may read. Default none beyond the safelisted. */
  readonly exposeHeaders?: readonly string[] | undefined;
  /** Also cookies and other credentials. Default false. Impossible with any `*`. */
  readonly allowCredentials?: boolean | undefined;
  /** Seconds for which a preflight's response may be cached. Default 3,600. No browser caches it for more than 86,400. */
  readonly maxAge?: number | undefined;
}

/** A checked configuration. */
export interface CorsPolicy {
  /** The allowed origins, or the function that decides. Undefined means `*`. */
  readonly origins: ReadonlySet<string> | OriginCheck | undefined;
  /** Header values, empty when the list is empty. */
  readonly methods: string;
  readonly headers: string;
  readonly expose: string;
  readonly credentials: boolean;
  readonly maxAge: string;
}

const DEFAULT_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
const DEFAULT_HEADERS = ["Content-Type", "Authorization"];
/** The form of an origin in a request. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#@\s,\\]+$/;
/** The longest time in seconds that any browser caches. */
export const LONGEST_AGE = 86_400;

/** Methods and headers that the Fetch standard forbids to scripts. Header names in lower case. */
const forbidden = {
  methods: /* @__PURE__ */ new Set(["CONNECT", "TRACE", "TRACK"]),
  requestHeaders: /* @__PURE__ */ new Set(
    /* @__PURE__ */ (
      "accept-charset accept-encoding access-control-request-headers access-control-request-method connection " +
      "content-length cookie cookie2 date dnt expect host keep-alive origin referer set-cookie te trailer " +
      "transfer-encoding upgrade via"
    ).split(" "),
  ),
  responseHeaders: new Set(["set-cookie", "set-cookie2"]),
} as const;

/** Collects {@link CorsOptions}. The last call of a method wins. */
export class CorsBuilder<T> {
  readonly #create: (options: CorsOptions) => T;
  #options: CorsOptions = {};

  constructor(create: (options: CorsOptions) => T) {
    this.#create = create;
  }

  /** Exact origins such as `https://app.example`, or `*`, or one function that decides by origin and context. */
  allowOrigins(...origins: string[] | [OriginCheck]): this {
    const [first] = origins;
    return this.#with({ allowOrigins: typeof first === "function" ? first : (origins as string[]) });
  }

  /** Replaces the default methods: `allowMethods("GET", "QUERY")` allows QUERY and only GET of the others. */
  allowMethods(...methods: string[]): this {
    return this.#with({ allowMethods: methods });
  }

  /** Request headers that scripts may send in addition to the safelisted ones. Replaces the default. */
  allowHeaders(...headers: string[]): this {
    return this.#with({ allowHeaders: headers });
  }

  /** Response headers that scripts may read in addition to the safelisted ones. */
  exposeHeaders(...headers: string[]): this {
    return this.#with({ exposeHeaders: headers });
  }

  /** Lets requests carry cookies and other credentials. Needs exact origins. */
  allowCredentials(allow = true): this {
    return this.#with({ allowCredentials: allow });
  }

  /** Seconds for which browsers may cache a preflight's response. 0 turns that off. */
  maxAge(seconds: number): this {
    return this.#with({ maxAge: seconds });
  }

  /** @throws TypeError naming the option with a value that the CORS protocol does not allow. */
  build(): T {
    return this.#create(this.#options);
  }

  #with(more: CorsOptions): this {
    this.#options = { ...this.#options, ...more };
    return this;
  }
}

/** Checks a configuration. @throws TypeError naming the option, its value and the allowed values. */
export function corsPolicy(options: CorsOptions): CorsPolicy {
  checkOptionNames("CorsMiddleware", options, [
    "allowOrigins",
    "allowMethods",
    "allowHeaders",
    "exposeHeaders",
    "allowCredentials",
    "maxAge",
  ]);
  const credentials: unknown = options.allowCredentials ?? false;
  if (typeof credentials !== "boolean") {
    throw new TypeError(
      `CorsMiddleware: allowCredentials is ${JSON.stringify(credentials)}; true and false are allowed`,
    );
  }
  const maxAge = options.maxAge ?? 3600;
  if (!Number.isSafeInteger(maxAge) || maxAge < 0) {
    throw new TypeError(`CorsMiddleware: maxAge is ${maxAge}; a whole number of seconds from 0 is allowed`);
  }
  const { allowOrigins = ["*"] } = options;
  return {
    origins: typeof allowOrigins === "function" ? allowOrigins : originSet(allowOrigins, credentials),
    methods: tokenList("allowMethods", options.allowMethods ?? DEFAULT_METHODS, credentials, unusableMethod),
    headers: tokenList("allowHeaders", options.allowHeaders ?? DEFAULT_HEADERS, credentials, unusableHeader),
    expose: tokenList("exposeHeaders", options.exposeHeaders ?? [], credentials, unreadableHeader),
    credentials,
    maxAge: String(maxAge),
  };
}

function originSet(origins: readonly string[], credentials: boolean): ReadonlySet<string> | undefined {
  checkList("allowOrigins", origins);
  if (origins.length === 0) throw new TypeError('CorsMiddleware: allowOrigins needs at least one origin, or "*"');
  if (!origins.includes("*")) return new Set(origins.map(checkedOrigin));
  rejectWildcard("allowOrigins", credentials);
  if (origins.length > 1) {
    throw new TypeError(
      'CorsMiddleware: allowOrigins has "*" beside other origins; "*" allows all, so it stands alone',
    );
  }
  return undefined;
}

function checkedOrigin(origin: string): string {
  if (origin === "null") return origin;
  const hint = origin.includes("*") ? undefined : serialized(origin);
  if (origin === hint) return origin;
  const instead =
    hint === undefined
      ? "an exact scheme://host[:port] is allowed, or a function that decides"
      : `write ${JSON.stringify(hint)}`;
  throw new TypeError(`CorsMiddleware: allowOrigins has ${JSON.stringify(origin)}, which no browser sends; ${instead}`);
}

/** The origin as browsers write it: lower case, no default port, no trailing slash. */
function serialized(origin: string): string | undefined {
  let url: URL;
  try {
    url = new URL(origin);
  } catch {
    return undefined;
  }
  const own = `${url.protocol}//${url.host}`; // `url.origin` is null for an app's own scheme, e.g. capacitor://localhost.
  return isOrigin(own) ? own : undefined;
}

/** Is it one well-formed origin? Several origins from two joined fields are not. */
export const isOrigin = (value: string): boolean => value === "null" || ORIGIN.test(value);

/** @param unusable why browsers cannot use a name, and what to do. Undefined when they can */
function tokenList(
  option: string,
  names: readonly string[],
  credentials: boolean,
  unusable: (name: string) => string | undefined,
): string {
  checkList(option, names);
  for (const name of names) {
    if (name === "*") {
      rejectWildcard(option, credentials);
      continue;
    }
    const why = isToken(name) ? unusable(name) : "; a token such as GET or X-Name is allowed";
    if (why !== undefined) throw new TypeError(`CorsMiddleware: ${option} has ${JSON.stringify(name)}${why}`);
  }
  return names.join(", ");
}

/** Rejects a text, which has characters instead of a list's names. */
function checkList(option: string, names: unknown): void {
  if (Array.isArray(names) && names.every((name) => typeof name === "string")) return;
  throw new TypeError(`CorsMiddleware: ${option} is ${JSON.stringify(names)}; a list of texts is allowed`);
}

function unusableMethod(name: string): string | undefined {
  const capitals = name.toUpperCase();
  if (forbidden.methods.has(capitals)) return ", which no browser lets a page send; leave it out";
  return name === capitals ? undefined : `, and methods are compared by case; write ${JSON.stringify(capitals)}`;
}

function unusableHeader(name: string): string | undefined {
  const lower = name.toLowerCase();
  if (lower.startsWith("sec-") || lower.startsWith("proxy-") || forbidden.requestHeaders.has(lower)) {
    const hint = lower.startsWith("cookie") ? ": allowCredentials() lets cookies through" : "";
    return `, which no browser lets a page set; leave it out${hint}`;
  }
  return undefined;
}

const unreadableHeader = (name: string): string | undefined =>
  forbidden.responseHeaders.has(name.toLowerCase())
    ? ", which no browser lets a page read; leave it out: cookies are set without it"
    : undefined;

function rejectWildcard(option: string, credentials: boolean): void {
  if (!credentials) return;
  throw new TypeError(
    `CorsMiddleware: ${option} is "*" together with allowCredentials; browsers reject that: list them by name`,
  );
}
