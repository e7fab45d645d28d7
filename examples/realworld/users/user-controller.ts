/**
 * Users over HTTP: `/api/users` and `/api/user`.
 */
import { type ContextOf, Interface, type Responded } from "framework";
import { userOf } from "../auth/guard.ts";
import type { TokenSigner } from "../auth/tokens.ts";
import type { AuthenticatedUser, User } from "./user.ts";
import type { createUser, getCurrentUser, login, updateCurrentUser } from "./user-contracts.ts";
import type { UserService } from "./user-service.ts";

/** The account of the authenticated user. */
export interface UserController {
  register(ctx: ContextOf<typeof createUser>): Promise<Responded>;
  login(ctx: ContextOf<typeof login>): Promise<Responded>;
  current(ctx: ContextOf<typeof getCurrentUser>): Promise<Responded>;
  change(ctx: ContextOf<typeof updateCurrentUser>): Promise<Responded>;
}
/** The token of the bean. */
export const UserController: Interface<UserController> = Interface("UserController");

/** Every response has a new token. */
export class HttpUsers implements UserController {
  readonly #users: UserService;
  readonly #signer: TokenSigner;

  constructor(users: UserService, signer: TokenSigner) {
    this.#users = users;
    this.#signer = signer;
  }

  async register(ctx: ContextOf<typeof createUser>): Promise<Responded> {
    const user = await this.#users.register(ctx.input.body.user);
    return ctx.reply(201, await this.#withToken(user));
  }

  async login(ctx: ContextOf<typeof login>): Promise<Responded> {
    const user = await this.#users.login(ctx.input.body.user);
    return ctx.reply(200, await this.#withToken(user));
  }

  async current(ctx: ContextOf<typeof getCurrentUser>): Promise<Responded> {
    return ctx.reply(200, await this.#withToken(userOf(ctx)));
  }

  async change(ctx: ContextOf<typeof updateCurrentUser>): Promise<Responded> {
    const user = await this.#users.change(userOf(ctx).id, ctx.input.body.user);
    return ctx.reply(200, await this.#withToken(user));
  }

  async #withToken({ id, email, username, bio, image }: User): Promise<AuthenticatedUser> {
    return { user: { email, token: await this.#signer.sign(id), username, bio, image } };
  }
}
