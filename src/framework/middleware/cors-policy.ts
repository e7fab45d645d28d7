/**
 * CORS policy: what CorsMiddleware was configured with, checked once and made ready to send.
 *
 *   builder ──▶ CorsOptions ──corsPolicy()──▶ CorsPolicy (header values as strings, origins as a set)
 *
 * A configuration that a browser would refuse, or that would open the app to every site with the
 * user's cookies, is an error when the app is built, never a surprise at run time.
 *
 * Spec: spec/cors.md (CORS-008 … CORS-015)
 */

/** Options of CorsMiddleware; what is not given has the default named. */
export interface CorsOptions {
  /** Exact origins (`https://app.example`), or `*` alone. Default `*`. `null` only when listed. */
  readonly allowOrigins?: readonly string[] | undefined;
  /** Default GET, HEAD, POST, PUT, PATCH, DELETE. QUERY only when listed. */
  readonly allowMethods?: readonly string[] | undefined;
  /** Default Content-Type, Authorization. */
  readonly allowHeaders?: readonly string[] | undefined;
  /** Response headers that scripts may read. Default none beyond the safelisted. */
  readonly exposeHeaders?: readonly string[] | undefined;
  /** Cookies and other credentials too. Default false; impossible with any `*`. */
  readonly allowCredentials?: boolean | undefined;
  /** Seconds for which a preflight's answer may be kept. Default 3,600. */
  readonly maxAge?: number | undefined;
}

/** A checked configuration. */
export interface CorsPolicy {
  /** The allowed origins; undefined means `*`. */
  readonly origins: ReadonlySet<string> | undefined;
  /** Header values; empty when there is nothing to list. */
  readonly methods: string;
  readonly headers: string;
  readonly expose: string;
  readonly credentials: boolean;
  readonly maxAge: string;
}

const DEFAULT_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
const DEFAULT_HEADERS = ["Content-Type", "Authorization"];
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#@\s,]+$/;

/** Collects {@link CorsOptions}; of two calls of one method the last wins. */
export class CorsBuilder<T> {
  readonly #create: (options: CorsOptions) => T;
  #options: CorsOptions = {};

  constructor(create: (options: CorsOptions) => T) {
    this.#create = create;
  }

  /** Exact origins such as `https://app.example`, or `*`. */
  allowOrigins(...origins: string[]): this {
    return this.#with({ allowOrigins: origins });
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

  /** Seconds for which browsers may keep a preflight's answer; 0 turns that off. */
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
  const credentials = options.allowCredentials ?? false;
  const maxAge = options.maxAge ?? 3600;
  if (!Number.isSafeInteger(maxAge) || maxAge < 0) {
    throw new TypeError(`CorsMiddleware: maxAge is ${maxAge}; a whole number of seconds from 0 is allowed`);
  }
  return {
    origins: originSet(options.allowOrigins ?? ["*"], credentials),
    methods: tokenList("allowMethods", options.allowMethods ?? DEFAULT_METHODS, credentials),
    headers: tokenList("allowHeaders", options.allowHeaders ?? DEFAULT_HEADERS, credentials),
    expose: tokenList("exposeHeaders", options.exposeHeaders ?? [], credentials),
    credentials,
    maxAge: String(maxAge),
  };
}

function originSet(origins: readonly string[], credentials: boolean): ReadonlySet<string> | undefined {
  if (origins.length === 0) throw new TypeError('CorsMiddleware: allowOrigins needs at least one origin, or "*"');
  if (!origins.includes("*")) return new Set(origins.map(checkedOrigin));
  refuseWildcard("allowOrigins", credentials);
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
  const instead = hint === undefined ? "an exact scheme://host[:port] is allowed" : `write ${JSON.stringify(hint)}`;
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
  if (url.origin !== "null") return url.origin;
  return ORIGIN.test(origin) ? origin : undefined;
}

function tokenList(option: string, names: readonly string[], credentials: boolean): string {
  for (const name of names) {
    if (name === "*") refuseWildcard(option, credentials);
    else if (!TOKEN.test(name)) {
      throw new TypeError(
        `CorsMiddleware: ${option} has ${JSON.stringify(name)}; a token such as GET or X-Name is allowed`,
      );
    }
  }
  return names.join(", ");
}

function refuseWildcard(option: string, credentials: boolean): void {
  if (!credentials) return;
  throw new TypeError(
    `CorsMiddleware: ${option} is "*" together with allowCredentials; browsers refuse that: list them by name`,
  );
}
