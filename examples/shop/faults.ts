/**
 * Ten faults that can be planted in the shop. Each is a mistake that developers make, with a customer's report and its place.
 * They are for anyone who wants to practise finding a fault, and for the tests that prove that it can be found.
 *
 *   bean, as it was made ──▶ planted: one method is another one ──▶ what everybody gets
 *
 * A fault replaces a method of one bean with a decorator, so the shop's own code does not contain it.
 */
import type { BeanDecorator, Beans, Interface } from "framework";
import { Database } from "./database/database.ts";
import type { Order, ProductCard, ProductPage, Quote } from "./domain.ts";
import { Money } from "./money.ts";
import { type CardRow, ProductRepository, toCard } from "./repositories/products.ts";
import { PromotionRepository } from "./repositories/promotions.ts";
import { StockRepository } from "./repositories/stock.ts";
import { CatalogService } from "./services/catalog.ts";
import { InventoryService } from "./services/inventory.ts";
import { OrderService } from "./services/orders.ts";
import { PaymentGateway } from "./services/payments.ts";
import { DiscountService, PricingService } from "./services/pricing.ts";
import { RecommendationService } from "./services/recommendations.ts";
import { ReviewService } from "./services/reviews.ts";

/** A request that shows the fault. */
export interface FaultyRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: object | undefined;
}

/** One fault. */
export interface PlantedFault {
  readonly id: string;
  /** The report of someone who does not know the code. */
  readonly symptom: string;
  /** Is it about time, or about the response? */
  readonly about: "time" | "result";
  readonly request: FaultyRequest;
  /** Its place: the method, and the line in this file, which is the only one with this text. */
  readonly cause: { readonly bean: string; readonly method: string; readonly text: string };
  /** The decorator that plants it. @param beans the beans of the shop, after the start */
  plant(beans: () => Beans): BeanDecorator;
}

/** A decorator that replaces these methods of the bean. */
function planting<T extends object>(type: Interface<T>, methods: (bean: T) => Partial<T>): BeanDecorator {
  return {
    decorate: (bean, { name }) => (name === type.name ? { ...bound(bean), ...methods(bean as unknown as T) } : bean),
  };
}

/** The methods of a bean, bound to it. */
function bound<T extends object>(bean: T): T {
  const members = bean as Readonly<Record<string, (...args: never[]) => unknown>>;
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(bean)).filter((name) => name !== "constructor");
  return Object.fromEntries(names.map((name) => [name, members[name]?.bind(bean)])) as T;
}

const showProduct = (id: string): FaultyRequest => ({ method: "GET", path: `/products/${id}` });
const order = (productId: string, card: string, quantity: number): FaultyRequest => {
  return { method: "POST", path: "/orders", body: { customerId: "c-1", card, lines: [{ productId, quantity }] } };
};

