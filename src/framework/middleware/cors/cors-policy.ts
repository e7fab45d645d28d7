/**
 * CORS policy: what CorsMiddleware was configured with, checked once and made ready to send.
 *
 *   builder ──▶ CorsOptions ──corsPolicy()──▶ CorsPolicy (header values as strings, origins as a set or a function)
 *
 * A configuration that a browser would reject or could never use, or that would open the app to every site with the
 * user's cookies, is an error when the app is built, never a surprise at run time.
 *
 * Spec: spec/cors.md
 */
import type { Context } from "../../http/context.ts";
import { isToken } from "../../internal/http-rules.ts";
import { checkOptionNames } from "../../internal/option-names.ts";

/**
 * Decides by the origin and the request. It gets every origin that has the form of one, `null` too; only `true` allows.
 */
export type OriginCheck = (origin: string, ctx: Context) => boolean | Promise<boolean>;

/** Options of CorsMiddleware; what is not given has the default named. */
export interface CorsOptions {
  /** Exact origins (`https://app.example`), `*` alone, or a function. Default `*`. `null` only when listed. */
  readonly allowOrigins?: readonly string[] | OriginCheck | undefined;
  /** In capitals. Default GET, HEAD, POST, PUT, PATCH, DELETE. QUERY only when listed. */
  readonly allowMethods?: readonly string[] | undefined;
  /** Default Content-Type, Authorization. */
  readonly allowHeaders?: readonly string[] | undefined;
  /** Response headers that scripts may read. Default none beyond the safelisted. */
  readonly exposeHeaders?: readonly string[] | undefined;
  /** Cookies and other credentials too. Default false; impossible with any `*`. */
  readonly allowCredentials?: boolean | undefined;
  /** Seconds for which a preflight's response may be kept. Default 3,600; no browser keeps it for more than 86,400. */
  readonly maxAge?: number | undefined;
}

/** A checked configuration. */
export interface CorsPolicy {
  /** The allowed origins, or who decides; undefined means `*`. */
  readonly origins: ReadonlySet<string> | OriginCheck | undefined;
  /** Header values; empty when there is nothing to list. */
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
/** Seconds after which every browser asks again. */
export const LONGEST_AGE = 86_400;

/** Methods and headers that the Fetch standard lets no script set or read; header names in lower case. */
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

/** Collects {@link CorsOptions}; of two calls of one method the last wins. */
export class CorsBuilder<T> {
  readonly #create: (options: CorsOptions) => T;
  #options: CorsOptions = {};

  constructor(create: (options: CorsOptions) => T) {
    this.#create = create;
  }

  /** Exact origins such as `https://app.example`, or `*`; or one function that decides by origin and context. */
  allowOrigins(...origins: string[] | [OriginCheck]): this {
    const [first] = origins;
    return this.#with({ allowOrigins: typeof first === "function" ? first : (origins as string[]) });
  }

  /** Replaces the default methods: `allowMethods("GET", "QUERY")` lets QUERY in and everything but GET out. */
  allowMethods(...methods: string[]): this {
    return this.#with({ allowMethods: methods });
  }

  /** Request headers that scripts may send beyond the safelisted; replaces the default. */
  allowHeaders(...headers: string[]): this {
    return this.#with({ allowHeaders: headers });
  }

  /** Response headers that scripts may read beyond the safelisted. */
  exposeHeaders(...headers: string[]): this {
    return this.#with({ exposeHeaders: headers });
  }

  /** Lets requests carry cookies and other credentials. Needs exact origins. */
  allowCredentials(allow = true): this {
    return this.#with({ allowCredentials: allow });
  }

  /** Seconds for which browsers may keep a preflight's response; 0 turns that off. */
  maxAge(seconds: number): this {
    return this.#with({ maxAge: seconds });
  }

  /** @throws TypeError naming the option whose value the CORS protocol does not allow. */
  build(): T {
    return this.#create(this.#options);
  }

  #with(more: CorsOptions): this {
    this.#options = { ...this.#options, ...more };
    return this;
  }
}

/** Checks a configuration. @throws TypeError naming the option, the value and what is allowed. */
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

/** Has it the form of one origin? Several, which two fields become, have not. */
export const isOrigin = (value: string): boolean => value === "null" || ORIGIN.test(value);

/** @param unusable why browsers can make nothing of a name, and what to do; undefined when they can */
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

/** A text has characters where a list has names. */
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
