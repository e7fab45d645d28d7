/**
 * An article, and what clients may write of one.
 */
import { z } from "zod";
import { text } from "../input.ts";
import type { Profile } from "../profiles/profile.ts";

/** An article in a list: as its reader sees it, without its body. */
export interface ArticleSummary {
  readonly slug: string;
  readonly title: string;
  readonly description: string;
  readonly tagList: readonly string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly favorited: boolean;
  readonly favoritesCount: number;
  readonly author: Profile;
}

/** A whole article. */
export interface Article extends ArticleSummary {
  readonly body: string;
}

/** A part of a list, and how many there are in all. */
export interface ArticleList {
  readonly articles: readonly ArticleSummary[];
  readonly articlesCount: number;
}

/** What a list is narrowed to; undefined narrows nothing. Names are user names. */
export interface ArticleFilter {
  readonly tag: string | undefined;
  readonly author: string | undefined;
  readonly favorited: string | undefined;
}

const title = text(200);
const description = text(1_000);
const body = text(100_000);
const tagList = z.array(text(50), "is no list").max(20, "has more than 20 tags");

/** `POST /api/articles` */
export const newArticleInput = z.object({
  article: z.object({
    title,
    description,
    body,
    tagList: tagList.default([]).transform((tags) => [...new Set(tags)].toSorted()),
  }),
});

/** `PUT /api/articles/{slug}` */
export const articleChangesInput = z.object({
  article: z
    .object({ title: title.optional(), description: description.optional(), body: body.optional() })
    .refine((changes) => Object.keys(changes).length > 0, "at least one field is required"),
});

/** An article to be. */
export type NewArticle = z.output<typeof newArticleInput>["article"];

/** What its author may change. Undefined: leave as it is. */
export type ArticleChanges = z.output<typeof articleChangesInput>["article"];
