/**
 * Articles over HTTP: `/api/articles`.
 */
import { type Context, Interface } from "framework";
import { authorizationOf, type SessionService } from "../auth/sessions.ts";
import { pageOf } from "../input.ts";
import { type Article, articleChangesInput, type ArticleList, newArticleInput } from "./article.ts";
import type { ArticleService } from "./article-service.ts";

/** The body of every response with one article. */
export interface ArticleBody {
  readonly article: Article;
}

/** Reading takes no account, writing does. */
export interface ArticleController {
  list(ctx: Context): Promise<ArticleList>;
  feed(ctx: Context): Promise<ArticleList>;
  show(ctx: Context<"slug">): Promise<ArticleBody>;
  publish(ctx: Context): Promise<ArticleBody>;
  change(ctx: Context<"slug">): Promise<ArticleBody>;
  remove(ctx: Context<"slug">): Promise<void>;
}
/** The token of the bean. */
export const ArticleController: Interface<ArticleController> = Interface("ArticleController");

/** Articles as JSON. */
export class HttpArticles implements ArticleController {
  readonly #articles: ArticleService;
  readonly #sessions: SessionService;

  constructor(articles: ArticleService, sessions: SessionService) {
    this.#articles = articles;
    this.#sessions = sessions;
  }

  async list(ctx: Context): Promise<ArticleList> {
    const viewer = await this.#sessions.optional(authorizationOf(ctx));
    const [tag, author, favorited] = ["tag", "author", "favorited"].map((name) => ctx.queryParam(name));
    return this.#articles.list({ tag, author, favorited }, pageOf(ctx), viewer?.id);
  }

  async feed(ctx: Context): Promise<ArticleList> {
    const { id } = await this.#sessions.required(authorizationOf(ctx));
    return this.#articles.feed(id, pageOf(ctx));
  }

  async show(ctx: Context<"slug">): Promise<ArticleBody> {
    const viewer = await this.#sessions.optional(authorizationOf(ctx));
    return { article: await this.#articles.show(ctx.pathParam("slug"), viewer?.id) };
  }

  async publish(ctx: Context): Promise<ArticleBody> {
    const { id } = await this.#sessions.required(authorizationOf(ctx));
    const article = await this.#articles.publish((await ctx.body(newArticleInput)).article, id);
    ctx.status(201).header("Location", `/api/articles/${encodeURIComponent(article.slug)}`);
    return { article };
  }

  async change(ctx: Context<"slug">): Promise<ArticleBody> {
    const { id } = await this.#sessions.required(authorizationOf(ctx));
    const { article } = await ctx.body(articleChangesInput);
    return { article: await this.#articles.change(ctx.pathParam("slug"), article, id) };
  }

  async remove(ctx: Context<"slug">): Promise<void> {
    const { id } = await this.#sessions.required(authorizationOf(ctx));
    await this.#articles.remove(ctx.pathParam("slug"), id);
    ctx.status(204);
  }
}
