/**
 * Reserving stock and returning it.
 */
import { Interface } from "framework";
import type { OrderLine } from "../domain.ts";
import { OutOfStockError } from "../errors.ts";
import type { StockRepository } from "../repositories/stock.ts";

export interface InventoryService {
  available(productId: string): Promise<number>;
  /** Reserves every line. @throws OutOfStockError at the first line without enough stock. */
  reserve(lines: readonly OrderLine[]): Promise<void>;
  release(lines: readonly OrderLine[]): Promise<void>;
  deliver(productId: string, quantity: number): Promise<void>;
}
export const InventoryService: Interface<InventoryService> = Interface("InventoryService");

export class ShelfInventory implements InventoryService {
  readonly #stock: StockRepository;

  constructor(stock: StockRepository) {
    this.#stock = stock;
  }

  available(productId: string): Promise<number> {
    return this.#stock.quantityOf(productId);
  }

  async reserve(lines: readonly OrderLine[]): Promise<void> {
    for (const { productId, quantity } of lines) {
      if (!(await this.#stock.take(productId, quantity))) throw new OutOfStockError(productId, quantity);
    }
  }

  async release(lines: readonly OrderLine[]): Promise<void> {
    for (const { productId, quantity } of lines) await this.#stock.put(productId, quantity);
  }

  deliver(productId: string, quantity: number): Promise<void> {
    return this.#stock.put(productId, quantity);
  }
}
