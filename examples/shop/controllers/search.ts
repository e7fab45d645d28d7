/**
 * Search over HTTP: QUERY, and POST for clients and proxies that do not know QUERY yet.
 */
import { type Context, Interface } from "framework";
import type { SearchResult } from "../domain.ts";
import type { SearchService } from "../services/search.ts";
import { searchInput } from "./input.ts";

export interface SearchController {
  search(ctx: Context): Promise<SearchResult>;
}
export const SearchController: Interface<SearchController> = Interface("SearchController");

export class HttpSearch implements SearchController {
  readonly #service: SearchService;

  constructor(service: SearchService) {
    this.#service = service;
  }

  async search(ctx: Context): Promise<SearchResult> {
    return this.#service.search(await ctx.body(searchInput));
  }
}
