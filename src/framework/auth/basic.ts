/**
 * Basic authentication (RFC 7617): a name and a password with every request. Use it over TLS only.
 *
 *   Authorization: Basic <base64 of name:password> ──▶ users │ verify ──▶ principal
 *
 * Spec: spec/auth.md
 */
import { bytesOfBase64 } from "../internal/base64.ts";
import { UnauthorizedError } from "../internal/errors.ts";
import type { Context } from "../http/context.ts";
import { usageError } from "../internal/usage-errors.ts";
import { sameSecret } from "./compare.ts";
import type { Principal } from "./principal.ts";
import {
  checkedPrincipal,
  checkFunction,
  SchemeMiddleware,
  type SchemeOptions,
  type SecurityScheme,
} from "./scheme.ts";

/** The options of a BasicAuthMiddleware: `users`, or `verify`. */
export interface BasicAuthOptions extends SchemeOptions {
  /** Passwords by name, for a few people or machines. Compared in constant time. */
  readonly users?: Readonly<Record<string, string>> | undefined;
  /**
   * Returns the principal, or undefined for a wrong password. With many users, store hashed passwords (argon2, scrypt) in a
   * database.
   */
  readonly verify?:
    | ((name: string, password: string, ctx: Context) => Principal | undefined | Promise<Principal | undefined>)
    | undefined;
}

/**
 * Authenticates by name and password.
 *
 * @example
 * ```ts
 * app.use("/metrics", new BasicAuthMiddleware({ users: { prometheus: process.env["SCRAPE_PASSWORD"] ?? "" } }));
 * ```
 */
export class BasicAuthMiddleware extends SchemeMiddleware {
  readonly #verify: NonNullable<BasicAuthOptions["verify"]>;
  /** The value for `securitySchemes` of an OpenAPI document. */
  readonly securityScheme: SecurityScheme = { type: "http", scheme: "basic" };

  /**
   * @throws TypeError when neither or both of `users` and `verify` are given, on an empty password, or a `verify` that is not a
   * function.
   */
  constructor(options: BasicAuthOptions) {
    super("Basic", "BasicAuthMiddleware", options, ', charset="UTF-8"');
    this.#verify = verifierOf(options);
  }

  protected override async verify(credentials: string, ctx: Context): Promise<Principal | UnauthorizedError> {
    const text = decoded(credentials);
    const colon = text.indexOf(":");
    if (colon < 0) return this.#rejection("these credentials are malformed");
    const verified = await this.#verify(text.slice(0, colon), text.slice(colon + 1), ctx);
    return (
      checkedPrincipal("verify", "BasicAuthMiddleware", verified) ??
      this.#rejection("the name or the password is wrong")
    );
  }

  #rejection(message: string): UnauthorizedError {
    return new UnauthorizedError(message, { challenge: this.challenge });
  }
}

function verifierOf({ users, verify }: BasicAuthOptions): NonNullable<BasicAuthOptions["verify"]> {
  if ((users === undefined) === (verify === undefined))
    throw usageError("CONFIG_INVALID", "BasicAuthMiddleware takes either users or verify");
  if (verify !== undefined) {
    checkFunction("BasicAuthMiddleware", "verify", verify);
    return verify;
  }
  const passwords = new Map(Object.entries(users ?? {}));
  const odd = [...passwords].find(
    ([name, password]) => name.includes(":") || typeof password !== "string" || password === "",
  );
  if (odd !== undefined)
    throw usageError(
      "CONFIG_INVALID",
      `users of BasicAuthMiddleware: ${JSON.stringify(odd[0])} needs a password, and a name without a colon`,
    );
  return async (name, password) => {
    const expected = passwords.get(name);
    // An unknown name takes as long as a wrong password.
    const isSame = await sameSecret(password, expected ?? `${password}.`);
    return expected !== undefined && isSame ? { id: name } : undefined;
  };
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** `name:password`, or empty when it is not base64 of UTF-8, or holds control characters (RFC 7617 §2). */
function decoded(credentials: string): string {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(credentials)) return "";
  try {
    const text = utf8.decode(bytesOfBase64(credentials));
    // eslint-disable-next-line no-control-regex
    return /[\x00-\x1f\x7f]/.test(text) ? "" : text;
  } catch {
    return "";
  }
}
