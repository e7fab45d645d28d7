/**
 * Every bean of the shop with its dependencies: the whole wiring, in one page.
 *
 *   controller ──▶ service ──▶ repository ──▶ Database ──▶ Postgres
 *
 * All are bound as interfaces, which devtools can record, except Postgres, the driver, and JobEngine, which are classes.
 */
import { type BeanBinder, type BeanDecorator, Beans } from "framework";
import { JobEngine, Work } from "framework/work";
import { pgBossWork } from "framework/work/pg-boss";
import { HttpOrders, OrderController } from "./controllers/orders.ts";
import { HttpProducts, ProductController } from "./controllers/products.ts";
import { HttpReports, ReportController } from "./controllers/reports.ts";
import { HttpSearch, SearchController } from "./controllers/search.ts";
import { Database, PostgresDatabase } from "./database/database.ts";
import { Postgres } from "./database/postgres.ts";
import { DatabaseTransactions, Transactions } from "./database/transactions.ts";
import { CustomerRepository, SqlCustomerRepository } from "./repositories/customers.ts";
import { OrderRepository, SqlOrderRepository } from "./repositories/orders.ts";
import { ProductRepository, SqlProductRepository } from "./repositories/products.ts";
import { PromotionRepository, SqlPromotionRepository } from "./repositories/promotions.ts";
import { ReviewRepository, SqlReviewRepository } from "./repositories/reviews.ts";
import { SearchRepository, SqlSearchRepository } from "./repositories/search.ts";
import { SqlStockRepository, StockRepository } from "./repositories/stock.ts";
import { CatalogService, ShopCatalog } from "./services/catalog.ts";
import { Clock, systemClock } from "./services/clock.ts";
import { InventoryService, ShelfInventory } from "./services/inventory.ts";
import { MailJobs, ShopMailJobs } from "./services/mail-jobs.ts";
import { Mailer, OutboxMailer } from "./services/mailer.ts";
import { OrderService, ShopOrders } from "./services/orders.ts";
import { PaymentGateway, TestBank } from "./services/payments.ts";
import { DiscountService, PricingService, PromotionPricing, VolumeDiscount } from "./services/pricing.ts";
import { RecommendationService, SimilarProducts } from "./services/recommendations.ts";
import { ReportService, SalesReports } from "./services/reports.ts";
import { HttpShipping, ShippingGateway } from "./services/shipping.ts";
import { CustomerReviews, ReviewService } from "./services/reviews.ts";
import { FacetedSearch, SearchService } from "./services/search.ts";

export interface ShopBeansOptions {
  /** The folder of the database. In memory if undefined. */
  readonly dataDir: string | undefined;
  /** The URL of the shipping service, or undefined if there is none. */
  readonly shippingUrl: string | undefined;
  /** An open database. The caller closes it. */
  readonly postgres: Postgres | undefined;
  /** Decorators of each bean, in this order; devtools' recorder is the last, if there is one. */
  readonly decorators: readonly BeanDecorator[];
  /** Called when all beans are bound and none is made. A test overrides some. */
  readonly change: ((beans: BeanBinder) => void) | undefined;
}

/** Opens the database, then builds everything on top of it. */
export function startBeans(options: ShopBeansOptions): Promise<Beans> {
  const { dataDir, shippingUrl, postgres, decorators, change } = options;
  const shipping = shippingUrl === undefined ? undefined : new HttpShipping(shippingUrl);
  const around = shipping === undefined ? Beans.builder() : Beans.builder().bind(ShippingGateway, () => shipping);
  const database =
    postgres === undefined
      ? around.bindAsync(Postgres, () => Postgres.open(dataDir))
      : around.bindInstance(Postgres, postgres);
  const builder = database
    .bind(Database, (b) => new PostgresDatabase(b.get(Postgres)))
    .bindInstance(Clock, systemClock)
    .bind(Transactions, (b) => new DatabaseTransactions(b.get(Database)))

    .bind(ProductRepository, (b) => new SqlProductRepository(b.get(Database)))
    .bind(SearchRepository, (b) => new SqlSearchRepository(b.get(Database)))
    .bind(StockRepository, (b) => new SqlStockRepository(b.get(Database)))
    .bind(ReviewRepository, (b) => new SqlReviewRepository(b.get(Database)))
    .bind(PromotionRepository, (b) => new SqlPromotionRepository(b.get(Database)))
    .bind(CustomerRepository, (b) => new SqlCustomerRepository(b.get(Database)))
    .bind(OrderRepository, (b) => new SqlOrderRepository(b.get(Database)))

    .bind(PaymentGateway, () => new TestBank())
    .bind(Mailer, (b) => new OutboxMailer(b.get(Database)))
    .bind(JobEngine, (b) => pgBossWork({ db: b.get(Postgres).driver }))
    .bind(Work, (b) => b.get(JobEngine).work)
    .bind(DiscountService, () => new VolumeDiscount())
    .bind(PricingService, (b) => new PromotionPricing(b.get(PromotionRepository)))
    .bind(InventoryService, (b) => new ShelfInventory(b.get(StockRepository)))
    .bind(ReviewService, (b) => new CustomerReviews(b.get(ReviewRepository), b.get(Clock)))
    .bind(RecommendationService, (b) => new SimilarProducts(b.get(ProductRepository)))
    .bind(SearchService, (b) => new FacetedSearch(b.get(SearchRepository)))
    .bind(ReportService, (b) => new SalesReports(b.get(OrderRepository)))
    .bind(
      CatalogService,
      (b) =>
        new ShopCatalog({
          products: b.get(ProductRepository),
          orders: b.get(OrderRepository),
          pricing: b.get(PricingService),
          inventory: b.get(InventoryService),
          reviews: b.get(ReviewService),
          recommendations: b.get(RecommendationService),
        }),
    )
    .bind(
      OrderService,
      (b) =>
        new ShopOrders({
          customers: b.get(CustomerRepository),
          orders: b.get(OrderRepository),
          catalog: b.get(CatalogService),
          pricing: b.get(PricingService),
          discounts: b.get(DiscountService),
          inventory: b.get(InventoryService),
          payments: b.get(PaymentGateway),
          work: b.get(Work),
          transactions: b.get(Transactions),
          shipping: shipping === undefined ? undefined : b.get(ShippingGateway),
          clock: b.get(Clock),
        }),
    )

    .bind(
      MailJobs,
      (b) =>
        new ShopMailJobs({
          orders: b.get(OrderRepository),
          customers: b.get(CustomerRepository),
          reports: b.get(ReportService),
          mailer: b.get(Mailer),
          clock: b.get(Clock),
        }),
    )

    .bind(ProductController, (b) => new HttpProducts(b.get(CatalogService), b.get(ReviewService)))
    .bind(SearchController, (b) => new HttpSearch(b.get(SearchService)))
    .bind(OrderController, (b) => new HttpOrders(b.get(OrderService)))
    .bind(ReportController, (b) => new HttpReports(b.get(ReportService)));
  for (const decorator of decorators) builder.instrument(decorator);
  change?.(builder);
  return builder.startAsync();
}
