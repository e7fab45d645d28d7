/**
 * The current discounts of categories.
 */
import { Interface } from "framework";
import type { Database } from "../database/database.ts";

export interface PromotionRepository {
  /** Percent off a category, or 0 without a promotion. */
  percentOff(category: string): Promise<number>;
}
export const PromotionRepository: Interface<PromotionRepository> = Interface("PromotionRepository");

export class SqlPromotionRepository implements PromotionRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async percentOff(category: string): Promise<number> {
    const [row] = await this.#database.query<{ percent: number }>(
      "select percent from promotions where category = $1",
      [category],
    );
    return row?.percent ?? 0;
  }
}
