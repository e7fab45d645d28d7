/**
 * Items in PostgreSQL, with a cache in front of single ones.
 *
 *   find ──▶ cache ── hit ──▶ its JSON          update ──▶ PostgreSQL ──▶ removed from the cache
 *              └── miss ──▶ PostgreSQL ──▶ kept for 200 ms
 *
 * Every statement has a name, so each connection prepares it once.
 */
import type { Pool } from "pg";

/** An item as clients get it. */
export interface Item {
  readonly id: number;
  readonly name: string;
  readonly category: string;
  readonly price: number;
  readonly quantity: number;
  readonly active: boolean;
  readonly tags: readonly string[];
  readonly rating: { readonly score: number; readonly count: number };
}

/** What an update changes. */
export type Changes = Pick<Item, "name" | "price" | "quantity">;

/** What a client sends for a new item. */
export type NewItem = Changes & Pick<Item, "id" | "category">;

/** What is used of a client of ioredis. All workers share one Redis. */
export interface ItemCache {
  get(key: string): Promise<string | null>;
  set(key: string, value: string, unit: "PX", lifetimeMs: number): Promise<unknown>;
  del(key: string): Promise<unknown>;
}

interface Row extends Omit<Item, "rating"> {
  readonly rating_score: number;
  readonly rating_count: number;
}

const columns = "id, name, category, price, quantity, active, tags, rating_score, rating_count";
const statements = {
  pricedBetween: `select ${columns} from items where price between $1 and $2 limit $3`,
  inCategory: `select ${columns} from items where category = $1 order by id limit $2 offset $3`,
  find: `select ${columns} from items where id = $1`,
  save: `insert into items (${columns}) values ($1, $2, $3, $4, $5, true, '[]', 0, 0)
    on conflict (id) do update set name = $2, category = $3, price = $4, quantity = $5`,
  update: "update items set name = $2, price = $3, quantity = $4 where id = $1",
};
const lifetimeMs = 200;

/** The table `items`. */
export class Items {
  readonly #pool: Pool;
  readonly #cache: ItemCache;

  constructor(pool: Pool, cache: ItemCache) {
    this.#pool = pool;
    this.#cache = cache;
  }

  /** At most `limit` items with a price from `min` to `max`. */
  async pricedBetween(min: number, max: number, limit: number): Promise<readonly Item[]> {
    return (await this.#run("pricedBetween", [min, max, limit])).rows.map(itemOf);
  }

  /** One page of a category, in the order of the ids. @param page from 1 */
  async inCategory(category: string, page: number, limit: number): Promise<readonly Item[]> {
    return (await this.#run("inCategory", [category, limit, (page - 1) * limit])).rows.map(itemOf);
  }

  /** The JSON of an item, at most 200 ms old. Undefined if there is none. */
  async find(id: number): Promise<{ readonly json: string; readonly isCached: boolean } | undefined> {
    const cached = await this.#cache.get(keyOf(id));
    if (cached !== null) return { json: cached, isCached: true };
    const [row] = (await this.#run("find", [id])).rows;
    if (row === undefined) return undefined;
    const json = JSON.stringify(itemOf(row));
    await this.#cache.set(keyOf(id), json, "PX", lifetimeMs);
    return { json, isCached: false };
  }

  /** Adds an item, or replaces the one with its id. */
  async save({ id, name, category, price, quantity }: NewItem): Promise<void> {
    await this.#run("save", [id, name, category, price, quantity]);
    await this.#cache.del(keyOf(id));
  }

  /** Resolves with false if there is no such item. */
  async update(id: number, { name, price, quantity }: Changes): Promise<boolean> {
    const { rowCount } = await this.#run("update", [id, name, price, quantity]);
    await this.#cache.del(keyOf(id));
    return rowCount === 1;
  }

  #run(name: keyof typeof statements, values: readonly unknown[]) {
    return this.#pool.query<Row>({ name, text: statements[name], values: [...values] });
  }
}

const keyOf = (id: number): string => `item:${id}`;

const itemOf = ({ rating_score: score, rating_count: count, ...item }: Row): Item => ({
  ...item,
  rating: { score, count },
});
