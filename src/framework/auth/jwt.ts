/**
 * JSON Web Tokens (RFC 7519), verified by `jose`: signature, issuer, audience, time, and an algorithm from the app's own list
 * (RFC 8725 §3.1).
 *
 *   Authorization: Bearer <JWT> ──▶ jose ──▶ claims ──▶ principal
 *                                     │ keys: a secret │ a JWKS, fetched when a key is first needed, and cached;
 *                                     │                  not again immediately after a failure
 *                                     └──▶ 401 invalid_token, with the reason │ 503, no keys available
 *
 * Needs the optional peer `jose`. The app does not start without it.
 *
 * Spec: spec/auth.md
 */
import type * as Jose from "jose";
import { ServiceUnavailableError } from "../internal/errors.ts";
import type { Context } from "../http/context.ts";
import { loadPeer } from "../internal/peers.ts";
import { Faults } from "../metrics/faults.ts";
import type { Lifecycle } from "../middleware/types.ts";
import { TokenMiddleware } from "./bearer.ts";
import { checkJwtOptions, type JwtAuthOptions, type JwtClaims } from "./jwt-options.ts";
import type { Principal } from "./principal.ts";
import { checkedPrincipal, type SecurityScheme } from "./scheme.ts";

export type { JwtAuthOptions, JwtClaims } from "./jwt-options.ts";

/**
 * Authenticates by JWT.
 *
 * @example
 * ```ts
 * app.use("/api", new JwtAuthMiddleware({
 *   jwks: "https://id.example/.well-known/jwks.json",
 *   issuer: "https://id.example",
 *   audience: "https://shop.example",
 *   algorithms: ["RS256"],
 * }));
 * ```
 */
export class JwtAuthMiddleware extends TokenMiddleware {
  readonly #options: JwtAuthOptions;
  readonly #faults = new Faults("JwtAuthMiddleware: its JWKS");
  #verifier: Promise<Verifier> | undefined;
  /** The value for `securitySchemes` of an OpenAPI document. */
  readonly securityScheme: SecurityScheme = { type: "http", scheme: "bearer", bearerFormat: "JWT" };

  /** Its issuers that are URLs, which a client may ask for a token (RFC 9728). */
  readonly authorizationServers: readonly string[];

  /** @throws TypeError naming the option, its value and the allowed values. */
  constructor(options: JwtAuthOptions) {
    super("JwtAuthMiddleware", options);
    checkJwtOptions(options);
    this.#options = options;
    this.authorizationServers = [options.issuer].flat().filter((issuer) => /^https?:\/\//.test(issuer));
  }

  /** The number of requests that could not be verified because their keys could not be fetched. */
  get faults(): number {
    return this.#faults.count;
  }

  installed(app: Lifecycle): void {
    this.#faults.tell(app);
    app.onStart(() => this.#verify());
  }

  protected override async accept(token: string, ctx: Context): Promise<Principal | string> {
    const { verify, jose } = await this.#verify();
    let claims: JwtClaims;
    try {
      claims = await verify(token);
    } catch (error) {
      const reason = reasonOf(jose, error);
      if (reason !== undefined) return reason;
      this.#faults.note(error);
      throw new ServiceUnavailableError("tokens cannot be verified now", {
        cause: error,
        headers: { "Retry-After": "5" },
      });
    }
    const { principal = principalIn } = this.#options;
    return (
      checkedPrincipal("principal", "JwtAuthMiddleware", await principal(claims, ctx)) ??
      "the token names nobody known here"
    );
  }

  /** Loads jose once. After a failure the next call tries again. */
  #verify(): Promise<Verifier> {
    return (this.#verifier ??= verifierOf(this.#options).catch((error: unknown) => {
      this.#verifier = undefined;
      throw error;
    }));
  }
}

interface Verifier {
  readonly jose: typeof Jose;
  verify(token: string): Promise<JwtClaims>;
}

