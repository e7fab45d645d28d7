/**
 * The bean of each request. Most routes name a bean's method. One is a closure.
 */
import { CompressionMiddleware, EtagMiddleware, type Framework } from "framework";
import { MemoryBroadcast } from "framework/broadcast";
import { IdempotencyMiddleware } from "framework/idempotency";
import { addCache } from "./cache.ts";
import * as contracts from "./contracts.ts";
import { OrderController } from "./controllers/orders.ts";
import { ProductController } from "./controllers/products.ts";
import { ReportController } from "./controllers/reports.ts";
import { SearchController } from "./controllers/search.ts";
import { OutOfStockError, UnknownError } from "./errors.ts";
import { addExports } from "./export.ts";
import { addLogin } from "./login.ts";
import { picturesFolder, savePicture } from "./pictures.ts";
import { addAlerts, addBoard } from "./live.ts";
import { addPaymentEvents, developmentSecret } from "./payment-events.ts";
import { CustomerRepository } from "./repositories/customers.ts";
import { OrderRepository } from "./repositories/orders.ts";
import { CatalogService } from "./services/catalog.ts";
import { Mailer } from "./services/mailer.ts";

/**
 * @param pictures the folder of the products' pictures
 * @param isCached with the cache in front of the catalogue
 * @param paymentsSecret the secret of the payment service's webhooks
 */
export function addRoutes(
  app: Framework,
  pictures: string = picturesFolder(undefined),
  isCached = false,
  paymentsSecret: string = developmentSecret,
): void {
  const placed = new MemoryBroadcast();
  app.group("/products", { tags: ["products"] }, (api) => {
    api.use(new CompressionMiddleware());
    if (isCached) addCache(app, api);
    api.use(new EtagMiddleware());
    api.get("/", contracts.listProducts, [ProductController, "list"]);
    api.post("/", contracts.createProduct, [ProductController, "create"]);
    addExports(api);
    api.query("/search", { ...contracts.searchProducts, tool: { name: "search-products" } }, [
      SearchController,
      "search",
    ]);
    api.post("/search", contracts.searchProducts, [SearchController, "search"]);
    api.get("/{id}", contracts.showProduct, [ProductController, "show"]);
    api.put("/{id}", contracts.replaceProduct, [ProductController, "replace"]);
    api.patch("/{id}", contracts.changeProduct, [ProductController, "change"]);
    api.delete("/{id}", contracts.removeProduct, [ProductController, "remove"]);
    api.put("/{id}/picture", { ...contracts.putPicture, beans: [CatalogService] }, async (ctx) => {
      const { id } = await ctx.get(CatalogService).find(ctx.pathParam("id"));
      const { picture } = ctx.input.body.files;
      return { picture: await savePicture(pictures, id, picture), bytes: picture.bytes.length };
    });
    api.post("/{id}/reviews", contracts.reviewProduct, [ProductController, "review"]);
  });
  app.group("/orders", { tags: ["orders"] }, (api) => {
    // With an Idempotency-Key an order is placed once. The shop knows no caller here, so the key alone is the secret.
    const once = new IdempotencyMiddleware({ caller: () => undefined });
    api.post("/", { ...contracts.placeOrder, use: [once] }, [OrderController, "place"]);
    addBoard(api, placed);
    api.get("/{id}", contracts.showOrder, [OrderController, "show"]);
    api.delete("/{id}", contracts.cancelOrder, [OrderController, "cancel"]);
  });
  app.group("", { tags: ["office"] }, (api) => {
    api.get("/reports/sales/{month}", contracts.salesReport, [ReportController, "sales"]);
    api.get("/outbox", contracts.outbox, [Mailer, "outbox"]);
    // Both versions have one handler. A response has only what its contract names.
    for (const one of [contracts.customerOrdersV1, contracts.customerOrders])
      api.get("/customers/{id}/orders", { ...one, beans: [CustomerRepository, OrderRepository] }, async (ctx) => {
        const id = ctx.pathParam("id");
        const customer = await ctx.get(CustomerRepository).find(id);
        if (customer === undefined) throw new UnknownError("customer", id);
        return { customer, orders: await ctx.get(OrderRepository).ofCustomer(id) };
      });
  });
  addPaymentEvents(app, paymentsSecret);
  addAlerts(app, placed);
  addLogin(app);
  app.onError(OutOfStockError, (error, ctx) => {
    ctx.status(409).setHeader("Content-Type", "application/problem+json");
    return { type: "about:blank", title: "Conflict", status: 409, detail: error.message, code: "out_of_stock" };
  });
}
