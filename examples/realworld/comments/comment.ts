/**
 * A comment on an article, and what clients may write of one.
 */
import { z } from "zod";
import { text } from "../input.ts";
import type { Profile } from "../profiles/profile.ts";

/** A comment, as its reader sees it. */
export interface Comment {
  readonly id: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly body: string;
  readonly author: Profile;
}

/** `POST /api/articles/{slug}/comments` */
export const newCommentInput = z.object({ comment: z.object({ body: text(10_000) }) });
