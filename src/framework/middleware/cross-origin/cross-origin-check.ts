/**
 * The decision of the cross-origin protection, for its middleware and for sessions.
 *
 *   GET HEAD OPTIONS QUERY ─────────────────────────▶ allowed
 *   Sec-Fetch-Site: same-origin, none ──────────────▶ allowed      any other value ──▶ trusted or exempt, else 403
 *   no Sec-Fetch-Site: no Origin, or the host's own ─▶ allowed      any other Origin ─▶ trusted or exempt, else 403
 *
 * It is the algorithm of Go's `http.CrossOriginProtection`. A route is exempt by its own pattern and not by the path, so that no
 * spelling of a path reaches another route.
 *
 * Spec: spec/cross-origin.md
 */
import type { DeclaredRoute } from "../../contract/contract.ts";
import type { Context } from "../../http/context.ts";
import { ForbiddenError } from "../../internal/errors.ts";
import { checkOptionNames } from "../../internal/option-names.ts";
import { isOfHost, isPageOrigin } from "../../internal/page-origin.ts";
import { checkedTexts, ExemptRoutes } from "../exempt-routes.ts";

/** Which requests of other origins are allowed. */
export interface CrossOriginOptions {
  /** Origins with pages that may send any request, e.g. `https://app.example`. Each is compared as a whole. */
  readonly trustedOrigins?: readonly string[] | undefined;
  /**
   * Routes that pages of any origin may use, by the pattern that `ctx.route` shows, e.g. `/callback/{provider}`. For the POST
   * with which an identity provider returns a user.
   */
  readonly exempt?: readonly string[] | undefined;
}

/** The code of the 403. */
export const CROSS_ORIGIN = "CROSS_ORIGIN";

/** Methods that change nothing (RFC 9110 §9.2.1, RFC 10008 §2). */
const safe: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "QUERY", "TRACE"]);

/** Set when a request was checked, so that a session inside of the middleware does not check it again. */
const isChecked: unique symbol = Symbol("crossOriginChecked");

const bySite = "a page of another origin may not send this request";
const byOrigin = `${bySite}: its Origin is not the host that it asks for`;
const advice = "the application has to name that origin in trustedOrigins";

const origins = "origins such as https://app.example";

/** The check of one middleware. */
export class CrossOriginCheck {
  readonly #trusted: ReadonlySet<string>;
  readonly #exempt: ExemptRoutes;

  /** @throws TypeError naming the option, its value and the allowed values. */
  constructor(owner: string, options: CrossOriginOptions) {
    checkOptionNames(owner, options, ["trustedOrigins", "exempt"]);
    const { trustedOrigins = [], exempt } = options;
    this.#trusted = checkedTexts(owner, "trustedOrigins", trustedOrigins, isPageOrigin, origins);
    this.#exempt = new ExemptRoutes(owner, exempt);
  }

  /** @throws TypeError when a pattern of `exempt` is that of no route. */
  checkRoutes(routes: readonly DeclaredRoute[]): void {
    this.#exempt.checkRoutes(routes);
  }

  /** Checks a request once. @throws ForbiddenError (403) for one that a page of another origin may have sent. */
  check(ctx: Context): void {
    if (safe.has(ctx.method) || ctx.attribute(isChecked) === true) return;
    ctx.attribute(isChecked, true);
    const site = ctx.header("sec-fetch-site") || undefined;
    const origin = ctx.header("origin") || undefined;
    const sentence = rejection(ctx, site, origin);
    if (sentence === undefined) return;
    const allowedBy = this.#allowance(ctx, origin);
    ctx.annotations?.add("crossOrigin", { site, origin, allowedBy: allowedBy ?? null });
    if (allowedBy === undefined) throw new ForbiddenError(`${sentence}; ${advice}`, { code: CROSS_ORIGIN });
  }

  /** The option that allows a request of another origin, if any. */
  #allowance(ctx: Context, origin: string | undefined): "exempt" | "trustedOrigins" | undefined {
    if (this.#exempt.has(ctx)) return "exempt";
    return origin !== undefined && this.#trusted.has(origin) ? "trustedOrigins" : undefined;
  }
}

/** Why it is a request of another origin. Undefined when it is none. */
function rejection(ctx: Context, site: string | undefined, origin: string | undefined): string | undefined {
  if (site !== undefined) return site === "same-origin" || site === "none" ? undefined : bySite;
  return origin === undefined || isOfHost(origin, ctx) ? undefined : byOrigin;
}
