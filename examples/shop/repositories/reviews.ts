/**
 * What customers say about products.
 */
import { Interface } from "framework";
import type { Database } from "../database/database.ts";
import type { NewReview, Review } from "../domain.ts";

export interface ReviewRepository {
  latest(productId: string, limit: number): Promise<readonly Review[]>;
  /** Their number and their mean, or null without one. */
  totals(productId: string): Promise<{ readonly count: number; readonly average: number | null }>;
  add(productId: string, review: NewReview, writtenAt: Date): Promise<Review>;
}
export const ReviewRepository: Interface<ReviewRepository> = Interface("ReviewRepository");

const columns = `id, product_id as "productId", author, stars, text, written_at as "writtenAt"`;

export class SqlReviewRepository implements ReviewRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  latest(productId: string, limit: number): Promise<readonly Review[]> {
    return this.#database.query<Review>(
      `select ${columns} from reviews where product_id = $1 order by written_at desc, id limit $2`,
      [productId, limit],
    );
  }

  async totals(productId: string): Promise<{ readonly count: number; readonly average: number | null }> {
    const [row] = await this.#database.query<{ count: number; average: number | null }>(
      "select count(*)::int as count, round(avg(stars), 1)::float8 as average from reviews where product_id = $1",
      [productId],
    );
    return row ?? { count: 0, average: null };
  }

  async add(productId: string, review: NewReview, writtenAt: Date): Promise<Review> {
    const [added] = await this.#database.query<Review>(
      `insert into reviews (product_id, author, stars, text, written_at) values ($1, $2, $3, $4, $5)
       returning ${columns}`,
      [productId, review.author, review.stars, review.text, writtenAt],
    );
    if (added === undefined) throw new Error("The insert returned no row");
    return added;
  }
}
