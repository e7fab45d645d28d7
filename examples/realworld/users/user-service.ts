/**
 * Registering, logging in, and changing one's account.
 */
import { Interface } from "framework";
import type { PasswordHasher } from "../auth/passwords.ts";
import { UnauthorizedError } from "../errors.ts";
import type { User, UserChanges } from "./user.ts";
import type { UserRepository } from "./user-repository.ts";

/** Operations of users on their account. */
export interface UserService {
  register(user: { readonly username: string; readonly email: string; readonly password: string }): Promise<User>;
  /** @throws UnauthorizedError, the same for an unknown address and for a wrong password. */
  login(credentials: { readonly email: string; readonly password: string }): Promise<User>;
  change(
    id: number,
    changes: Omit<UserChanges, "passwordHash"> & { readonly password?: string | undefined },
  ): Promise<User>;
}
/** The token of the bean. */
export const UserService: Interface<UserService> = Interface("UserService");

/** Users of this Conduit. */
export class ConduitUsers implements UserService {
  readonly #users: UserRepository;
  readonly #passwords: PasswordHasher;

  constructor(users: UserRepository, passwords: PasswordHasher) {
    this.#users = users;
    this.#passwords = passwords;
  }

  async register({ password, ...user }: Parameters<UserService["register"]>[0]): Promise<User> {
    return this.#users.add({ ...user, passwordHash: await this.#passwords.hash({ password }) });
  }

  async login({ email, password }: Parameters<UserService["login"]>[0]): Promise<User> {
    const user = await this.#users.findByEmail(email);
    const right = await this.#passwords.matches({ password, passwordHash: user?.passwordHash });
    if (user === undefined || !right) throw new UnauthorizedError("credentials", "invalid");
    return user;
  }

  async change(id: number, { password, ...changes }: Parameters<UserService["change"]>[1]): Promise<User> {
    if (password === undefined) return this.#users.change(id, changes);
    return this.#users.change(id, { ...changes, passwordHash: await this.#passwords.hash({ password }) });
  }
}
