/**
 * Faceted search in SQL.
 *
 * A facet counts the results that each of its values would give under all the *other* filters. With "garden" selected, the
 * category facet still shows the number of toys, while the brand facet counts only garden products. So the counts of a facet
 * without a filter add up to the number of results.
 */
import { Interface } from "framework";
import type { Database } from "../database/database.ts";
import type { Facet, FacetName, ProductCard, Search } from "../domain.ts";
import { type CardRow, toCard } from "./products.ts";

export interface SearchRepository {
  count(search: Search): Promise<number>;
  items(search: Search): Promise<readonly ProductCard[]>;
  facet(name: FacetName, search: Search): Promise<Facet>;
}
export const SearchRepository: Interface<SearchRepository> = Interface("SearchRepository");

type Filter = "text" | "inStock" | FacetName;

/** `$1` … `$7` are the filters' values, in this order. Null = not filtered. */
const filters: Readonly<Record<Filter, string>> = {
  text: "($1::text is null or strpos(lower(name), lower($1)) > 0)",
  category: "($2::text[] is null or category = any($2))",
  brand: "($3::text[] is null or brand = any($3))",
  price: "($4::int is null or price_cents >= $4) and ($5::int is null or price_cents <= $5)",
  rating: "($6::float8 is null or rating >= $6)",
  inStock: "($7::boolean is null or in_stock = $7)",
};

const values: Readonly<Record<FacetName, string>> = {
  category: "category",
  brand: "brand",
  price: `case when price_cents < 2500 then '0-25' when price_cents < 5000 then '25-50'
    when price_cents < 10000 then '50-100' else '100+' end`,
  rating: "case when rating is null then 'unrated' else floor(rating)::text end",
};

const orders: Readonly<Record<Search["sort"], string>> = {
  name: "name, id",
  price: "price_cents, id",
  "-price": "price_cents desc, id",
  rating: "rating desc nulls last, id",
};

export class SqlSearchRepository implements SearchRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async count(search: Search): Promise<number> {
    const [row] = await this.#database.query<{ count: number }>(
      `select count(*)::int as count from product_cards where ${where()}`,
      parameters(search),
    );
    return row?.count ?? 0;
  }

  async items(search: Search): Promise<readonly ProductCard[]> {
    const rows = await this.#database.query<CardRow>(
      `select * from product_cards where ${where()} order by ${orders[search.sort]} limit $8 offset $9`,
      [...parameters(search), search.pageSize, (search.page - 1) * search.pageSize],
    );
    return rows.map(toCard);
  }

  async facet(name: FacetName, search: Search): Promise<Facet> {
    return this.#database.query<{ value: string; count: number }>(
      `select ${values[name]} as value, count(*)::int as count from product_cards where ${where(name)}
       group by 1 order by count desc, value`,
      parameters(search),
    );
  }
}

/** All filters, except a facet's own. That one is disabled but still written, since PostgreSQL wants every parameter used. */
function where(without?: FacetName): string {
  const conditions = Object.entries(filters).map(([name, condition]) =>
    name === without ? `(true or (${condition}))` : `(${condition})`,
  );
  return conditions.join(" and ");
}

function parameters(search: Search): unknown[] {
  const { text, categories, brands, priceFrom, priceTo, minRating, inStock } = search;
  return [text, categories, brands, priceFrom, priceTo, minRating, inStock].map((value) => value ?? null);
}
