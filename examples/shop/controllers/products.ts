/**
 * Products over HTTP.
 */
import { type Context, HttpError, Interface } from "framework";
import type { Product, ProductCard, ProductPage, Review } from "../domain.ts";
import type { CatalogService } from "../services/catalog.ts";
import type { ReviewService } from "../services/reviews.ts";
import { changesInput, newProductInput, pageInput, productInput, reviewInput } from "./input.ts";

export interface ProductController {
  list(ctx: Context): Promise<readonly ProductCard[]>;
  show(ctx: Context<"id">): Promise<ProductPage>;
  create(ctx: Context): Promise<Product>;
  replace(ctx: Context<"id">): Promise<Product>;
  change(ctx: Context<"id">): Promise<Product>;
  remove(ctx: Context<"id">): Promise<void>;
  review(ctx: Context<"id">): Promise<Review>;
}
export const ProductController: Interface<ProductController> = Interface("ProductController");

export class HttpProducts implements ProductController {
  readonly #catalog: CatalogService;
  readonly #reviews: ReviewService;

  constructor(catalog: CatalogService, reviews: ReviewService) {
    this.#catalog = catalog;
    this.#reviews = reviews;
  }

  async list(ctx: Context): Promise<readonly ProductCard[]> {
    const [category, page, pageSize] = [ctx.queryParam("category"), ctx.queryParam("page"), ctx.queryParam("pageSize")];
    const wanted = pageInput.safeParse({ category, page, pageSize });
    if (!wanted.success) throw new HttpError(400, wanted.error.issues.map((issue) => issue.message).join("; "));
    return this.#catalog.list(wanted.data.category, wanted.data.page, wanted.data.pageSize);
  }

  show(ctx: Context<"id">): Promise<ProductPage> {
    return this.#catalog.page(ctx.pathParam("id"));
  }

  async create(ctx: Context): Promise<Product> {
    const { product, quantity } = await ctx.body(newProductInput);
    const added = await this.#catalog.add(product, quantity);
    ctx.status(201).header("Location", `/products/${added.id}`);
    return added;
  }

  async replace(ctx: Context<"id">): Promise<Product> {
    return this.#catalog.replace(ctx.pathParam("id"), await ctx.body(productInput));
  }

  async change(ctx: Context<"id">): Promise<Product> {
    return this.#catalog.change(ctx.pathParam("id"), await ctx.body(changesInput));
  }

  async remove(ctx: Context<"id">): Promise<void> {
    await this.#catalog.remove(ctx.pathParam("id"));
    ctx.status(204);
  }

  async review(ctx: Context<"id">): Promise<Review> {
    const review = await ctx.body(reviewInput);
    const { id } = await this.#catalog.find(ctx.pathParam("id"));
    ctx.status(201);
    return this.#reviews.write(id, review);
  }
}
