/**
 * A comment on an article.
 */
import type { Profile } from "../profiles/profile.ts";

/** A comment, as its reader sees it. */
export interface Comment {
  readonly id: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly body: string;
  readonly author: Profile;
}
