/**
 * The guide docs/find-out-why.md, followed on the page: five faults planted in the shop, each found down to its line.
 *
 *   the shop, as it should be, has a run ──▶ FAULT=… on the same data ──▶ what the guide says ──▶ examples/shop/faults.ts:<line>
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locator, Page } from "@playwright/test";
import { expect, openDashboard, test as base, watch } from "./demo.ts";
import {
  bean,
  button,
  expectNoViolation,
  field,
  methodPlace,
  open,
  runs,
  select,
  send,
  sendBody,
  sendProduct,
} from "./page.ts";
import { startServer } from "./server.ts";

const source = "examples/shop/faults.ts";
const startShop = (folder: string, FAULT = "") =>
  startServer("examples/shop/main.js", { PORT: "0", DATA_DIR: folder, FAULT });

interface Planted {
  /** Starts the shop with that fault and opens its dashboard in the page. Returns the shop's origin. */
  readonly plant: (fault: string) => Promise<string>;
}

const test = base.extend<Planted, { readonly folder: string }>({
  folder: [
    // eslint-disable-next-line no-empty-pattern -- Playwright reads the fixture names from the pattern
    async ({}, use) => {
      const folder = await mkdtemp(join(tmpdir(), "framework-why-"));
      const shop = await startShop(folder);
      await fetch(`${shop.origin}/products/p-0130`);
      await shop.stop();
      await use(folder);
      await rm(folder, { recursive: true, force: true });
    },
    { scope: "worker", timeout: 90_000 },
  ],
  plant: async ({ page, folder, violations }, use) => {
    let stop = async (): Promise<void> => undefined;
    await use(async (fault) => {
      const shop = await startShop(folder, fault);
      ({ stop } = shop);
      await watch(page, shop.origin, violations);
      await openDashboard(page, shop.origin);
      return shop.origin;
    });
    await stop();
  },
});
// One after the other, since only one process can use a database.
test.describe.configure({ mode: "default" });

/** The place of the text after `id: "<fault>"`, as the page writes it. */
async function placeOf(fault: string, text: string): Promise<string> {
  const lines = (await readFile(source, "utf8")).split("\n");
  const from = lines.findIndex((line) => line.includes(`id: "${fault}"`));
  const at = lines.findIndex((line, index) => index > from && line.trim().startsWith(text));
  expect([from, at]).not.toContain(-1);
  return `${source}:${at + 1}`;
}

test("the guide names places that exist", async () => {
  const guide = await readFile("docs/find-out-why.md", "utf8");
  const places = [await placeOf("n-plus-one", "async list("), await placeOf("swallowed", ".charge(")];
  expect(guide.match(/examples\/shop\/faults\.ts:\d+/g)).toEqual(places);
});

const chain = (page: Page): Locator => page.locator(".leaf-pane .chain");

test("DASH-108: the list that sends a statement for each of its lines", async ({ page, plant }) => {
  await plant("n-plus-one");
  await select(page, "GET /products");
  await field(page, "category").fill("garden");
  await send(page);
  await expect(page.locator(".graph-footer [role=status]")).toContainText("21 SQL");
  await open(page, "Timeline");
  await expect(page.locator("details.notice", { hasText: "N+1:" })).toContainText(
    "N+1: 1 statement sent again and again with other values",
  );
  await button(page, "show").click();
  await page.locator("#panel-timeline [data-leaf]", { hasText: "N+1 1/20" }).click();
  await expect(chain(page)).toHaveText(
    "ProductController.list › CatalogService.list › ProductRepository.find › Database.query",
  );
  await chain(page).getByRole("button", { name: "CatalogService.list" }).click();
  await expect(methodPlace(page)).toHaveText(await placeOf("n-plus-one", "async list("));
  await expect(methodPlace(page)).toHaveAttribute("href", /^vscode:\/\/file\/.+\/examples\/shop\/faults\.ts:\d+:1$/);
  await expectNoViolation(page);
});

