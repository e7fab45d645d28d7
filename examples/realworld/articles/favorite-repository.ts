/**
 * Which user likes which article. Adding a favourite twice and removing a missing one are both allowed.
 */
import { Interface } from "framework";
import type { Database } from "../database/database.ts";

/** Keeps favourites, by ids. */
export interface FavoriteRepository {
  add(userId: number, articleId: number): Promise<void>;
  remove(userId: number, articleId: number): Promise<void>;
}
/** The token of the bean. */
export const FavoriteRepository: Interface<FavoriteRepository> = Interface("FavoriteRepository");

/** In PostgreSQL. */
export class SqlFavoriteRepository implements FavoriteRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async add(userId: number, articleId: number): Promise<void> {
    await this.#database.change("insert into favorites (user_id, article_id) values ($1, $2) on conflict do nothing", [
      userId,
      articleId,
    ]);
  }

  async remove(userId: number, articleId: number): Promise<void> {
    await this.#database.change("delete from favorites where user_id = $1 and article_id = $2", [userId, articleId]);
  }
}
