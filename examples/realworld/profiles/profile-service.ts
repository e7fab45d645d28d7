/**
 * Profiles of other users, and following them.
 */
import { Interface } from "framework";
import { InvalidInputError, UnknownError } from "../errors.ts";
import type { User } from "../users/user.ts";
import type { UserRepository } from "../users/user-repository.ts";
import type { FollowRepository } from "./follow-repository.ts";
import type { Profile, Viewer } from "./profile.ts";

/** Profiles, as `viewer` sees them. Every method throws UnknownError (404) for an unknown name. */
export interface ProfileService {
  show(username: string, viewer: Viewer): Promise<Profile>;
  /** @throws InvalidInputError (422) for oneself. */
  follow(username: string, viewer: number): Promise<Profile>;
  unfollow(username: string, viewer: number): Promise<Profile>;
}
/** The token of the bean. */
export const ProfileService: Interface<ProfileService> = Interface("ProfileService");

/** Profiles of this Conduit. */
export class ConduitProfiles implements ProfileService {
  readonly #users: UserRepository;
  readonly #follows: FollowRepository;

  constructor(users: UserRepository, follows: FollowRepository) {
    this.#users = users;
    this.#follows = follows;
  }

  async show(username: string, viewer: Viewer): Promise<Profile> {
    const user = await this.#find(username);
    return profileOf(user, viewer !== undefined && (await this.#follows.has(viewer, user.id)));
  }

  async follow(username: string, viewer: number): Promise<Profile> {
    const user = await this.#find(username);
    if (user.id === viewer) throw new InvalidInputError("profile", "is your own: you cannot follow yourself");
    await this.#follows.add(viewer, user.id);
    return profileOf(user, true);
  }

  async unfollow(username: string, viewer: number): Promise<Profile> {
    const user = await this.#find(username);
    await this.#follows.remove(viewer, user.id);
    return profileOf(user, false);
  }

  async #find(username: string): Promise<User> {
    const user = await this.#users.findByUsername(username);
    if (user === undefined) throw new UnknownError("profile");
    return user;
  }
}

function profileOf({ username, bio, image }: User, following: boolean): Profile {
  return { username, bio, image, following };
}
