/**
 * Liking articles, including one's own.
 */
import { Interface } from "framework";
import { UnknownError } from "../errors.ts";
import type { Article } from "./article.ts";
import type { ArticleRepository } from "./article-repository.ts";
import type { ArticleService } from "./article-service.ts";
import type { FavoriteRepository } from "./favorite-repository.ts";

/** Favourites. Both return the article after the change. An unknown slug is UnknownError (404). */
export interface FavoriteService {
  add(slug: string, userId: number): Promise<Article>;
  remove(slug: string, userId: number): Promise<Article>;
}
/** The token of the bean. */
export const FavoriteService: Interface<FavoriteService> = Interface("FavoriteService");

/** Favourites of this Conduit. */
export class ConduitFavorites implements FavoriteService {
  readonly #favorites: FavoriteRepository;
  readonly #repository: ArticleRepository;
  readonly #articles: ArticleService;

  constructor(favorites: FavoriteRepository, repository: ArticleRepository, articles: ArticleService) {
    this.#favorites = favorites;
    this.#repository = repository;
    this.#articles = articles;
  }

  async add(slug: string, userId: number): Promise<Article> {
    await this.#favorites.add(userId, await this.#id(slug));
    return this.#articles.show(slug, userId);
  }

  async remove(slug: string, userId: number): Promise<Article> {
    await this.#favorites.remove(userId, await this.#id(slug));
    return this.#articles.show(slug, userId);
  }

  async #id(slug: string): Promise<number> {
    const key = await this.#repository.key(slug);
    if (key === undefined) throw new UnknownError("article");
    return key.id;
  }
}