test("DASH-108: the list that hangs in one statement", async ({ page, plant }) => {
  const origin = await plant("slow-statement");
  for (const category of ["garden", "kitchen", "toys"]) await fetch(`${origin}/products?category=${category}`);
  await open(page, "History");
  await page.getByRole("searchbox", { name: "Filter runs" }).fill("query.category=kitchen dur>5ms");
  await expect(runs(page)).toHaveCount(1);
  await runs(page).click();
  await open(page, "Timeline");
  await button(page, "Flame").click();
  await page
    .getByRole("tree", { name: /^Flame view/ })
    .locator("[data-bar=leaf]")
    .click();
  await expect(page.locator(".leaf-pane .sql")).toContainText("lower(c.brand) = lower(other.brand)");
  await chain(page).getByRole("button", { name: "ProductRepository.page" }).click();
  await expect(methodPlace(page)).toHaveText(await placeOf("slow-statement", "async page("));
});

test("DASH-108: the payment that failed without a report", async ({ page, plant }) => {
  await plant("swallowed");
  const lines = [{ productId: "p-0040", quantity: 1 }];
  await sendBody(page, "POST /orders", "OrderController", { customerId: "c-1", card: "visa-declined", lines });
  await expect(page.locator("#panel-response")).toContainText('"paid"');
  await open(page, "Logs");
  await expect(page.locator("#panel-logs")).toContainText("No log lines");
  await expect(bean(page, "PaymentGateway")).toHaveAttribute("data-threw", "");
  await bean(page, "PaymentGateway").click();
  const failed = page.locator("#panel-node [data-call][data-failed]");
  await expect(failed).toContainText("visa-declined");
  const stack = failed.getByRole("list", { name: "Stack of PaymentDeclinedError" }).locator("> li[data-own]");
  await expect(stack).toContainText(["TestBank.charge", await placeOf("swallowed", ".charge(")]);
});

test("DASH-108: the product with a text as its rating", async ({ page, plant }) => {
  const origin = await plant("broken-contract");
  for (const path of ["products/p-0005", "products?category=garden"]) await fetch(`${origin}/${path}`);
  await open(page, "History");
  await page.getByRole("searchbox", { name: "Filter runs" }).fill("is:broken");
  await expect(runs(page)).toHaveCount(1);
  await runs(page).click();
  await expect(page.locator("#panel-response")).toContainText("/reviews/average");
  await page.getByRole("searchbox", { name: "Filter runs" }).fill("is:broken method:summaryOf result.average:.");
  await expect(bean(page, "ReviewService")).toHaveAttribute("data-found", "");
  await bean(page, "ReviewService").click();
  await expect(page.getByRole("tree", { name: /^Result of call 1/ })).toContainText(/"average": "\d/);
  await expect(methodPlace(page)).toHaveText(await placeOf("broken-contract", "async summaryOf("));
});

test("DASH-108: the price that changed with the restart", async ({ page, plant }) => {
  await plant("cached-for-another");
  await sendProduct(page, "p-0130");
  await button(page, "Compare as B").click();
  await open(page, "History");
  await page.getByRole("searchbox", { name: "Filter runs" }).fill("path:p-0130 result=0 method:percentOff");
  await page.getByRole("searchbox", { name: "Filter runs" }).press("Enter");
  await page.locator("[data-run-key]").click();
  await button(page, "Compare as A").click();
  const differs = page.locator("#panel-compare .call-diff");
  await expect(differs.filter({ hasText: "PromotionRepository.percentOff" })).toContainText(/\$\.result\s*0\s*10/);
  await expect(differs.filter({ hasText: "Database.query" })).toContainText(/"kitchen"\s*"garden"/);
  await page.locator("#panel-compare .beans").getByRole("button", { name: "PromotionRepository" }).click();
  await expect(methodPlace(page)).toHaveText(await placeOf("cached-for-another", "percentOff:"));
});
