/**
 * Users over HTTP: `/api/users` and `/api/user`.
 */
import { type Context, Interface } from "framework";
import { authorizationOf, type SessionService } from "../auth/sessions.ts";
import type { TokenSigner } from "../auth/tokens.ts";
import { type AuthenticatedUser, loginInput, registrationInput, type User, userChangesInput } from "./user.ts";
import type { UserService } from "./user-service.ts";

/** The account of the user who asks. */
export interface UserController {
  register(ctx: Context): Promise<AuthenticatedUser>;
  login(ctx: Context): Promise<AuthenticatedUser>;
  current(ctx: Context): Promise<AuthenticatedUser>;
  change(ctx: Context): Promise<AuthenticatedUser>;
}
/** The token of the bean. */
export const UserController: Interface<UserController> = Interface("UserController");

/** Every response carries a fresh token. */
export class HttpUsers implements UserController {
  readonly #users: UserService;
  readonly #sessions: SessionService;
  readonly #signer: TokenSigner;

  constructor(users: UserService, sessions: SessionService, signer: TokenSigner) {
    this.#users = users;
    this.#sessions = sessions;
    this.#signer = signer;
  }

  async register(ctx: Context): Promise<AuthenticatedUser> {
    const { user } = await ctx.body(registrationInput);
    const registered = await this.#users.register(user);
    ctx.status(201);
    return this.#withToken(registered);
  }

  async login(ctx: Context): Promise<AuthenticatedUser> {
    const { user } = await ctx.body(loginInput);
    return this.#withToken(await this.#users.login(user));
  }

  async current(ctx: Context): Promise<AuthenticatedUser> {
    return this.#withToken(await this.#sessions.required(authorizationOf(ctx)));
  }

  async change(ctx: Context): Promise<AuthenticatedUser> {
    const { id } = await this.#sessions.required(authorizationOf(ctx));
    const { bio, ...changes } = (await ctx.body(userChangesInput)).user;
    const defined = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
    return this.#withToken(
      await this.#users.change(id, { ...defined, ...(bio === undefined ? {} : { bio: bio ?? "" }) }),
    );
  }

  async #withToken({ id, email, username, bio, image }: User): Promise<AuthenticatedUser> {
    return { user: { email, token: await this.#signer.sign(id), username, bio, image } };
  }
}
