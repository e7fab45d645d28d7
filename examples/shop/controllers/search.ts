/**
 * Search over HTTP: QUERY, and POST for clients and proxies that do not know QUERY yet.
 */
import { type ContextOf, Interface } from "framework";
import type { searchProducts } from "../contracts.ts";
import type { SearchResult } from "../domain.ts";
import type { SearchService } from "../services/search.ts";

export interface SearchController {
  search(ctx: ContextOf<typeof searchProducts>): Promise<SearchResult>;
}
export const SearchController: Interface<SearchController> = Interface("SearchController");

export class HttpSearch implements SearchController {
  readonly #service: SearchService;

  constructor(service: SearchService) {
    this.#service = service;
  }

  async search(ctx: ContextOf<typeof searchProducts>): Promise<SearchResult> {
    return this.#service.search(ctx.input.body);
  }
}
