/**
 * Authentication: `Authorization: Token <jwt>`.
 */
import { Interface } from "framework";
import { UnauthorizedError } from "../errors.ts";
import type { User } from "../users/user.ts";
import type { UserRepository } from "../users/user-repository.ts";
import type { TokenSigner } from "./tokens.ts";

/** Finds the user of a request. */
export interface SessionService {
  /** @throws UnauthorizedError without a token, with an invalid one, and for a deleted user. */
  required(authorization: string | undefined): Promise<User>;
  /** Undefined without a token. @throws UnauthorizedError with an invalid one, so that the client learns of it. */
  optional(authorization: string | undefined): Promise<User | undefined>;
}
/** The token of the bean. */
export const SessionService: Interface<SessionService> = Interface("SessionService");

/** Sessions that exist only in the token: nothing is stored. */
export class TokenSessions implements SessionService {
  readonly #signer: TokenSigner;
  readonly #users: UserRepository;

  constructor(signer: TokenSigner, users: UserRepository) {
    this.#signer = signer;
    this.#users = users;
  }

  async required(authorization: string | undefined): Promise<User> {
    if (authorization === undefined) throw new UnauthorizedError("token", "is missing");
    const [, token] = /^(?:Token|Bearer) +(\S+)$/i.exec(authorization) ?? [];
    if (token === undefined) throw new UnauthorizedError("token", "is written: Authorization: Token <jwt>");
    const id = await this.#signer.read(token);
    const user = id === undefined ? undefined : await this.#users.find(id);
    if (user === undefined) throw new UnauthorizedError("token", "is not valid");
    return user;
  }

  async optional(authorization: string | undefined): Promise<User | undefined> {
    return authorization === undefined ? undefined : this.required(authorization);
  }
}
