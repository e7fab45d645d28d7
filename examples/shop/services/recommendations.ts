/**
 * Other products that a customer who views a product might like.
 */
import { Interface } from "framework";
import type { Product, ProductCard } from "../domain.ts";
import type { ProductRepository } from "../repositories/products.ts";

export interface RecommendationService {
  recommend(product: Product): Promise<readonly ProductCard[]>;
}
export const RecommendationService: Interface<RecommendationService> = Interface("RecommendationService");

export class SimilarProducts implements RecommendationService {
  readonly #products: ProductRepository;

  constructor(products: ProductRepository) {
    this.#products = products;
  }

  recommend(product: Product): Promise<readonly ProductCard[]> {
    return this.#products.similarTo(product, 3);
  }
}
