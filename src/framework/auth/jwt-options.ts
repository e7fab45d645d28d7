/**
 * Options of JwtAuthMiddleware, checked. An option that would accept foreign tokens throws when it is configured.
 *
 * Spec: spec/auth.md
 */
import type { Context } from "../http/context.ts";
import { usageError } from "../internal/usage-errors.ts";
import type { Principal } from "./principal.ts";
import { checkFunction, type SchemeOptions } from "./scheme.ts";

/** The claims of a verified token. */
export interface JwtClaims {
  readonly iss?: string | undefined;
  readonly sub?: string | undefined;
  readonly aud?: string | string[] | undefined;
  readonly exp?: number | undefined;
  readonly [name: string]: unknown;
}

/** The options of a JwtAuthMiddleware: `jwks` or `secret`, and the required claims of a token. */
export interface JwtAuthOptions extends SchemeOptions {
  /** The URL of the public keys (RFC 7517), or the keys themselves: `{ keys: [ … ] }`. */
  readonly jwks?: string | URL | { readonly keys: readonly Readonly<Record<string, unknown>>[] } | undefined;
  /** The key of `HS256`, `HS384` or `HS512`: 32, 48 or 64 bytes at least (RFC 7518 §3.2). */
  readonly secret?: string | Uint8Array | undefined;
  /** The accepted issuers: `iss`. */
  readonly issuer: string | readonly string[];
  /** The accepted audiences: one of these in `aud`. */
  readonly audience: string | readonly string[];
  /** The accepted signature algorithms, e.g. `["RS256"]`. The token cannot choose another. */
  readonly algorithms: readonly string[];
  /** The required `typ` of its header, e.g. `at+jwt` (RFC 9068), so that no other kind of token is accepted. */
  readonly type?: string | undefined;
  /** The tolerated clock difference. Default 5. */
  readonly clockToleranceSeconds?: number | undefined;
  /** Returns the principal, and undefined rejects. Default: `sub`, `scope` or `scp`, `roles`. */
  readonly principal?:
    | ((claims: JwtClaims, ctx: Context) => Principal | undefined | Promise<Principal | undefined>)
    | undefined;
  /** How long fetched keys are valid. Default 10 minutes. */
  readonly jwksCacheMs?: number | undefined;
  /** How long an unknown key is not looked for again. Default 30 seconds. */
  readonly jwksCooldownMs?: number | undefined;
  /** The time limit of a fetch. Default 5 seconds. */
  readonly jwksTimeoutMs?: number | undefined;
}

const bytesNeeded: Readonly<Record<string, number>> = { HS256: 32, HS384: 48, HS512: 64 };
const asymmetric = /^(?:(?:RS|PS|ES)(?:256|384|512)|EdDSA|Ed25519|ML-DSA-(?:44|65|87))$/;

/** @throws TypeError naming the option, its value and the allowed values. */
export function checkJwtOptions(options: JwtAuthOptions): void {
  const { jwks, secret, algorithms, principal } = options;
  if ((jwks === undefined) === (secret === undefined)) throw rejected("takes either jwks or secret");
  if (!Array.isArray(algorithms) || algorithms.length === 0)
    throw rejected('has no algorithms: name those that are taken, as in ["RS256"]');
  const fits = (name: unknown): boolean =>
    typeof name === "string" && (secret === undefined ? asymmetric.test(name) : Object.hasOwn(bytesNeeded, name));
  const odd = (algorithms as readonly unknown[]).find((name) => !fits(name));
  if (odd !== undefined)
    throw rejected(
      `has ${JSON.stringify(odd)} among its algorithms: ${secret === undefined ? "with jwks RS256, PS256, ES256, EdDSA and their like" : "with a secret HS256, HS384 and HS512"} are allowed`,
    );
  if (secret !== undefined) checkSecret(secret, algorithms);
  else checkKeys(jwks);
  if (principal !== undefined) checkFunction("JwtAuthMiddleware", "principal", principal);
  for (const option of ["issuer", "audience"] as const) checkNames(option, options[option]);
  for (const option of ["clockToleranceSeconds", "jwksCacheMs", "jwksCooldownMs", "jwksTimeoutMs"] as const) {
    const value = options[option];
    const isBounded = option === "clockToleranceSeconds" || option === "jwksTimeoutMs";
    if (value !== undefined && !(value >= 0 && (!isBounded || value < 2 ** 31)))
      throw rejected(
        `has ${option} ${String(value)}: a number from 0 ${isBounded ? `to ${2 ** 31 - 1} ` : ""}is allowed`,
      );
  }
}

function checkSecret(secret: string | Uint8Array, algorithms: readonly string[]): void {
  const needed = Math.max(...algorithms.map((name) => bytesNeeded[name] ?? 0));
  const bytes: unknown = typeof secret === "string" ? new TextEncoder().encode(secret) : secret;
  if (!(bytes instanceof Uint8Array)) throw rejected("has a secret that is neither text nor a Uint8Array");
  if (bytes.length < needed)
    throw rejected(
      `has a secret of ${bytes.length} bytes: ${algorithms.join(", ")} need ${needed}, such as openssl rand -hex ${needed} prints`,
    );
}

function checkKeys(jwks: JwtAuthOptions["jwks"]): void {
  if (typeof jwks === "object" && jwks !== null && !(jwks instanceof URL)) {
    if (!Array.isArray(jwks.keys)) throw rejected("has jwks without a list of keys: { keys: [ … ] } is allowed");
    return;
  }
  const url = URL.canParse(String(jwks)) ? new URL(String(jwks)) : undefined;
  if (url?.protocol !== "https:" && url?.protocol !== "http:")
    throw rejected(`has the jwks ${JSON.stringify(String(jwks))}: a URL of http: or https: is allowed`);
}

function checkNames(option: "issuer" | "audience", value: unknown): void {
  const names = [value].flat();
  if (names.length === 0 || names.some((name) => typeof name !== "string" || name === ""))
    throw rejected(`has no ${option}: without it a token that was made for somebody else would be taken`);
}

const rejected = (what: string): TypeError => usageError("CONFIG_INVALID", `JwtAuthMiddleware ${what}`);
