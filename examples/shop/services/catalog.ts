/**
 * The catalog: the products for sale.
 *
 *   page(id) ──▶ the product ──▶ price ┐
 *                            ├─▶ stock ├─▶ one page      (all four side by side)
 *                            ├─▶ reviews
 *                            └─▶ recommendations
 */
import { Interface } from "framework";
import type { NewProduct, Product, ProductCard, ProductPage } from "../domain.ts";
import { ConflictError, UnknownError } from "../errors.ts";
import type { OrderRepository } from "../repositories/orders.ts";
import type { ProductRepository } from "../repositories/products.ts";
import type { InventoryService } from "./inventory.ts";
import type { PricingService } from "./pricing.ts";
import type { RecommendationService } from "./recommendations.ts";
import type { ReviewService } from "./reviews.ts";

export interface CatalogService {
  list(category: string | undefined, page: number, pageSize: number): Promise<readonly ProductCard[]>;
  /** @throws UnknownError (404) */
  find(id: string): Promise<Product>;
  page(id: string): Promise<ProductPage>;
  add(product: NewProduct, quantity: number): Promise<Product>;
  replace(id: string, product: NewProduct): Promise<Product>;
  change(id: string, changes: Partial<NewProduct>): Promise<Product>;
  /** @throws ConflictError (409) if it was ordered before */
  remove(id: string): Promise<void>;
}
export const CatalogService: Interface<CatalogService> = Interface("CatalogService");

/** The dependencies of the catalog. */
export interface CatalogParts {
  readonly products: ProductRepository;
  readonly orders: OrderRepository;
  readonly pricing: PricingService;
  readonly inventory: InventoryService;
  readonly reviews: ReviewService;
  readonly recommendations: RecommendationService;
}

export class ShopCatalog implements CatalogService {
  readonly #parts: CatalogParts;

  constructor(parts: CatalogParts) {
    this.#parts = parts;
  }

  list(category: string | undefined, page: number, pageSize: number): Promise<readonly ProductCard[]> {
    return this.#parts.products.page(category, page, pageSize);
  }

  async find(id: string): Promise<Product> {
    const product = await this.#parts.products.find(id);
    if (product === undefined) throw new UnknownError("product", id);
    return product;
  }

  async page(id: string): Promise<ProductPage> {
    const product = await this.find(id);
    const [quote, available, reviews, recommendations] = await Promise.all([
      this.#parts.pricing.quote(product),
      this.#parts.inventory.available(id),
      this.#parts.reviews.summaryOf(id),
      this.#parts.recommendations.recommend(product),
    ]);
    return { product, quote, available, reviews, recommendations };
  }

  async add(product: NewProduct, quantity: number): Promise<Product> {
    const added = await this.#parts.products.create(product);
    await this.#parts.inventory.deliver(added.id, quantity);
    return added;
  }

  replace(id: string, product: NewProduct): Promise<Product> {
    return this.change(id, product);
  }

  async change(id: string, changes: Partial<NewProduct>): Promise<Product> {
    const changed = { ...(await this.find(id)), ...changes };
    await this.#parts.products.replace(changed);
    return changed;
  }

  async remove(id: string): Promise<void> {
    const product = await this.find(id);
    if (await this.#parts.orders.mention(id)) throw new ConflictError(`${product.name} has been ordered and stays`);
    await this.#parts.products.remove(id);
  }
}
