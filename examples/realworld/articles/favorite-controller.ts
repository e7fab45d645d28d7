/**
 * Favourites over HTTP: `/api/articles/{slug}/favorite`.
 */
import { type Context, Interface } from "framework";
import { authorizationOf, type SessionService } from "../auth/sessions.ts";
import type { ArticleBody } from "./article-controller.ts";
import type { FavoriteService } from "./favorite-service.ts";

/** Liking takes an account. */
export interface FavoriteController {
  add(ctx: Context<"slug">): Promise<ArticleBody>;
  remove(ctx: Context<"slug">): Promise<ArticleBody>;
}
/** The token of the bean. */
export const FavoriteController: Interface<FavoriteController> = Interface("FavoriteController");

/** Both respond with the article. */
export class HttpFavorites implements FavoriteController {
  readonly #favorites: FavoriteService;
  readonly #sessions: SessionService;

  constructor(favorites: FavoriteService, sessions: SessionService) {
    this.#favorites = favorites;
    this.#sessions = sessions;
  }

  async add(ctx: Context<"slug">): Promise<ArticleBody> {
    const { id } = await this.#sessions.required(authorizationOf(ctx));
    return { article: await this.#favorites.add(ctx.pathParam("slug"), id) };
  }

  async remove(ctx: Context<"slug">): Promise<ArticleBody> {
    const { id } = await this.#sessions.required(authorizationOf(ctx));
    return { article: await this.#favorites.remove(ctx.pathParam("slug"), id) };
  }
}
