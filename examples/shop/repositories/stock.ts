/**
 * The stock of each product.
 */
import { Interface } from "framework";
import type { Database } from "../database/database.ts";

export interface StockRepository {
  quantityOf(productId: string): Promise<number>;
  /** Takes `quantity` away in one step. If there are fewer, returns false and takes none. */
  take(productId: string, quantity: number): Promise<boolean>;
  put(productId: string, quantity: number): Promise<void>;
}
export const StockRepository: Interface<StockRepository> = Interface("StockRepository");

export class SqlStockRepository implements StockRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async quantityOf(productId: string): Promise<number> {
    const [row] = await this.#database.query<{ quantity: number }>("select quantity from stock where product_id = $1", [
      productId,
    ]);
    return row?.quantity ?? 0;
  }

  async take(productId: string, quantity: number): Promise<boolean> {
    const changed = await this.#database.change(
      "update stock set quantity = quantity - $2 where product_id = $1 and quantity >= $2",
      [productId, quantity],
    );
    return changed === 1;
  }

  async put(productId: string, quantity: number): Promise<void> {
    await this.#database.change(
      `insert into stock (product_id, quantity) values ($1, $2)
       on conflict (product_id) do update set quantity = stock.quantity + $2`,
      [productId, quantity],
    );
  }
}
