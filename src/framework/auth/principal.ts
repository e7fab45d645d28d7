/**
 * Principal: who is asking, once it is known.
 *
 *   BasicAuth · BearerAuth · JwtAuth · setPrincipal ──▶ principalOf(ctx) ──▶ requireRole, requireScope, handlers
 *
 * It is an attribute under a symbol: no other middleware can set or read it by accident. It holds no secret, so that it
 * can be logged.
 *
 * Spec: spec/auth.md
 */
import { UnauthorizedError } from "../internal/errors.ts";
import type { Context } from "../http/context.ts";
import { usageError } from "../internal/usage-errors.ts";

/**
 * Who is asking. Open: `declare module "framework/auth" { interface Principal { email?: string } }`.
 */
export interface Principal {
  /** A stable name, such as the id of a user. */
  readonly id: string;
  readonly roles?: readonly string[] | undefined;
  /** What a token allows (RFC 6749 §3.3). */
  readonly scopes?: readonly string[] | undefined;
}

const principalSlot: unique symbol = Symbol("framework/auth principal");
const challengeSlot: unique symbol = Symbol("framework/auth challenges");

/** Who is asking; undefined where nobody has said so. */
export const principalOf = (ctx: Context): Principal | undefined =>
  ctx.attribute(principalSlot) as Principal | undefined;

/**
 * Who is asking.
 *
 * @throws UnauthorizedError (401) where nobody has said so, with the challenges of the middlewares before.
 */
export function requirePrincipal(ctx: Context): Principal {
  const principal = principalOf(ctx);
  if (principal !== undefined) return principal;
  throw new UnauthorizedError("who is asking is not known", { challenge: challengesOf(ctx) });
}

/**
 * Says who is asking, for a middleware of the app's own: one that knows it from the session, say.
 *
 * @throws TypeError (`CONFIG_INVALID`) when that is nobody, or its roles or scopes are no lists.
 */
export function setPrincipal(ctx: Context, principal: Principal): void {
  checkPrincipal("setPrincipal got", principal, "is");
  ctx.attribute(principalSlot, principal);
}

/**
 * Is it a principal? Nobody would be somebody, and a text as scopes would have every part of itself: `orders:readonly`
 * the scope `orders:read`.
 *
 * @throws TypeError (`CONFIG_INVALID`) that begins with `what`.
 */
export function checkPrincipal(what: string, principal: unknown, allowed: "is" | "or undefined is"): void {
  const given = principal === null ? "null" : typeof principal;
  const { id, roles, scopes } = (given === "object" ? principal : {}) as Record<string, unknown>;
  if (typeof id !== "string" || id === "")
    throw usageError("CONFIG_INVALID", `${what} ${given}: { id: "…" } ${allowed} allowed`);
  for (const [name, list] of Object.entries({ roles, scopes }))
    if (list !== undefined && !(Array.isArray(list) && list.every((one) => typeof one === "string")))
      throw usageError("CONFIG_INVALID", `${what} ${name} that are ${typeof list}: a list of texts is allowed`);
}

/** Notes how a client could authenticate, for whoever requires it further in. */
export function addChallenge(ctx: Context, challenge: string): string {
  const earlier = challengesOf(ctx);
  const all = earlier === undefined ? challenge : `${earlier}, ${challenge}`;
  ctx.attribute(challengeSlot, all);
  return all;
}

const challengesOf = (ctx: Context): string | undefined => ctx.attribute(challengeSlot) as string | undefined;
