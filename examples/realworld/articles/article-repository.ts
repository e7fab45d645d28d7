/**
 * Articles in the database. One view of an article, for every reader:
 *
 *   articles ── author ── favorites (how many; mine?) ── follows (do I follow the author?)
 */
import { Interface } from "framework";
import type { Database } from "../database/database.ts";
import type { Page } from "../contracts.ts";
import type { Viewer } from "../profiles/profile.ts";
import type { Article, ArticleFilter, ArticleList, ArticleSummary, NewArticle } from "./article.ts";
import { type ArticleRow, articleOf, columns, tables } from "./article-rows.ts";

/** The identity of an article, and who may change it. */
export interface ArticleKey {
  readonly id: number;
  readonly authorId: number;
}

/** An article's own fields, to be written. */
export type ArticleFields = Pick<Article, "slug" | "title" | "description" | "body" | "tagList" | "updatedAt">;

/** Keeps articles. */
export interface ArticleRepository {
  key(slug: string): Promise<ArticleKey | undefined>;
  find(slug: string, viewer: Viewer): Promise<Article | undefined>;
  /** The newest first. */
  list(filter: ArticleFilter, page: Page, viewer: Viewer): Promise<ArticleList>;
  /** Articles of authors whom `viewer` follows, the newest first. */
  feed(viewer: number, page: Page): Promise<ArticleList>;
  slugsLike(base: string): Promise<readonly string[]>;
  /** @throws UniqueViolationError if the slug was taken in the meantime. */
  add(article: NewArticle & { readonly slug: string }, authorId: number, createdAt: Date): Promise<void>;
  /** @throws UniqueViolationError if the slug was taken in the meantime. */
  change(id: number, fields: ArticleFields): Promise<void>;
  remove(id: number): Promise<void>;
}
/** The token of the bean. */
export const ArticleRepository: Interface<ArticleRepository> = Interface("ArticleRepository");

/** In PostgreSQL. */
export class SqlArticleRepository implements ArticleRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async key(slug: string): Promise<ArticleKey | undefined> {
    const [row] = await this.#database.query<ArticleKey>(
      `select id, author_id as "authorId" from articles where slug = $1`,
      [slug],
    );
    return row;
  }

  async find(slug: string, viewer: Viewer): Promise<Article | undefined> {
    const [row] = await this.#database.query<ArticleRow & { readonly body: string }>(
      `select a.body, ${columns} from ${tables} where a.slug = $2`,
      [viewer ?? null, slug],
    );
    return row === undefined ? undefined : { ...articleOf(row), body: row.body };
  }

  list({ tag, author, favorited }: ArticleFilter, page: Page, viewer: Viewer): Promise<ArticleList> {
    const where = `
      ($2::text is null or $2 = any(a.tag_list))
      and ($3::text is null or u.username = $3)
      and ($4::text is null or exists (select 1 from favorites f join users fu on fu.id = f.user_id
                                       where f.article_id = a.id and fu.username = $4))`;
    return this.#page(where, [viewer ?? null, tag ?? null, author ?? null, favorited ?? null], page);
  }

  feed(viewer: number, page: Page): Promise<ArticleList> {
    const where = "exists (select 1 from follows where follower_id = $1 and followed_id = a.author_id)";
    return this.#page(where, [viewer], page);
  }

  async slugsLike(base: string): Promise<readonly string[]> {
    const rows = await this.#database.query<{ slug: string }>("select slug from articles where starts_with(slug, $1)", [
      base,
    ]);
    return rows.map(({ slug }) => slug);
  }

  async add(article: NewArticle & { readonly slug: string }, authorId: number, createdAt: Date): Promise<void> {
    const { slug, title, description, body, tagList } = article;
    await this.#database.change(
      `insert into articles (slug, author_id, title, description, body, tag_list, created_at, updated_at)
       values ($1, $2, $3, $4, $5, $6, $7, $7)`,
      [slug, authorId, title, description, body, tagList, createdAt],
    );
  }

  async change(id: number, { slug, title, description, body, tagList, updatedAt }: ArticleFields): Promise<void> {
    await this.#database.change(
      `update articles set slug = $2, title = $3, description = $4, body = $5, tag_list = $6, updated_at = $7
       where id = $1`,
      [id, slug, title, description, body, tagList, updatedAt],
    );
  }

  async remove(id: number): Promise<void> {
    await this.#database.change("delete from articles where id = $1", [id]);
  }

  async #page(where: string, values: readonly unknown[], { limit, offset }: Page): Promise<ArticleList> {
    const from = `from ${tables} where ${where}`;
    // The viewer's number is in every count too, or PostgreSQL could not infer the type of $1.
    const [total] = await this.#database.query<{ count: number }>(
      `select count(*)::int as count ${from} and ($1::int is null or true)`,
      values,
    );
    const rows = await this.#database.query<ArticleRow>(
      `select ${columns} ${from} order by a.created_at desc, a.id desc
       limit $${values.length + 1} offset $${values.length + 2}`,
      [...values, limit, offset],
    );
    const articles: readonly ArticleSummary[] = rows.map(articleOf);
    return { articles, articlesCount: total?.count ?? 0 };
  }
}
