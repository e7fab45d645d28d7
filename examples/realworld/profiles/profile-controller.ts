/**
 * Profiles over HTTP: `/api/profiles/{username}`.
 */
import { type ContextOf, Interface, type Responded } from "framework";
import { userOf, viewerOf } from "../auth/guard.ts";
import type { followUserByUsername, getProfileByUsername, unfollowUserByUsername } from "./profile-contracts.ts";
import type { ProfileService } from "./profile-service.ts";

/** Other users, as the reader sees them. */
export interface ProfileController {
  show(ctx: ContextOf<typeof getProfileByUsername, "username">): Promise<Responded>;
  follow(ctx: ContextOf<typeof followUserByUsername, "username">): Promise<Responded>;
  unfollow(ctx: ContextOf<typeof unfollowUserByUsername, "username">): Promise<Responded>;
}
/** The token of the bean. */
export const ProfileController: Interface<ProfileController> = Interface("ProfileController");

/** Profiles as JSON. */
export class HttpProfiles implements ProfileController {
  readonly #profiles: ProfileService;

  constructor(profiles: ProfileService) {
    this.#profiles = profiles;
  }

  async show(ctx: ContextOf<typeof getProfileByUsername, "username">): Promise<Responded> {
    return ctx.reply(200, { profile: await this.#profiles.show(ctx.pathParam("username"), viewerOf(ctx)) });
  }

  async follow(ctx: ContextOf<typeof followUserByUsername, "username">): Promise<Responded> {
    return ctx.reply(200, { profile: await this.#profiles.follow(ctx.pathParam("username"), userOf(ctx).id) });
  }

  async unfollow(ctx: ContextOf<typeof unfollowUserByUsername, "username">): Promise<Responded> {
    return ctx.reply(200, { profile: await this.#profiles.unfollow(ctx.pathParam("username"), userOf(ctx).id) });
  }
}
