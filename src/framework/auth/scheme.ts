/**
 * What the schemes of the Authorization header share: reading it, the challenge, and what becomes of a request.
 *
 *   known already ─────────────────────────────────▶ goes on
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

/** What every scheme takes. */
export interface SchemeOptions {
  /** What the credentials are for, as browsers show it. Default `api`. */
  readonly realm?: string | undefined;
  /** Lets requests without credentials go on, for `requireRole` and handlers to decide. Wrong ones are 401 all the same. */
  readonly optional?: boolean | undefined;
}

/** A security scheme of an OpenAPI document. */
export interface SecurityScheme {
  readonly type: "http";
  readonly scheme: "basic" | "bearer";
  readonly bearerFormat?: string | undefined;
}

/** What came of credentials: who it is, or an error; a promise of either. */
export type Verdict = Principal | UnauthorizedError;

/** A middleware for one scheme of the Authorization header. */
export abstract class SchemeMiddleware extends HookMiddleware {
  /** The challenge without parameters that belong to one response. */
  protected readonly challenge: string;
  readonly #scheme: string;
  readonly #isOptional: boolean;

  /** @throws TypeError when the realm is no text that a header can hold, or `optional` neither true nor false. */
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

  /** Who has those credentials. A throw is the request's error. */
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

/** What follows the name of a scheme, in whatever case that is written (RFC 9110 §11.1). */
function credentialsIn(field: string, scheme: string): string | undefined {
  const name = field.slice(0, scheme.length).toLowerCase();
  if (name !== scheme || (field.length > scheme.length && field[scheme.length] !== " ")) return undefined;
  return field.slice(scheme.length).trim();
}

/** A quoted string (RFC 9110 §5.6.4). */
export const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;

/** @throws TypeError when an option that is to be called is no function. */
export function checkFunction(owner: string, option: string, value: unknown): void {
  if (typeof value !== "function")
    throw usageError("CONFIG_INVALID", `the option ${option} of ${owner} is ${typeof value}: a function is allowed`);
}

/** A principal as that option of the app has returned it. @throws TypeError when it is none, which would let anybody in. */
export function checkedPrincipal(
  option: string,
  owner: string,
  principal: Principal | undefined | null,
): Principal | undefined {
  if (principal === undefined || principal === null) return undefined;
  checkPrincipal(`${option} of ${owner} returned`, principal, "or undefined is");
  return principal;
}
