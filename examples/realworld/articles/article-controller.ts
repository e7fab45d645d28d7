/**
 * Articles over HTTP: `/api/articles`.
 */
import { type ContextOf, Interface, type Responded } from "framework";
import { userOf, viewerOf } from "../auth/guard.ts";
import type {
  createArticle,
  deleteArticle,
  getArticle,
  getArticles,
  getArticlesFeed,
  updateArticle,
} from "./article-contracts.ts";
import type { ArticleService } from "./article-service.ts";

/** Lists of articles, and one at a time. */
export interface ArticleController {
  list(ctx: ContextOf<typeof getArticles>): Promise<Responded>;
  feed(ctx: ContextOf<typeof getArticlesFeed>): Promise<Responded>;
  show(ctx: ContextOf<typeof getArticle, "slug">): Promise<Responded>;
  publish(ctx: ContextOf<typeof createArticle>): Promise<Responded>;
  change(ctx: ContextOf<typeof updateArticle, "slug">): Promise<Responded>;
  remove(ctx: ContextOf<typeof deleteArticle, "slug">): Promise<Responded>;
}
/** The token of the bean. */
export const ArticleController: Interface<ArticleController> = Interface("ArticleController");

/** Articles as JSON. */
export class HttpArticles implements ArticleController {
  readonly #articles: ArticleService;

  constructor(articles: ArticleService) {
    this.#articles = articles;
  }

  async list(ctx: ContextOf<typeof getArticles>): Promise<Responded> {
    const { limit, offset, ...filter } = ctx.input.query;
    return ctx.reply(200, await this.#articles.list(filter, { limit, offset }, viewerOf(ctx)));
  }

  async feed(ctx: ContextOf<typeof getArticlesFeed>): Promise<Responded> {
    return ctx.reply(200, await this.#articles.feed(userOf(ctx).id, ctx.input.query));
  }

  async show(ctx: ContextOf<typeof getArticle, "slug">): Promise<Responded> {
    return ctx.reply(200, { article: await this.#articles.show(ctx.pathParam("slug"), viewerOf(ctx)) });
  }

  async publish(ctx: ContextOf<typeof createArticle>): Promise<Responded> {
    const article = await this.#articles.publish(ctx.input.body.article, userOf(ctx).id);
    ctx.setHeader("Location", `/api/articles/${encodeURIComponent(article.slug)}`);
    return ctx.reply(201, { article });
  }

  async change(ctx: ContextOf<typeof updateArticle, "slug">): Promise<Responded> {
    const article = await this.#articles.change(ctx.pathParam("slug"), ctx.input.body.article, userOf(ctx).id);
    return ctx.reply(200, { article });
  }

  async remove(ctx: ContextOf<typeof deleteArticle, "slug">): Promise<Responded> {
    await this.#articles.remove(ctx.pathParam("slug"), userOf(ctx).id);
    return ctx.reply(204);
  }
}
