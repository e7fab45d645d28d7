/**
 * CORS middleware: the server's half of the Fetch standard's CORS protocol.
 *
 *   OPTIONS + Origin + Access-Control-Request-Method (a preflight)
 *        origin allowed ──▶ 204 with the configured lists      rejected ──▶ 403, empty
 *   any other request
 *        origin allowed ──▶ Access-Control-Allow-Origin, goes on   rejected or absent ──▶ goes on
 *
 * A rejected origin gets no CORS header at all. Unless the response is the same for every origin, every response has
 * `Vary: Origin`, so that no cache serves one site's response to another. Error responses have the headers too.
 *
 * In a group or a route's `use` it also responds to preflights, 404 and 405 there. If two of them apply to a request, the inner
 * one decides.
 *
 * Spec: spec/cors.md
 */
import type { Context } from "../../http/context.ts";
import { decidesCors } from "../../http/headers.ts";
import { HookMiddleware } from "../hooks.ts";
import { Faults } from "../../metrics/faults.ts";
import type { Lifecycle } from "../types.ts";
import { isThenable } from "../../internal/thenable.ts";
import {
  CorsBuilder,
  corsPolicy,
  isOrigin,
  LONGEST_AGE,
  type CorsOptions,
  type CorsPolicy,
  type OriginCheck,
} from "./cors-policy.ts";

/**
 * Lets pages of other origins call this app.
 *
 * @example
 * ```ts
 * app.use(new CorsMiddleware({ allowOrigins: ["https://app.example"], allowMethods: ["GET", "QUERY"] }));
 * ```
 */
export class CorsMiddleware extends HookMiddleware {
  readonly #policy: CorsPolicy;
  readonly #faults = new Faults("CorsMiddleware rejected an origin because its allowOrigins function");
  #isWarned = false;
  /** Part of Middleware. Preflights are unhandled requests. */
  readonly unmatched: boolean = true;
  /** Part of Middleware. If two apply to one request, the inner one decides. */
  readonly exclusive: string = "cors";

  /** @throws TypeError naming the option with a value that the CORS protocol does not allow, or that no browser could use. */
  constructor(options: CorsOptions = {}) {
    super();
    this.#policy = corsPolicy(options);
  }

  /** Starts from the defaults: any origin, the common methods without QUERY, no credentials. */
  static builder(): CorsBuilder<CorsMiddleware> {
    return new CorsBuilder((options) => new CorsMiddleware(options));
  }

  /** The plain defaults. */
  static permissive(): CorsMiddleware {
    return CorsMiddleware.builder().build();
  }

  installed(app: Lifecycle): void {
    this.#faults.tell(app);
    const { maxAge } = this.#policy;
    if (this.#isWarned || Number(maxAge) <= LONGEST_AGE) return;
    this.#isWarned = true;
    const caps = "browsers keep a preflight's response for at most 86,400 (Firefox) or 7,200 (Chromium)";
    app.warn(`CorsMiddleware: maxAge is ${maxAge} seconds; ${caps}`);
  }

  before(ctx: Context): void | Promise<void> {
    const { origins } = this.#policy;
    if (origins === undefined) return this.#decided(ctx, "*");
    ctx.vary("Origin");
    const origin = ctx.header("origin");
    if (origin === undefined) return this.#decided(ctx, undefined);
    if (typeof origins !== "function") return this.#decided(ctx, origins.has(origin) ? origin : undefined);
    if (!isOrigin(origin)) return this.#decided(ctx, undefined);
    return this.#asked(ctx, origin, origins);
  }

  /** The result of the app's own function. A failing one counts as a no, and the request continues. */
  #asked(ctx: Context, origin: string, check: OriginCheck): void | Promise<void> {
    const rejected = (error: unknown): void => {
      this.#faults.note(error);
      return this.#decided(ctx, undefined);
    };
    const settled = (verdict: unknown): void => this.#decided(ctx, verdict === true ? origin : undefined);
    let response: unknown;
    try {
      response = check(origin, ctx);
    } catch (error) {
      return rejected(error);
    }
    return isThenable(response) ? Promise.resolve(response).then(settled, rejected) : settled(response);
  }

  /** @param origin the value of Access-Control-Allow-Origin, or undefined to reject */
  #decided(ctx: Context, origin: string | undefined): void {
    const policy = this.#policy;
    ctx.attribute(decidesCors, true);
    if (ctx.method === "OPTIONS" && isPreflight(ctx)) return respondToPreflight(ctx, policy, origin);
    if (origin !== undefined) {
      ctx.setHeader("Access-Control-Allow-Origin", origin);
      if (policy.credentials) ctx.setHeader("Access-Control-Allow-Credentials", "true");
      if (policy.expose !== "") ctx.setHeader("Access-Control-Expose-Headers", policy.expose);
    }
  }
}

/** An OPTIONS request without these two headers is an ordinary one and belongs to the app. */
function isPreflight(ctx: Context): boolean {
  return Boolean(ctx.header("origin")) && Boolean(ctx.header("access-control-request-method"));
}

function respondToPreflight(ctx: Context, policy: CorsPolicy, origin: string | undefined): void {
  ctx.reply(origin === undefined ? 403 : 204);
  if (origin === undefined) return;
  ctx.setHeader("Access-Control-Allow-Origin", origin);
  if (policy.credentials) ctx.setHeader("Access-Control-Allow-Credentials", "true");
  if (policy.methods !== "") ctx.setHeader("Access-Control-Allow-Methods", policy.methods);
  if (policy.headers !== "") ctx.setHeader("Access-Control-Allow-Headers", policy.headers);
  ctx.setHeader("Access-Control-Max-Age", policy.maxAge);
}
