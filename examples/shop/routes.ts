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

const lamp = { name: "Desk lamp", category: "office", brand: "Nordlys", price: 39.9 };
const review = { author: "Ada", stars: 5, text: "Bright, and it does not flicker." };
const order = { customerId: "c-1", card: "visa", lines: [{ productId: "p-0001", quantity: 1 }] };
const wanted = { text: "lamp", inStock: true, sort: "-price" };

export function addRoutes(app: Framework): void {
  app.group("/products", (api) => {
    api.get("/", [ProductController, "list"], { example: { query: { category: "garden", page: 2 } } });
    api.post("/", [ProductController, "create"], { example: { body: { ...lamp, quantity: 12 } } });
    api.query("/search", [SearchController, "search"], { accept: ["application/json"], example: { body: wanted } });
    api.post("/search", [SearchController, "search"], { example: { body: wanted } });
    api.get("/{id}", [ProductController, "show"], { example: { path: { id: "p-0001" } } });
    api.put("/{id}", [ProductController, "replace"], { example: { path: { id: "p-0002" }, body: lamp } });
    api.patch("/{id}", [ProductController, "change"], { example: { path: { id: "p-0003" }, body: { price: 12.5 } } });
    api.delete("/{id}", [ProductController, "remove"], { example: { path: { id: "p-0004" } } });
    api.post("/{id}/reviews", [ProductController, "review"], { example: { path: { id: "p-0001" }, body: review } });
  });
  app.group("/orders", (api) => {
    api.post("/", [OrderController, "place"], { example: { body: order } });
    api.get("/{id}", [OrderController, "show"], { example: { path: { id: "o-1001" } } });
    api.delete("/{id}", [OrderController, "cancel"], { example: { path: { id: "o-1002" } } });
  });
  app.get("/reports/sales/{month}", [ReportController, "sales"], { example: { path: { month: "2026-10" } } });
  app.get("/outbox", [Mailer, "outbox"]);
  app.get(
    "/customers/{id}/orders",
    async (ctx) => {
      const id = ctx.pathParam("id");
      const customer = await ctx.get(CustomerRepository).find(id);
      if (customer === undefined) throw new UnknownError("customer", id);
      return { customer, orders: await ctx.get(OrderRepository).ofCustomer(id) };
    },
    { beans: [CustomerRepository, OrderRepository], example: { path: { id: "c-1" } } },
  );
  app.exception(OutOfStockError, (error, ctx) => {
    ctx.status(409).header("Content-Type", "application/problem+json");
    return { type: "about:blank", title: "Conflict", status: 409, detail: error.message, code: "out_of_stock" };
  });
}
