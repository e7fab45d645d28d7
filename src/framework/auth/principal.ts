/**
 * Principal: the authenticated client.
 *
 *   BasicAuth · BearerAuth · JwtAuth · setPrincipal ──▶ principalOf(ctx) ──▶ requireRole, requireScope, handlers
 *
 * It is an attribute under a symbol, so no other middleware can set or read it by accident. It holds no secret, so that it can
 * be logged.
 *
 * Spec: spec/auth.md
 */
import { UnauthorizedError } from "../internal/errors.ts";
import type { Context } from "../http/context.ts";
import { usageError } from "../internal/usage-errors.ts";

/** The authenticated client. Extend it: `declare module "framework/auth" { interface Principal { email?: string } }`. */
export interface Principal {
  /** A stable name, such as the id of a user. */
  readonly id: string;
  readonly roles?: readonly string[] | undefined;
  /** The permissions of a token (RFC 6749 §3.3). */
  readonly scopes?: readonly string[] | undefined;
}

const principalSlot: unique symbol = Symbol("framework/auth principal");
const challengeSlot: unique symbol = Symbol("framework/auth challenges");

/** The principal, or undefined when none was set. */
export const principalOf = (ctx: Context): Principal | undefined =>
  ctx.attribute(principalSlot) as Principal | undefined;

/**
 * The principal.
 *
 * @throws UnauthorizedError (401) when none was set, with the challenges of earlier middlewares.
 */
export function requirePrincipal(ctx: Context): Principal {
  const principal = principalOf(ctx);
  if (principal !== undefined) return principal;
  throw new UnauthorizedError("who is asking is not known", { challenge: challengesOf(ctx) });
}

/**
 * Sets the principal. For an app's own middleware, such as one that knows it from the session.
 *
 * @throws TypeError (`CONFIG_INVALID`) when it is missing, or its roles or scopes are not lists.
 */
export function setPrincipal(ctx: Context, principal: Principal): void {
  checkPrincipal("setPrincipal got", principal, "is");
  ctx.attribute(principalSlot, principal);
}

/**
 * Is it a principal? A missing one must not pass, and a text as scopes would contain each part of itself: `orders:readonly` the
 * scope `orders:read`.
 *
 * @throws TypeError (`CONFIG_INVALID`) with a message that begins with `what`.
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

/** Notes how a client could authenticate, for inner code that requires it. */
export function addChallenge(ctx: Context, challenge: string): string {
  const earlier = challengesOf(ctx);
  const all = earlier === undefined ? challenge : `${earlier}, ${challenge}`;
  ctx.attribute(challengeSlot, all);
  return all;
}

const challengesOf = (ctx: Context): string | undefined => ctx.attribute(challengeSlot) as string | undefined;
