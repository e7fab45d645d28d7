/**
 * Which user follows which. Following twice and unfollowing without following are both allowed.
 */
import { Interface } from "framework";
import type { Database } from "../database/database.ts";

/** Stores which user follows which, by user ids. */
export interface FollowRepository {
  has(followerId: number, followedId: number): Promise<boolean>;
  add(followerId: number, followedId: number): Promise<void>;
  remove(followerId: number, followedId: number): Promise<void>;
}
/** The token of the bean. */
export const FollowRepository: Interface<FollowRepository> = Interface("FollowRepository");

/** In PostgreSQL. */
export class SqlFollowRepository implements FollowRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async has(followerId: number, followedId: number): Promise<boolean> {
    const rows = await this.#database.query("select 1 from follows where follower_id = $1 and followed_id = $2", [
      followerId,
      followedId,
    ]);
    return rows.length > 0;
  }

  async add(followerId: number, followedId: number): Promise<void> {
    await this.#database.change(
      "insert into follows (follower_id, followed_id) values ($1, $2) on conflict do nothing",
      [followerId, followedId],
    );
  }

  async remove(followerId: number, followedId: number): Promise<void> {
    await this.#database.change("delete from follows where follower_id = $1 and followed_id = $2", [
      followerId,
      followedId,
    ]);
  }
}
