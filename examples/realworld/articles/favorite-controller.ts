/**
 * Favourites over HTTP: `/api/articles/{slug}/favorite`.
 */
import { type ContextOf, Interface, type Responded } from "framework";
import { userOf } from "../auth/guard.ts";
import type { createArticleFavorite, deleteArticleFavorite } from "./article-contracts.ts";
import type { FavoriteService } from "./favorite-service.ts";

/** Both respond with the article. */
export interface FavoriteController {
  add(ctx: ContextOf<typeof createArticleFavorite, "slug">): Promise<Responded>;
  remove(ctx: ContextOf<typeof deleteArticleFavorite, "slug">): Promise<Responded>;
}
/** The token of the bean. */
export const FavoriteController: Interface<FavoriteController> = Interface("FavoriteController");

/** Favourites as JSON. */
export class HttpFavorites implements FavoriteController {
  readonly #favorites: FavoriteService;

  constructor(favorites: FavoriteService) {
    this.#favorites = favorites;
  }

  async add(ctx: ContextOf<typeof createArticleFavorite, "slug">): Promise<Responded> {
    return ctx.reply(200, { article: await this.#favorites.add(ctx.pathParam("slug"), userOf(ctx).id) });
  }

  async remove(ctx: ContextOf<typeof deleteArticleFavorite, "slug">): Promise<Responded> {
    return ctx.reply(200, { article: await this.#favorites.remove(ctx.pathParam("slug"), userOf(ctx).id) });
  }
}
