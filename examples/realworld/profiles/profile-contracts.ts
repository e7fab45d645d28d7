/**
 * The contracts of "Profile".
 */
import { contract } from "framework";
import { z } from "zod";
import { anyone, failing, signedIn } from "../contracts.ts";
import type { Profile } from "./profile.ts";

/** A user as others see them. */
export const profile: z.ZodType<Profile> = z
  .object({ username: z.string(), bio: z.string().nullable(), image: z.string().nullable(), following: z.boolean() })
  .meta({ id: "Profile" });
const profileBody = z.object({ profile });

export const getProfileByUsername = contract({
  ...anyone,
  operationId: "GetProfileByUsername",
  summary: "Get a profile",
  responses: { 200: profileBody, ...failing(401, 404, 422) },
  example: { path: { username: "jake" } },
});
export const followUserByUsername = contract({
  ...signedIn,
  operationId: "FollowUserByUsername",
  summary: "Follow a user",
  responses: { 200: profileBody, ...failing(401, 404, 422) },
  example: { path: { username: "jake" } },
});
export const unfollowUserByUsername = contract({
  ...signedIn,
  operationId: "UnfollowUserByUsername",
  summary: "Unfollow a user",
  responses: { 200: profileBody, ...failing(401, 404, 422) },
  example: { path: { username: "jake" } },
});
