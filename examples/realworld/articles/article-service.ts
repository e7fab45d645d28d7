/**
 * Reading and writing articles: only their author may change them.
 */
import { Interface } from "framework";
import type { Clock } from "../auth/clock.ts";
import type { Page } from "../contracts.ts";
import { ForbiddenError, UnknownError } from "../errors.ts";
import type { Viewer } from "../profiles/profile.ts";
import type { Article, ArticleChanges, ArticleFilter, ArticleList, NewArticle } from "./article.ts";
import type { ArticleKey, ArticleRepository } from "./article-repository.ts";
import type { SlugMaker } from "./slugs.ts";

/** Articles, as `viewer` sees them. An unknown slug is UnknownError (404). */
export interface ArticleService {
  list(filter: ArticleFilter, page: Page, viewer: Viewer): Promise<ArticleList>;
  feed(viewer: number, page: Page): Promise<ArticleList>;
  show(slug: string, viewer: Viewer): Promise<Article>;
  publish(article: NewArticle, author: number): Promise<Article>;
  /** A new title gives a new slug. @throws ForbiddenError (403) for another user's article. */
  change(slug: string, changes: ArticleChanges, author: number): Promise<Article>;
  /** @throws ForbiddenError (403) for another user's article. */
  remove(slug: string, author: number): Promise<void>;
}
/** The token of the bean. */
export const ArticleService: Interface<ArticleService> = Interface("ArticleService");

/** Articles of this Conduit. */
export class ConduitArticles implements ArticleService {
  readonly #articles: ArticleRepository;
  readonly #slugs: SlugMaker;
  readonly #clock: Clock;

  constructor(articles: ArticleRepository, slugs: SlugMaker, clock: Clock) {
    this.#articles = articles;
    this.#slugs = slugs;
    this.#clock = clock;
  }

  list(filter: ArticleFilter, page: Page, viewer: Viewer): Promise<ArticleList> {
    return this.#articles.list(filter, page, viewer);
  }

  feed(viewer: number, page: Page): Promise<ArticleList> {
    return this.#articles.feed(viewer, page);
  }

  async show(slug: string, viewer: Viewer): Promise<Article> {
    const article = await this.#articles.find(slug, viewer);
    if (article === undefined) throw new UnknownError("article");
    return article;
  }

  async publish(article: NewArticle, author: number): Promise<Article> {
    const slug = await this.#freeSlug(article.title);
    await this.#articles.add({ ...article, slug }, author, this.#clock.now());
    return this.show(slug, author);
  }

  async change(slug: string, { title, description, body, tagList }: ArticleChanges, author: number): Promise<Article> {
    const { id } = await this.#owned(slug, author);
    const before = await this.show(slug, author);
    const after = {
      slug: title === undefined || title === before.title ? slug : await this.#freeSlug(title, slug),
      title: title ?? before.title,
      description: description ?? before.description,
      body: body ?? before.body,
      tagList: tagList ?? before.tagList,
      updatedAt: this.#clock.now(),
    };
    await this.#articles.change(id, after);
    return this.show(after.slug, author);
  }

  async remove(slug: string, author: number): Promise<void> {
    const { id } = await this.#owned(slug, author);
    await this.#articles.remove(id);
  }

  async #owned(slug: string, author: number): Promise<ArticleKey> {
    const key = await this.#articles.key(slug);
    if (key === undefined) throw new UnknownError("article");
    if (key.authorId !== author) throw new ForbiddenError("article");
    return key;
  }

  /** The article may keep its own slug. */
  async #freeSlug(title: string, own?: string): Promise<string> {
    const taken = await this.#articles.slugsLike(this.#slugs.base(title));
    return this.#slugs.make(
      title,
      taken.filter((slug) => slug !== own),
    );
  }
}
