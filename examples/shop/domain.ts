/**
 * The types of the shop: plain data, passed between beans and sent to clients unchanged.
 */
import type { Money } from "./money.ts";

/** A product without data from other places (stock, reviews, promotions). */
export interface Product {
  readonly id: string;
  readonly name: string;
  readonly category: string;
  readonly brand: string;
  readonly price: Money;
}

export type NewProduct = Omit<Product, "id">;

/** A product as lists and search results show it. */
export interface ProductCard extends Product {
  /** Mean of its reviews, 1…5 with one decimal, or null without a review. */
  readonly rating: number | null;
  readonly inStock: boolean;
}

/** Today's price of a product. */
export interface Quote {
  readonly list: Money;
  /** Percent off, from a promotion of its category, or 0 without one. */
  readonly promotionPercent: number;
  readonly price: Money;
}

export interface NewReview {
  readonly author: string;
  readonly stars: number;
  readonly text: string;
}

export interface Review extends NewReview {
  readonly id: number;
  readonly productId: string;
  readonly writtenAt: Date;
}

export interface ReviewSummary {
  readonly count: number;
  readonly average: number | null;
  readonly latest: readonly Review[];
}

/** Everything the product page shows, loaded in parallel. */
export interface ProductPage {
  readonly product: Product;
  readonly quote: Quote;
  readonly available: number;
  readonly reviews: ReviewSummary;
  readonly recommendations: readonly ProductCard[];
}

export interface Customer {
  readonly id: string;
  readonly name: string;
  readonly email: string;
}

/** A customer who can log in. */
export interface Account extends Customer {
  /** Salt and hash (scrypt). */
  readonly passwordHash: string;
}

export type OrderStatus = "pending" | "paid" | "declined" | "cancelled";

export interface OrderLine {
  readonly productId: string;
  readonly name: string;
  readonly quantity: number;
  readonly unitPrice: Money;
}

export interface NewOrder {
  readonly customerId: string;
  readonly lines: readonly OrderLine[];
  readonly discount: Money;
  readonly total: Money;
}

export interface Order extends NewOrder {
  readonly id: string;
  readonly status: OrderStatus;
  readonly placedAt: Date;
}

/** A customer's order; `card` names a payment card at the gateway. */
export interface OrderRequest {
  readonly customerId: string;
  readonly card: string;
  readonly lines: readonly { readonly productId: string; readonly quantity: number }[];
}

/** A search. Every member except sorting and paging is a filter. */
export interface Search {
  readonly text?: string | undefined;
  readonly categories?: readonly string[] | undefined;
  readonly brands?: readonly string[] | undefined;
  readonly priceFrom?: number | undefined;
  readonly priceTo?: number | undefined;
  readonly minRating?: number | undefined;
  readonly inStock?: boolean | undefined;
  readonly sort: "name" | "price" | "-price" | "rating";
  readonly page: number;
  readonly pageSize: number;
}

/** The number of results for each value of one property. */
export type Facet = readonly { readonly value: string; readonly count: number }[];
export type FacetName = "category" | "brand" | "price" | "rating";

export interface SearchResult {
  readonly total: number;
  readonly page: number;
  readonly pageSize: number;
  readonly items: readonly ProductCard[];
  readonly facets: Readonly<Record<FacetName, Facet>>;
}

export interface SalesReport {
  readonly month: string;
  readonly orders: number;
  readonly revenue: Money;
  readonly bestSeller: string;
}

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}
