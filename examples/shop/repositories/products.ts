/**
 * Products and their cards in lists.
 */
import { Interface } from "framework";
import type { Database } from "../database/database.ts";
import type { NewProduct, Product, ProductCard } from "../domain.ts";
import { Money } from "../money.ts";

export interface ProductRepository {
  find(id: string): Promise<Product | undefined>;
  page(category: string | undefined, page: number, pageSize: number): Promise<readonly ProductCard[]>;
  /** The best rated other products of the same category. */
  similarTo(product: Product, limit: number): Promise<readonly ProductCard[]>;
  create(product: NewProduct): Promise<Product>;
  replace(product: Product): Promise<void>;
  /** Did it exist? */
  remove(id: string): Promise<boolean>;
}
export const ProductRepository: Interface<ProductRepository> = Interface("ProductRepository");

/** A row of `products`. */
export interface ProductRow {
  readonly id: string;
  readonly name: string;
  readonly category: string;
  readonly brand: string;
  readonly price_cents: number;
}

/** A row of `product_cards`. */
export interface CardRow extends ProductRow {
  readonly rating: number | null;
  readonly in_stock: boolean;
}

/** The product of a row. */
export function toProduct(row: ProductRow): Product {
  const { id, name, category, brand, price_cents } = row;
  return { id, name, category, brand, price: Money.ofCents(price_cents) };
}

/** The card of a row. */
export function toCard(row: CardRow): ProductCard {
  return { ...toProduct(row), rating: row.rating, inStock: row.in_stock };
}

export class SqlProductRepository implements ProductRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async find(id: string): Promise<Product | undefined> {
    const [row] = await this.#database.query<ProductRow>("select * from products where id = $1", [id]);
    return row && toProduct(row);
  }

  async page(category: string | undefined, page: number, pageSize: number): Promise<readonly ProductCard[]> {
    const rows = await this.#database.query<CardRow>(
      `select * from product_cards where $1::text is null or category = $1 order by id limit $2 offset $3`,
      [category ?? null, pageSize, (page - 1) * pageSize],
    );
    return rows.map(toCard);
  }

  async similarTo(product: Product, limit: number): Promise<readonly ProductCard[]> {
    const rows = await this.#database.query<CardRow>(
      `select * from product_cards where category = $1 and id <> $2 and in_stock
       order by rating desc nulls last, id limit $3`,
      [product.category, product.id, limit],
    );
    return rows.map(toCard);
  }

  async create(product: NewProduct): Promise<Product> {
    const [row] = await this.#database.query<ProductRow>(
      `insert into products (id, name, category, brand, price_cents)
       values ('p-' || lpad(nextval('product_number')::text, 4, '0'), $1, $2, $3, $4) returning *`,
      [product.name, product.category, product.brand, product.price.cents],
    );
    if (row === undefined) throw new Error("The insert returned no row");
    return toProduct(row);
  }

  async replace(product: Product): Promise<void> {
    await this.#database.change(
      "update products set name = $2, category = $3, brand = $4, price_cents = $5 where id = $1",
      [product.id, product.name, product.category, product.brand, product.price.cents],
    );
  }

  async remove(id: string): Promise<boolean> {
    return (await this.#database.change("delete from products where id = $1", [id])) === 1;
  }
}
