/**
 * Bearer tokens (RFC 6750): any holder of one may use it.
 *
 *   Authorization: Bearer <token> ──▶ verify ──▶ principal
 *                                        └────▶ 401, error="invalid_token"
 *
 * Tokens are read from the header alone, because in a URL or a form (RFC 6750 §2.2, §2.3) they would end up in logs.
 *
 * Spec: spec/auth.md
 */
import { BadRequestError, UnauthorizedError } from "../internal/errors.ts";
import type { Context } from "../http/context.ts";
import type { Principal } from "./principal.ts";
import {
  checkedPrincipal,
  checkFunction,
  quoted,
  SchemeMiddleware,
  type SchemeOptions,
  type SecurityScheme,
} from "./scheme.ts";

/** The options of a BearerAuthMiddleware. */
export interface BearerAuthOptions extends SchemeOptions {
  /** Returns the token's principal, or undefined for an unknown token. `sameSecret` compares it with a known one. */
  readonly verify: (token: string, ctx: Context) => Principal | undefined | Promise<Principal | undefined>;
}

/** A middleware for tokens of one kind. */
export abstract class TokenMiddleware extends SchemeMiddleware {
  constructor(owner: string, options: SchemeOptions) {
    super("Bearer", owner, options);
  }

  /** The token's principal, or why it is invalid. */
  protected abstract accept(token: string, ctx: Context): Promise<Principal | string>;

  protected override async verify(credentials: string, ctx: Context): Promise<Principal | UnauthorizedError> {
    if (!/^[A-Za-z0-9\-._~+/]+=*$/.test(credentials))
      throw new BadRequestError("this is no bearer token", {
        headers: { "WWW-Authenticate": this.#challengeWith("invalid_request", "this is no bearer token") },
      });
    const accepted = await this.accept(credentials, ctx);
    if (typeof accepted !== "string") return accepted;
    return new UnauthorizedError(accepted, { challenge: this.#challengeWith("invalid_token", accepted) });
  }

  #challengeWith(error: string, description: string): string {
    return `${this.challenge}, error="${error}", error_description=${quoted(description)}`;
  }
}

/**
 * Authenticates by a token that the app can look up.
 *
 * @example
 * ```ts
 * app.use("/api", new BearerAuthMiddleware({ verify: (token) => tokens.ownerOf(token) }));
 * ```
 */
export class BearerAuthMiddleware extends TokenMiddleware {
  readonly #verify: BearerAuthOptions["verify"];
  /** The value for `securitySchemes` of an OpenAPI document. */
  readonly securityScheme: SecurityScheme = { type: "http", scheme: "bearer" };

  /** @throws TypeError when `verify` is not a function. */
  constructor(options: BearerAuthOptions) {
    super("BearerAuthMiddleware", options);
    checkFunction("BearerAuthMiddleware", "verify", options.verify);
    this.#verify = options.verify;
  }

  protected override async accept(token: string, ctx: Context): Promise<Principal | string> {
    const verified = checkedPrincipal("verify", "BearerAuthMiddleware", await this.#verify(token, ctx));
    return verified ?? "the token is not known";
  }
}
