/**
 * `make screenshots`: the pictures of docs/, taken from the running demo after its path is drawn.
 */
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { expect, test } from "./demo.ts";
import { bean, button, field, open, order, runEdges, select, send, sendBody, sendProduct } from "./page.ts";

const docs = join(import.meta.dirname, "..", "docs");

async function take(page: Page, name: string): Promise<void> {
  await expect(page.locator(".graph [data-still]")).toHaveCount(1);
  await page.mouse.move(0, 0);
  await page.screenshot({ path: join(docs, name) });
}

for (const theme of ["light", "dark"] as const) {
  test.describe(theme, () => {
    test.use({ colorScheme: theme });

    test(`takes docs/dashboard-${theme}.png: a run's path and its timeline`, async ({ dashboard }) => {
      await sendProduct(dashboard);
      await open(dashboard, "Timeline");
      await take(dashboard, `dashboard-${theme}.png`);
    });
  });
}

test.describe("light", () => {
  test.use({ colorScheme: "light" });

  test("takes docs/dashboard-node.png: the arguments and results of a bean of an order", async ({ dashboard }) => {
    await sendBody(dashboard, "POST /orders", "OrderController", order);
    await bean(dashboard, "PaymentGateway").click();
    await take(dashboard, "dashboard-node.png");
  });

  test("takes docs/dashboard-compare.png: a product that exists and one that does not", async ({ dashboard }) => {
    await sendProduct(dashboard);
    await button(dashboard, "Compare as A").click();
    await select(dashboard, "GET /products/{id}");
    await field(dashboard, "id").fill("p-9999");
    await send(dashboard);
    await expect(dashboard.locator(".graph [data-threw]")).toHaveCount(1);
    await button(dashboard, "Compare as B").click();
    await open(dashboard, "Compare");
    await expect(runEdges(dashboard, "CatalogService>PricingService")).toHaveAttribute("data-side", "a");
    await take(dashboard, "dashboard-compare.png");
  });
});
