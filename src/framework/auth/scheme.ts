/**
 * Shared by the schemes of the Authorization header: parsing, the challenge, and the result for a request.
 *
 *   principal already set ─────────────────────────▶ goes on
 *   no credentials, or those of another scheme ──▶ 401 with the challenge │ optional: goes on
 *   credentials ──▶ verify ──▶ a principal ──▶ goes on
 *                       └────▶ none ──▶ 401, also where it is optional
 *
 * Spec: spec/auth.md
 */
import { UnauthorizedError } from "../internal/errors.ts";
import { HookMiddleware } from "../middleware/hooks.ts";
import type { Context } from "../http/context.ts";
import { usageError } from "../internal/usage-errors.ts";
import { addChallenge, checkPrincipal, type Principal, principalOf, setPrincipal } from "./principal.ts";

/** Options of every scheme. */
export interface SchemeOptions {
  /** The purpose of the credentials, as browsers show it. Default `api`. */
  readonly realm?: string | undefined;
  /** Accepts requests without credentials, so that `requireRole` and handlers decide. Wrong ones are still 401. */
  readonly optional?: boolean | undefined;
}

/** A security scheme of an OpenAPI document. */
export interface SecurityScheme {
  readonly type: "http";
  readonly scheme: "basic" | "bearer";
  readonly bearerFormat?: string | undefined;
}

/** The result of credentials: the principal or an error, or a promise of either. */
export type Verdict = Principal | UnauthorizedError;

/** A middleware for one scheme of the Authorization header. */
export abstract class SchemeMiddleware extends HookMiddleware {
  /** The challenge without parameters that belong to one response. */
  protected readonly challenge: string;
  readonly #scheme: string;
  readonly #isOptional: boolean;

  /** @throws TypeError when the realm is not a text that a header can hold, or `optional` is not a boolean. */
  constructor(scheme: string, owner: string, { realm = "api", optional = false }: SchemeOptions, more = "") {
    super();
    if (typeof realm !== "string" || !/^[\x20-\x7e]*$/.test(realm))
      throw usageError(
        "CONFIG_INVALID",
        `the option realm of ${owner} is ${JSON.stringify(realm)}: text of printable ASCII is allowed`,
      );
    if (typeof optional !== "boolean")
      throw usageError(
        "CONFIG_INVALID",
        `the option optional of ${owner} is ${JSON.stringify(optional)}: true and false are allowed`,
      );
    this.#scheme = scheme.toLowerCase();
    this.#isOptional = optional;
    this.challenge = `${scheme} realm=${quoted(realm)}${more}`;
  }

  /** The principal of those credentials. A throw is the request's error. */
  protected abstract verify(credentials: string, ctx: Context): Promise<Verdict>;

  override before(ctx: Context): void | Promise<void> {
    if (principalOf(ctx) !== undefined) return undefined;
    const field = ctx.header("authorization");
    const credentials = field === undefined ? undefined : credentialsIn(field, this.#scheme);
    if (credentials !== undefined) return this.#verified(ctx, credentials);
    const challenge = addChallenge(ctx, this.challenge);
    if (this.#isOptional) return undefined;
    throw new UnauthorizedError("credentials are needed", { challenge });
  }

  async #verified(ctx: Context, credentials: string): Promise<void> {
    const verdict = await this.verify(credentials, ctx);
    if (verdict instanceof Error) throw verdict;
    setPrincipal(ctx, verdict);
  }
}

/** The text after the name of a scheme, in any case (RFC 9110 §11.1). */
function credentialsIn(field: string, scheme: string): string | undefined {
  const name = field.slice(0, scheme.length).toLowerCase();
  if (name !== scheme || (field.length > scheme.length && field[scheme.length] !== " ")) return undefined;
  return field.slice(scheme.length).trim();
}

/** A quoted string (RFC 9110 §5.6.4). */
export const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;

/** @throws TypeError when a function option is not a function. */
export function checkFunction(owner: string, option: string, value: unknown): void {
  if (typeof value !== "function")
    throw usageError("CONFIG_INVALID", `the option ${option} of ${owner} is ${typeof value}: a function is allowed`);
}

/**
 * The principal returned by that option of the app. @throws TypeError when it is invalid, which would otherwise accept any
 * client.
 */
export function checkedPrincipal(
  option: string,
  owner: string,
  principal: Principal | undefined | null,
): Principal | undefined {
  if (principal === undefined || principal === null) return undefined;
  checkPrincipal(`${option} of ${owner} returned`, principal, "or undefined is");
  return principal;
}
