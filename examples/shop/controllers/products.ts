/**
 * Products over HTTP.
 */
import { type ContextOf, Interface } from "framework";
import type {
  changeProduct,
  createProduct,
  listProducts,
  removeProduct,
  replaceProduct,
  reviewProduct,
  showProduct,
} from "../contracts.ts";
import type { Product, ProductCard, ProductPage, Review } from "../domain.ts";
import type { CatalogService } from "../services/catalog.ts";
import type { ReviewService } from "../services/reviews.ts";

export interface ProductController {
  list(ctx: ContextOf<typeof listProducts>): Promise<readonly ProductCard[]>;
  show(ctx: ContextOf<typeof showProduct, "id">): Promise<ProductPage>;
  create(ctx: ContextOf<typeof createProduct>): Promise<Product>;
  replace(ctx: ContextOf<typeof replaceProduct, "id">): Promise<Product>;
  change(ctx: ContextOf<typeof changeProduct, "id">): Promise<Product>;
  remove(ctx: ContextOf<typeof removeProduct, "id">): Promise<void>;
  review(ctx: ContextOf<typeof reviewProduct, "id">): Promise<Review>;
}
export const ProductController: Interface<ProductController> = Interface("ProductController");

export class HttpProducts implements ProductController {
  readonly #catalog: CatalogService;
  readonly #reviews: ReviewService;

  constructor(catalog: CatalogService, reviews: ReviewService) {
    this.#catalog = catalog;
    this.#reviews = reviews;
  }

  async list(ctx: ContextOf<typeof listProducts>): Promise<readonly ProductCard[]> {
    const { category, page, pageSize } = ctx.input.query;
    return this.#catalog.list(category, page, pageSize);
  }

  show(ctx: ContextOf<typeof showProduct, "id">): Promise<ProductPage> {
    return this.#catalog.page(ctx.pathParam("id"));
  }

  async create(ctx: ContextOf<typeof createProduct>): Promise<Product> {
    const { product, quantity } = ctx.input.body;
    const added = await this.#catalog.add(product, quantity);
    ctx.status(201).setHeader("Location", `/products/${added.id}`);
    return added;
  }

  async replace(ctx: ContextOf<typeof replaceProduct, "id">): Promise<Product> {
    return this.#catalog.replace(ctx.pathParam("id"), ctx.input.body);
  }

  async change(ctx: ContextOf<typeof changeProduct, "id">): Promise<Product> {
    return this.#catalog.change(ctx.pathParam("id"), ctx.input.body);
  }

  async remove(ctx: ContextOf<typeof removeProduct, "id">): Promise<void> {
    await this.#catalog.remove(ctx.pathParam("id"));
    ctx.status(204);
  }

  async review(ctx: ContextOf<typeof reviewProduct, "id">): Promise<Review> {
    const { id } = await this.#catalog.find(ctx.pathParam("id"));
    ctx.status(201);
    return this.#reviews.write(id, ctx.input.body);
  }
}
