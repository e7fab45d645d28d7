/**
 * framework/auth: the client's identity and permissions. JWTs need the optional peer `jose`.
 *
 * Spec: spec/auth.md
 */
export { BasicAuthMiddleware, type BasicAuthOptions } from "./basic.ts";
export { BearerAuthMiddleware, type BearerAuthOptions } from "./bearer.ts";
export { sameSecret } from "./compare.ts";
export { JwtAuthMiddleware, type JwtAuthOptions, type JwtClaims } from "./jwt.ts";
export { principalOf, requirePrincipal, setPrincipal, type Principal } from "./principal.ts";
export { requireRole, requireScope } from "./requirements.ts";
export type { SecurityScheme } from "./scheme.ts";