/** The faults. */
export const faults: readonly PlantedFault[] = [
  {
    id: "n-plus-one",
    symptom: "The list of garden things takes longer, the more of them are on a page.",
    about: "time",
    request: { method: "GET", path: "/products?category=garden" },
    cause: { bean: "CatalogService", method: "list", text: "await beans().get(ProductRepository).find(card.id)" },
    plant: (beans) =>
      planting(CatalogService, (catalog) => ({
        async list(category, page, pageSize): Promise<readonly ProductCard[]> {
          const cards: ProductCard[] = [];
          for (const card of await catalog.list(category, page, pageSize))
            cards.push({ ...card, ...(await beans().get(ProductRepository).find(card.id)) });
          return cards;
        },
      })),
  },
  {
    id: "in-a-row",
    symptom: "The page of a product takes as long as all of its parts together.",
    about: "time",
    request: showProduct("p-0010"),
    cause: { bean: "CatalogService", method: "page", text: "await beans().get(PricingService).quote(product)" },
    plant: (beans) =>
      planting(CatalogService, (catalog) => ({
        async page(id): Promise<ProductPage> {
          const product = await catalog.find(id);
          const quote = await beans().get(PricingService).quote(product);
          const available = await beans().get(InventoryService).available(id);
          const reviews = await beans().get(ReviewService).summaryOf(id);
          const recommendations = await beans().get(RecommendationService).recommend(product);
          return { product, quote, available, reviews, recommendations };
        },
      })),
  },
  {
    id: "slow-statement",
    symptom: "The list of kitchen things hangs before it appears.",
    about: "time",
    request: { method: "GET", path: "/products?category=kitchen" },
    cause: { bean: "ProductRepository", method: "page", text: "lower(c.brand) = lower(other.brand)" },
    plant: (beans) =>
      planting(ProductRepository, () => ({
        async page(category, page, pageSize): Promise<readonly ProductCard[]> {
          const rows = await beans()
            .get(Database)
            .query<CardRow>(
              `select distinct c.* from product_cards c join product_cards other on lower(c.brand) = lower(other.brand)
             where c.category = $1 order by c.id limit $2 offset $3`,
              [category, pageSize, (page - 1) * pageSize],
            );
          return rows.map(toCard);
        },
      })),
  },
  {
    id: "wrong-discount",
    symptom: "A big order is cheaper than our terms say.",
    about: "result",
    request: order("p-0012", "visa", 2),
    cause: { bean: "DiscountService", method: "discountOn", text: "subtotal.percent(15)" },
    plant: () => planting(DiscountService, () => ({ discountOn: (subtotal: Money): Money => subtotal.percent(15) })),
  },
  {
    id: "wrong-rounding",
    symptom: "The price of a rake is off by a cent.",
    about: "result",
    request: showProduct("p-0002"),
    cause: {
      bean: "PricingService",
      method: "quote",
      text: "Math.ceil((product.price.cents * (100 - promotionPercent)) / 100)",
    },
    plant: (beans) =>
      planting(PricingService, () => ({
        async quote(product): Promise<Quote> {
          const promotionPercent = await beans().get(PromotionRepository).percentOff(product.category);
          const cents = Math.ceil((product.price.cents * (100 - promotionPercent)) / 100);
          return { list: product.price, promotionPercent, price: Money.ofCents(cents) };
        },
      })),
  },
  {
    id: "cached-for-another",
    symptom: "Since this morning a kettle has the promotion of garden things.",
    about: "result",
    request: showProduct("p-0130"),
    cause: { bean: "PromotionRepository", method: "percentOff", text: "(cached ??= promotions.percentOff(" },
    plant: () => {
      let cached: Promise<number> | undefined;
      return planting(PromotionRepository, (promotions) => ({
        percentOff: (_category: string): Promise<number> => (cached ??= promotions.percentOff("garden")),
      }));
    },
  },
  {
    id: "wrong-argument",
    symptom: "A product that is there is said to be sold out.",
    about: "result",
    request: showProduct("p-0003"),
    cause: { bean: "InventoryService", method: "available", text: "quantityOf(productId.toUpperCase())" },
    plant: (beans) =>
      planting(InventoryService, () => ({
        available: (productId: string): Promise<number> =>
          beans().get(StockRepository).quantityOf(productId.toUpperCase()),
      })),
  },
  {
    id: "swallowed",
    symptom: "An order with a declined card is paid.",
    about: "result",
    request: order("p-0040", "visa-declined", 1),
    cause: { bean: "OrderService", method: "place", text: "catch(() => undefined)" },
    plant: (beans) =>
      planting(OrderService, (orders) => ({
        async place(request): Promise<Order> {
          const placed = await orders.place({ ...request, card: "visa" });
          await beans()
            .get(PaymentGateway)
            .charge(request.card, placed.total, placed.id)
            .catch(() => undefined);
          return placed;
        },
      })),
  },
  {
    id: "not-awaited",
    symptom: "A product that was just added is sold out for a moment.",
    about: "result",
    request: {
      method: "POST",
      path: "/products",
      body: { name: "Lamp", category: "office", brand: "Elm", price: 39.9, quantity: 12 },
    },
    cause: { bean: "InventoryService", method: "deliver", text: "void beans().get(StockRepository).put(" },
    plant: (beans) =>
      planting(InventoryService, () => ({
        async deliver(productId, quantity): Promise<void> {
          void beans().get(StockRepository).put(productId, quantity);
        },
      })),
  },
  {
    id: "broken-contract",
    symptom: "The page of a product fails.",
    about: "result",
    request: showProduct("p-0005"),
    cause: { bean: "ReviewService", method: "summaryOf", text: "average: String(" },
    plant: () =>
      planting(ReviewService, (reviews) => ({
        async summaryOf(productId) {
          const summary = await reviews.summaryOf(productId);
          return { ...summary, average: String(summary.average) as unknown as number };
        },
      })),
  },
];