/** @throws Error (`PEER_MISSING`) with the command that installs jose. */
async function verifierOf(options: JwtAuthOptions): Promise<Verifier> {
  const jose = await loadPeer("JwtAuthMiddleware", "jose", () => import("jose"));
  const { issuer, audience, algorithms, type, clockToleranceSeconds = 5 } = options;
  const key = keyOf(jose, options);
  const checks: Jose.JWTVerifyOptions = {
    issuer: [issuer].flat(),
    audience: [audience].flat(),
    algorithms: [...algorithms],
    clockTolerance: clockToleranceSeconds,
    requiredClaims: ["exp"],
    ...(type === undefined ? {} : { typ: type }),
  };
  const verify = async (token: string): Promise<JwtClaims> => (await jose.jwtVerify(token, key, checks)).payload;
  return { jose, verify };
}

function keyOf(jose: typeof Jose, options: JwtAuthOptions): Jose.JWTVerifyGetKey {
  const { secret, jwks, jwksCacheMs = 600_000, jwksCooldownMs = 30_000, jwksTimeoutMs = 5_000 } = options;
  if (secret !== undefined) {
    const bytes = typeof secret === "string" ? new TextEncoder().encode(secret) : secret;
    return () => bytes;
  }
  if (typeof jwks === "object" && !(jwks instanceof URL))
    return jose.createLocalJWKSet(structuredClone(jwks) as unknown as Jose.JSONWebKeySet);
  return remoteKeys(jose, new URL(jwks ?? ""), {
    cacheMaxAge: jwksCacheMs,
    cooldownDuration: jwksCooldownMs,
    timeoutDuration: jwksTimeoutMs,
  });
}

/** The longest pause in milliseconds before keys are fetched again after a failure. */
const MAX_PAUSE_MS = 1_000;

/**
 * The keys of a server. jose fetches them once for all waiting requests, and has a cooldown after a success. The cooldown after
 * a failure is here. Otherwise each request would call a server that is down, and wait for it.
 */
function remoteKeys(
  jose: typeof Jose,
  url: URL,
  options: Jose.RemoteJWKSetOptions & { readonly cooldownDuration: number },
): Jose.JWTVerifyGetKey {
  const pauseMs = Math.min(options.cooldownDuration, MAX_PAUSE_MS);
  let failed: { readonly error: unknown; readonly until: number } | undefined;
  const fetchKeys: Jose.FetchImplementation = (from, init) => {
    if (failed !== undefined && Date.now() < failed.until) return Promise.reject(failed.error);
    failed = undefined;
    return fetch(from, init);
  };
  const keys = jose.createRemoteJWKSet(url, { ...options, [jose.customFetch]: fetchKeys });
  return async (header, token) => {
    try {
      return await keys(header, token);
    } catch (error) {
      // All that waited for one fetch have the same error.
      if (reasonOf(jose, error) === undefined) failed ??= { error, until: Date.now() + pauseMs };
      throw error;
    }
  };
}

/** The error of the token, for the client. Undefined when it is not the token's fault. */
function reasonOf({ errors }: typeof Jose, error: unknown): string | undefined {
  if (error instanceof errors.JWTExpired) return "the token has expired";
  if (error instanceof errors.JWTClaimValidationFailed)
    return error.claim === "nbf" ? "the token is not valid yet" : `the claim ${error.claim} of the token does not fit`;
  if (error instanceof errors.JWSSignatureVerificationFailed) return "the signature of the token is wrong";
  if (error instanceof errors.JOSEAlgNotAllowed) return "the algorithm of the token is not allowed";
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
    return "the token names no key that is known";
  const malformed = [errors.JWSInvalid, errors.JWTInvalid, errors.JOSENotSupported];
  return malformed.some((type) => error instanceof type) ? "the token is malformed" : undefined;
}

/** The usual claims: `sub`, `scope` or `scp`, `roles`. */
function principalIn({ sub, scope, scp, roles }: JwtClaims): Principal | undefined {
  if (typeof sub !== "string" || sub === "") return undefined;
  return { id: sub, roles: textsIn(roles), scopes: textsIn(scope ?? scp) };
}

/** A list of texts, or a text with blanks between. */
function textsIn(claim: unknown): readonly string[] {
  if (typeof claim === "string") return claim.split(" ").filter((one) => one !== "");
  return Array.isArray(claim) ? claim.filter((one): one is string => typeof one === "string") : [];
}
