/**
 * An article, and its changeable fields.
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

/** A part of a list, and the total number of entries. */
export interface ArticleList {
  readonly articles: readonly ArticleSummary[];
  readonly articlesCount: number;
}

/** The filters of a list. Undefined does not filter. Names are user names. */
export interface ArticleFilter {
  readonly tag?: string | undefined;
  readonly author?: string | undefined;
  readonly favorited?: string | undefined;
}

/** A new article. */
export type NewArticle = Pick<Article, "title" | "description" | "body" | "tagList">;

/** The fields that its author may change. Undefined leaves a field unchanged. */
export type ArticleChanges = { readonly [K in keyof NewArticle]?: NewArticle[K] | undefined };
