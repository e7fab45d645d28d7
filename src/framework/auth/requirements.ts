/**
 * The requirements on a principal: `use: [requireRole("admin")]` on a route, `group.use(requireScope("orders:read"))`.
 *
 *   no principal ──▶ 401 with the challenges of earlier middlewares     one without it ──▶ 403
 *
 * Spec: spec/auth.md
 */
import { ForbiddenError } from "../internal/errors.ts";
import { HookMiddleware } from "../middleware/hooks.ts";
import type { Context } from "../http/context.ts";
import { usageError } from "../internal/usage-errors.ts";
import { type Principal, requirePrincipal } from "./principal.ts";
import { quoted } from "./scheme.ts";

class Requirement extends HookMiddleware {
  readonly #rejectionOf: (principal: Principal) => ForbiddenError | undefined;

  constructor(rejectionOf: (principal: Principal) => ForbiddenError | undefined) {
    super();
    this.#rejectionOf = rejectionOf;
  }

  override before(ctx: Context): void {
    const rejection = this.#rejectionOf(requirePrincipal(ctx));
    if (rejection !== undefined) throw rejection;
  }
}

/** Accepts principals with one of these roles. @throws TypeError when none is named. */
export function requireRole(...roles: readonly string[]): HookMiddleware {
  const wanted = checkedNames("requireRole", roles);
  return new Requirement(({ roles: has = [] }) =>
    has.some((role) => wanted.includes(role))
      ? undefined
      : new ForbiddenError(`this needs the role ${wanted.join(" or ")}`),
  );
}

/** Accepts principals with all of these scopes (RFC 6750 §3.1). @throws TypeError when none is named. */
export function requireScope(...scopes: readonly string[]): HookMiddleware {
  const wanted = checkedNames("requireScope", scopes);
  const challenge = `Bearer error="insufficient_scope", scope=${quoted(wanted.join(" "))}`;
  return new Requirement(({ scopes: has = [] }) =>
    wanted.every((scope) => has.includes(scope))
      ? undefined
      : new ForbiddenError(`this needs the scope ${wanted.join(" and ")}`, {
          headers: { "WWW-Authenticate": challenge },
        }),
  );
}

/** The characters of a scope (RFC 6749 §3.3). */
function checkedNames(owner: string, names: readonly string[]): readonly string[] {
  const isName = (name: unknown): boolean => typeof name === "string" && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(name);
  if (names.length > 0 && names.every(isName)) return names;
  throw usageError(
    "CONFIG_INVALID",
    `${owner} got ${JSON.stringify(names)}: names of printable ASCII without blanks and quotes are allowed`,
  );
}
