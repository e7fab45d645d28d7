/**
 * Faceted search: the results, their number, and the counts of each filter, in parallel.
 */
import { Interface } from "framework";
import type { Search, SearchResult } from "../domain.ts";
import type { SearchRepository } from "../repositories/search.ts";

export interface SearchService {
  search(search: Search): Promise<SearchResult>;
}
export const SearchService: Interface<SearchService> = Interface("SearchService");

export class FacetedSearch implements SearchService {
  readonly #repository: SearchRepository;

  constructor(repository: SearchRepository) {
    this.#repository = repository;
  }

  async search(search: Search): Promise<SearchResult> {
    const [total, items, category, brand, price, rating] = await Promise.all([
      this.#repository.count(search),
      this.#repository.items(search),
      this.#repository.facet("category", search),
      this.#repository.facet("brand", search),
      this.#repository.facet("price", search),
      this.#repository.facet("rating", search),
    ]);
    const { page, pageSize } = search;
    return { total, page, pageSize, items, facets: { category, brand, price, rating } };
  }
}
