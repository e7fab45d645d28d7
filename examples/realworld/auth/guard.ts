/**
 * Authenticates a request before anything else of it is processed.
 *
 *   request ──▶ ctx.meta.account ──▶ SessionService ──▶ ctx.attribute(user) ──▶ contract ──▶ controller
 *                                         └──▶ 401, before any 404 or 422 could tell a secret
 *
 * A contract says in its `meta` whether an account is required or optional. Without that no account is checked.
 */
import type { Context, MiddlewareFunction } from "framework";
import type { Viewer } from "../profiles/profile.ts";
import type { User } from "../users/user.ts";
import { SessionService } from "./sessions.ts";

/** The key of the request's user. */
const currentUser: unique symbol = Symbol("conduit.user");

declare module "framework" {
  interface ContextAttributes {
    [currentUser]: User;
  }
  interface RouteMeta {
    /** Does a route of Conduit need an account? */
    readonly account?: "required" | "optional" | undefined;
  }
}

/** The part of a context that the guard reads. */
type Asked = Pick<Context, "method" | "route"> & { attribute(name: typeof currentUser): User | undefined };

/** Lets a request through with the account that its route's contract requires. */
export const guard: MiddlewareFunction = async (ctx, next) => {
  const { account } = ctx.meta;
  if (account === undefined) return next();
  const user = await ctx.get(SessionService)[account](ctx.header("authorization"));
  if (user !== undefined) ctx.attribute(currentUser, user);
  return next();
};

/** The authenticated user, or undefined without an account. */
export const viewerOf = (ctx: Asked): Viewer => ctx.attribute(currentUser)?.id;

/** The authenticated user on a route with an account. @throws Error on another route. */
export function userOf(ctx: Asked): User {
  const user = ctx.attribute(currentUser);
  if (user === undefined) throw new Error(`${ctx.method} ${ctx.route} does not say that it takes an account`);
  return user;
}
