/**
 * The address of the page: each selection is an entry of the browser's history, and a link shows the same elsewhere.
 */
import { labTest } from "./lab-test.ts";
import { expect, test } from "./demo.ts";
import { bean, button, field, open, runEdges, runs, select, send, sendProduct } from "./page.ts";

test("DASH-172: Back and Forward walk routes, runs, tabs and beans, and typing a search is no step", async ({
  dashboard,
}) => {
  await select(dashboard, "GET /outbox");
  await sendProduct(dashboard, "p-0031");
  await open(dashboard, "Timeline");
  await bean(dashboard, "CatalogService").click();
  await expect(dashboard.getByRole("tab", { name: "Bean" })).toHaveAttribute("aria-selected", "true");
  await open(dashboard, "History");
  await dashboard.getByRole("searchbox", { name: "Filter runs" }).pressSequentially("p-0031");
  await expect.poll(() => dashboard.url()).toContain("q=p-0031");
  await dashboard.goBack();
  await expect(dashboard.getByRole("tab", { name: /^Requests/ })).toHaveAttribute("aria-selected", "true");
  await expect(bean(dashboard, "CatalogService")).toHaveAttribute("data-selected", "");
  await dashboard.goBack();
  await expect(dashboard.getByRole("tab", { name: /^Timeline/ })).toHaveAttribute("aria-selected", "true");
  await expect(bean(dashboard, "CatalogService")).not.toHaveAttribute("data-selected");
  await dashboard.goBack();
  await expect(dashboard.getByRole("tab", { name: /^Response/ })).toHaveAttribute("aria-selected", "true");
  await expect(runEdges(dashboard, "entry>ProductController")).toHaveCount(1);
  await dashboard.goBack();
  await expect(runEdges(dashboard)).toHaveCount(0);
  await expect(dashboard.locator('[data-route="GET /products/{id}"]')).toHaveAttribute("aria-selected", "true");
  await dashboard.goBack();
  await expect(dashboard.locator('[data-route="GET /outbox"]')).toHaveAttribute("aria-selected", "true");
  for (let step = 0; step < 3; step += 1) await dashboard.goForward();
  await expect(dashboard.getByRole("tab", { name: /^Timeline/ })).toHaveAttribute("aria-selected", "true");
  await expect(runEdges(dashboard, "entry>ProductController")).toHaveCount(1);
});

test("DASH-172: a link shows tab, call, search and the compared runs in another tab", async ({
  dashboard,
  context,
}) => {
  await sendProduct(dashboard, "p-0032");
  await button(dashboard, "Compare as A").click();
  await sendProduct(dashboard, "no-such-product");
  await button(dashboard, "Compare as B").click();
  await expect(runEdges(dashboard, "CatalogService>PricingService")).toHaveAttribute("data-side", "a");
  await open(dashboard, "History");
  await dashboard.getByRole("searchbox", { name: "Filter runs" }).fill("bean:CatalogService");
  await expect.poll(() => dashboard.url()).toContain("q=bean");
  const other = await context.newPage();
  await other.goto(dashboard.url());
  await expect(runEdges(other, "CatalogService>PricingService")).toHaveAttribute("data-side", "a");
  await expect(other.locator("#panel-compare")).toContainText("404");
  await expect(other.getByRole("searchbox", { name: "Filter runs" })).toHaveValue("bean:CatalogService");
  await open(dashboard, "Timeline");
  await dashboard.locator("#panel-timeline [data-call]").nth(1).click();
  await expect.poll(() => dashboard.url()).toContain("call=1");
  await other.goto(dashboard.url());
  await expect(other.locator("#panel-node [data-call][data-current]")).toHaveAttribute("data-call", "1");
});

test("DASH-173: unknown parts of a link are named, and the rest is shown", async ({ dashboard, origin }) => {
  await dashboard.goto(
    `${origin}/framework/dev?again#route=GET+%2Foutbox&trace=gone.9&tab=moon&bean=Nobody&place=mars`,
  );
  await expect(dashboard.locator('[data-route="GET /outbox"]')).toHaveAttribute("aria-selected", "true");
  const notice = dashboard.getByRole("alert");
  for (const part of ["Run gone.9 is no longer kept", "no tab “moon”", "no bean Nobody", "no place “mars”"])
    await expect(notice).toContainText(part);
  await expect.poll(() => new URL(dashboard.url()).hash).toBe("#route=GET+%2Foutbox");
});

test("DASH-170: an untouched editor holds the selected run's request, and is a draft once the user types", async ({
  dashboard,
  origin,
  request,
}) => {
  for (const id of ["p-0033", "p-0034"]) await request.get(`${origin}/products/${id}`);
  await open(dashboard, "History");
  const id = field(dashboard, "id");
  const draft = dashboard.locator(".origin", { hasText: "Draft." });
  for (const one of ["p-0033", "p-0034", "p-0033"]) {
    await runs(dashboard, one).first().click();
    await expect(id).toHaveValue(one);
    await expect(draft).toHaveCount(0);
  }
  await send(dashboard);
  await expect(runs(dashboard, "p-0033")).toHaveCount(2);
  // What was sent is not typed any more.
  await runs(dashboard, "p-0034").first().click();
  await expect(id).toHaveValue("p-0034");
  await id.fill("p-0035");
  await expect(draft).toBeVisible();
  await runs(dashboard, "p-0034").first().click();
  await expect(id).toHaveValue("p-0035");
  await button(dashboard, "Fill in its request").click();
  await expect(id).toHaveValue("p-0034");
  await expect(draft).toHaveCount(0);
});

const pathsTest = labTest({ routes: (app) => app.get("/files/{name}", (ctx) => ctx.json(ctx.url)) });

pathsTest("DASH-176: a percent-encoded path is shown decoded and sent as it was", async ({ lab: page }) => {
  await select(page, "GET /files/{name}");
  await field(page, "name").fill("café/50%");
  await expect(page.locator(".url-bar code")).toHaveText("/files/café%2F50%25");
  await send(page);
  await expect(page.locator("#panel-response")).toContainText("/files/caf%C3%A9%2F50%25");
  await open(page, "History");
  await expect(runs(page, "café%2F50%25")).toHaveCount(1);
});
