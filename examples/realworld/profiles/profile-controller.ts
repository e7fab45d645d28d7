/**
 * Profiles over HTTP: `/api/profiles/{username}`.
 */
import { type Context, Interface } from "framework";
import { authorizationOf, type SessionService } from "../auth/sessions.ts";
import type { Profile } from "./profile.ts";
import type { ProfileService } from "./profile-service.ts";

/** The body of every profile response. */
export interface ProfileBody {
  readonly profile: Profile;
}

/** Other users, as the reader sees them. */
export interface ProfileController {
  show(ctx: Context<"username">): Promise<ProfileBody>;
  follow(ctx: Context<"username">): Promise<ProfileBody>;
  unfollow(ctx: Context<"username">): Promise<ProfileBody>;
}
/** The token of the bean. */
export const ProfileController: Interface<ProfileController> = Interface("ProfileController");

/** Reading needs no account; following takes an account. */
export class HttpProfiles implements ProfileController {
  readonly #profiles: ProfileService;
  readonly #sessions: SessionService;

  constructor(profiles: ProfileService, sessions: SessionService) {
    this.#profiles = profiles;
    this.#sessions = sessions;
  }

  async show(ctx: Context<"username">): Promise<ProfileBody> {
    const viewer = await this.#sessions.optional(authorizationOf(ctx));
    return { profile: await this.#profiles.show(ctx.pathParam("username"), viewer?.id) };
  }

  async follow(ctx: Context<"username">): Promise<ProfileBody> {
    const { id } = await this.#sessions.required(authorizationOf(ctx));
    return { profile: await this.#profiles.follow(ctx.pathParam("username"), id) };
  }

  async unfollow(ctx: Context<"username">): Promise<ProfileBody> {
    const { id } = await this.#sessions.required(authorizationOf(ctx));
    return { profile: await this.#profiles.unfollow(ctx.pathParam("username"), id) };
  }
}
