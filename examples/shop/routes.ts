/**
 * Which request goes to which bean. Most routes name a bean's method; one is a closure.
 */
import type { Framework } from "framework";
import { OrderController } from "./controllers/orders.ts";
import { ProductController } from "./controllers/products.ts";
import { ReportController } from "./controllers/reports.ts";
import { SearchController } from "./controllers/search.ts";
import { OutOfStockError, UnknownError } from "./errors.ts";
import { CustomerRepository } from "./repositories/customers.ts";
import { OrderRepository } from "./repositories/orders.ts";
import { Mailer } from "./services/mailer.ts";

export function addRoutes(app: Framework): void {
  app.group("/products", (api) => {
    api.get("/", [ProductController, "list"]);
    api.post("/", [ProductController, "create"]);
    api.query("/search", [SearchController, "search"], { accept: ["application/json"] });
    api.post("/search", [SearchController, "search"]);
    api.get("/{id}", [ProductController, "show"]);
    api.put("/{id}", [ProductController, "replace"]);
    api.patch("/{id}", [ProductController, "change"]);
    api.delete("/{id}", [ProductController, "remove"]);
    api.post("/{id}/reviews", [ProductController, "review"]);
  });
  app.group("/orders", (api) => {
    api.post("/", [OrderController, "place"]);
    api.get("/{id}", [OrderController, "show"]);
    api.delete("/{id}", [OrderController, "cancel"]);
  });
  app.get("/reports/sales/{month}", [ReportController, "sales"]);
  app.get("/outbox", [Mailer, "outbox"]);
  app.get(
    "/customers/{id}/orders",
    async (ctx) => {
      const id = ctx.pathParam("id");
      const customer = await ctx.get(CustomerRepository).find(id);
      if (customer === undefined) throw new UnknownError("customer", id);
      return { customer, orders: await ctx.get(OrderRepository).ofCustomer(id) };
    },
    { beans: [CustomerRepository, OrderRepository] },
  );
  app.exception(OutOfStockError, (error, ctx) => {
    ctx.status(409).header("Content-Type", "application/problem+json");
    return { type: "about:blank", title: "Conflict", status: 409, detail: error.message, code: "out_of_stock" };
  });
}
