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
    api.get("/", { example: { query: { category: "garden", page: 2 } } }, [ProductController, "list"]);
    api.post("/", { example: { body: { ...lamp, quantity: 12 } } }, [ProductController, "create"]);
    api.query("/search", { accept: ["application/json"], example: { body: wanted } }, [SearchController, "search"]);
    api.post("/search", { example: { body: wanted } }, [SearchController, "search"]);
    api.get("/{id}", { example: { path: { id: "p-0001" } } }, [ProductController, "show"]);
    api.put("/{id}", { example: { path: { id: "p-0002" }, body: lamp } }, [ProductController, "replace"]);
    api.patch("/{id}", { example: { path: { id: "p-0003" }, body: { price: 12.5 } } }, [ProductController, "change"]);
    api.delete("/{id}", { example: { path: { id: "p-0004" } } }, [ProductController, "remove"]);
    api.post("/{id}/reviews", { example: { path: { id: "p-0001" }, body: review } }, [ProductController, "review"]);
  });
  app.group("/orders", (api) => {
    api.post("/", { example: { body: order } }, [OrderController, "place"]);
    api.get("/{id}", { example: { path: { id: "o-1001" } } }, [OrderController, "show"]);
    api.delete("/{id}", { example: { path: { id: "o-1002" } } }, [OrderController, "cancel"]);
  });
  app.get("/reports/sales/{month}", { example: { path: { month: "2026-10" } } }, [ReportController, "sales"]);
  app.get("/outbox", [Mailer, "outbox"]);
  app.get(
    "/customers/{id}/orders",
    { beans: [CustomerRepository, OrderRepository], example: { path: { id: "c-1" } } },
    async (ctx) => {
      const id = ctx.pathParam("id");
      const customer = await ctx.get(CustomerRepository).find(id);
      if (customer === undefined) throw new UnknownError("customer", id);
      return { customer, orders: await ctx.get(OrderRepository).ofCustomer(id) };
    },
  );
  app.exception(OutOfStockError, (error, ctx) => {
    ctx.status(409).header("Content-Type", "application/problem+json");
    return { type: "about:blank", title: "Conflict", status: 409, detail: error.message, code: "out_of_stock" };
  });
}
