/**
 * How an article is read: its columns, its tables, and the conversion of a row.
 * `$1` is the viewer's id, null without an account.
 */
import type { ArticleSummary } from "./article.ts";

/** A row of `select ${columns} from ${tables}`. */
export interface ArticleRow extends Omit<ArticleSummary, "author"> {
  readonly username: string;
  readonly bio: string | null;
  readonly image: string | null;
  readonly following: boolean;
}

/** The selected columns. */
export const columns = `
  a.slug, a.title, a.description, a.tag_list as "tagList", a.created_at as "createdAt", a.updated_at as "updatedAt",
  exists (select 1 from favorites where article_id = a.id and user_id = $1::int) as favorited,
  (select count(*)::int from favorites where article_id = a.id) as "favoritesCount",
  u.username, u.bio, u.image,
  exists (select 1 from follows where follower_id = $1::int and followed_id = u.id) as following`;

/** The joined tables. */
export const tables = "articles a join users u on u.id = a.author_id";

/** The article of a row, without the row's other columns. */
export function articleOf({ username, bio, image, following, ...row }: ArticleRow): ArticleSummary {
  const { slug, title, description, tagList, createdAt, updatedAt, favorited, favoritesCount } = row;
  const author = { username, bio, image, following };
  return { slug, title, description, tagList, createdAt, updatedAt, favorited, favoritesCount, author };
}
