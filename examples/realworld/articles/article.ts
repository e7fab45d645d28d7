/**
 * An article, and what may be changed of one.
 */
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
  readonly tag?: string | undefined;
  readonly author?: string | undefined;
  readonly favorited?: string | undefined;
}

/** An article to be. */
export type NewArticle = Pick<Article, "title" | "description" | "body" | "tagList">;

/** What its author may change. Undefined: leave as it is. */
export type ArticleChanges = { readonly [K in keyof NewArticle]?: NewArticle[K] | undefined };
