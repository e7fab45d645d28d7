/**
 * The Bean tab: a bean, with its arguments and results in the selected run.
 */
import { expect, test } from "./demo.ts";
import { bean, field, select, send, sendProduct } from "./page.ts";

test("DASH-011: opening a bean shows the arguments and the result of each of its calls as JSON", async ({
  dashboard,
}) => {
  await sendProduct(dashboard);
  await bean(dashboard, "CatalogService").click();
  await expect(dashboard.getByRole("tab", { name: "Bean" })).toHaveAttribute("aria-selected", "true");
  const call = dashboard.locator("#panel-node [data-call]").filter({ hasText: "page" }).first();
  await expect(call.getByLabel(/^Arguments of call/).first()).toContainText('"p-0001"');
  await expect(call.getByLabel(/^Result of call/).first()).toContainText("promotionPercent");
});

test("DASH-011: a call that threw shows its error instead of a result", async ({ dashboard }) => {
  await select(dashboard, "GET /products/{id}");
  await field(dashboard, "id").fill("no-such-product");
  await send(dashboard);
  await bean(dashboard, "CatalogService").click();
  const call = dashboard.locator("#panel-node [data-call][data-failed]").first();
  await expect(call.getByLabel(/^Arguments of call/).first()).toContainText('"no-such-product"');
  await expect(call.getByLabel(/^Error of call/).first()).toContainText("UnknownError");
});

test("DASH-012: an unrecorded bean shows the reason, and how to change that", async ({ dashboard }) => {
  await sendProduct(dashboard);
  await bean(dashboard, "Postgres").click();
  const panel = dashboard.locator("#panel-node");
  await expect(panel).toContainText("Not traceable: it is bound as a concrete class");
  await expect(panel).toContainText("Bind it by an interface token or an abstract class");
});
