/**
 * Two runs side by side.
 */
import { expect, test } from "./demo.ts";
import { bean, button, field, open, runEdges, runs, select, send, sendProduct } from "./page.ts";

test("DASH-018: two marked runs show shared and different paths, and the difference per bean and of the responses", async ({
  dashboard,
}) => {
  await sendProduct(dashboard, "p-0021");
  await button(dashboard, "Compare as A").click();
  await field(dashboard, "id").fill("no-such-product");
  await send(dashboard);
  await expect(dashboard.locator(".graph [data-bean][data-threw]")).toHaveCount(1);
  await button(dashboard, "Compare as B").click();
  await open(dashboard, "Compare");
  await expect(runEdges(dashboard, "ProductController>CatalogService")).toHaveAttribute("data-side", "both");
  await expect(runEdges(dashboard, "CatalogService>PricingService")).toHaveAttribute("data-side", "a");
  await expect(bean(dashboard, "PricingService")).toHaveAttribute("data-side", "a");
  const dashes = (edge: string): Promise<string> =>
    runEdges(dashboard, edge).evaluate((path) => getComputedStyle(path).strokeDasharray);
  expect(await dashes("ProductController>CatalogService")).toBe("none");
  expect(await dashes("CatalogService>PricingService")).not.toBe("none");
  const panel = dashboard.locator("#panel-compare");
  await expect(panel.locator('tr[data-side="a"]').filter({ hasText: "PricingService" })).toContainText("only A");
  await expect(panel.locator('tr[data-side="both"]').filter({ hasText: "CatalogService" })).toContainText(/[+−]\d/);
  await expect(panel.locator(".differences").first()).toContainText("404");
  await expect(panel).toContainText(/Calls that differ/);
  await button(dashboard, "Swap A and B").click();
  await expect(runEdges(dashboard, "CatalogService>PricingService")).toHaveAttribute("data-side", "b");
  await button(dashboard, "Clear marks").click();
  await expect(dashboard.locator(".graph [data-side]")).toHaveCount(0);
});

test("DASH-018: History marks runs with the keys a and b; equal runs say that they are equal", async ({
  dashboard,
}) => {
  await select(dashboard, "GET /outbox");
  for (const count of [1, 2]) {
    await send(dashboard);
    await expect.poll(() => dashboard.locator("[data-mine]").or(runEdges(dashboard)).count()).toBeGreaterThan(0);
    await open(dashboard, "History");
    await expect(runs(dashboard).and(dashboard.locator("[data-mine]"))).toHaveCount(count);
    await open(dashboard, "Requests");
  }
  await open(dashboard, "History");
  const mine = dashboard.locator("[data-mine]");
  await mine.nth(1).click();
  await dashboard.getByRole("listbox", { name: "Runs" }).focus();
  await dashboard.keyboard.press("a");
  await mine.nth(0).click();
  await dashboard.getByRole("listbox", { name: "Runs" }).focus();
  await dashboard.keyboard.press("b");
  await open(dashboard, "Compare");
  await expect(dashboard.locator("#panel-compare")).toContainText("Status and body are the same.");
});
