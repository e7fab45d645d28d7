/**
 * CORS middleware: the server's half of the Fetch standard's CORS protocol.
 *
 *   OPTIONS + Origin + Access-Control-Request-Method (a preflight)
 *        origin allowed ──▶ 204 with the configured lists      refused ──▶ 403, empty
 *   any other request
 *        origin allowed ──▶ Access-Control-Allow-Origin, goes on   refused or absent ──▶ goes on
 *
 * A refused origin gets no CORS header at all. Unless the answer is the same for every origin, every response says
 * `Vary: Origin`, so that no cache serves one site's answer to another. Error responses carry the headers too.
 *
 * Spec: spec/cors.md (CORS)
 */
import type { Context } from "../context.ts";
import { goOn, HookMiddleware, type Outcome } from "../hooks.ts";
import { CorsBuilder, corsPolicy, type CorsOptions, type CorsPolicy } from "./cors-policy.ts";

/**
 * Lets pages of other origins call this app.
 *
 * @example
 * ```ts
 * app.use(CorsMiddleware.builder().allowOrigins("https://app.example").allowMethods("GET", "QUERY").build());
 * ```
 */
export class CorsMiddleware extends HookMiddleware {
  readonly #policy: CorsPolicy;
  /** A handler that sets its own `Vary` must not lose ours: a shared cache would mix up origins. */
  override readonly after: ((ctx: Context) => void) | undefined;

  /** @throws TypeError naming the option whose value the CORS protocol does not allow. */
  constructor(options: CorsOptions = {}) {
    super();
    this.#policy = corsPolicy(options);
    this.after = this.#policy.origins === undefined ? undefined : varyByOrigin;
  }

  /** Starts from the defaults: any origin, the common methods without QUERY, no credentials. */
  static builder(): CorsBuilder<CorsMiddleware> {
    return new CorsBuilder((options) => new CorsMiddleware(options));
  }

  /** The defaults as they are. */
  static permissive(): CorsMiddleware {
    return CorsMiddleware.builder().build();
  }

  before(ctx: Context): Outcome {
    const policy = this.#policy;
    const origin = policy.origins === undefined ? "*" : allowedOrigin(policy.origins, ctx);
    if (policy.origins !== undefined) ctx.appendHeader("Vary", "Origin");
    if (ctx.method === "OPTIONS" && isPreflight(ctx)) return answerPreflight(ctx, policy, origin);
    if (origin !== undefined) {
      ctx.header("Access-Control-Allow-Origin", origin);
      if (policy.credentials) ctx.header("Access-Control-Allow-Credentials", "true");
      if (policy.expose !== "") ctx.header("Access-Control-Expose-Headers", policy.expose);
    }
    return goOn;
  }
}

/** The request's origin when it is in the list; compared byte by byte, so two Origin fields never match. */
function allowedOrigin(origins: ReadonlySet<string>, ctx: Context): string | undefined {
  const origin = ctx.header("origin");
  return origin !== undefined && origins.has(origin) ? origin : undefined;
}

/** An OPTIONS request without these two headers is an ordinary one and belongs to the app. */
function isPreflight(ctx: Context): boolean {
  return Boolean(ctx.header("origin")) && Boolean(ctx.header("access-control-request-method"));
}

function answerPreflight(ctx: Context, policy: CorsPolicy, origin: string | undefined): undefined {
  ctx.status(origin === undefined ? 403 : 204);
  if (origin === undefined) return undefined;
  ctx.header("Access-Control-Allow-Origin", origin);
  if (policy.credentials) ctx.header("Access-Control-Allow-Credentials", "true");
  if (policy.methods !== "") ctx.header("Access-Control-Allow-Methods", policy.methods);
  if (policy.headers !== "") ctx.header("Access-Control-Allow-Headers", policy.headers);
  ctx.header("Access-Control-Max-Age", policy.maxAge);
  return undefined;
}

function varyByOrigin(ctx: Context): void {
  const vary = ctx.responseHeader("vary");
  if (vary !== undefined && /(?:^|[\s,])(?:origin|\*)(?:$|[\s,])/i.test(vary)) return;
  try {
    ctx.header("Vary", vary === undefined || vary === "" ? "Origin" : `${vary}, Origin`);
  } catch {
    // The head is out already: a stream that replaced Vary before its first byte keeps its own.
  }
}
