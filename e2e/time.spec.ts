/**
 * Across time: searching runs, runs of an ended process, aggregates, and the application's start and health.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { Interface } from "framework";
import { expect, openDashboard, test as base, watch } from "./demo.ts";
import { startLab } from "./lab.ts";
import { bean, button, expectNoViolation, open, runEdges, runs, sendProduct } from "./page.ts";
import { startServer, type Server } from "./server.ts";

interface Restarting {
  readonly origin: string;
  /** Ends the process and starts another one with the same history file. The page is reloaded. */
  readonly restart: () => Promise<void>;
}

/** A shop that keeps its runs on disk, in a separate folder. */
const test = base.extend<{ readonly shop: Restarting }>({
  shop: async ({ page, violations }, use) => {
    const folder = await mkdtemp(join(tmpdir(), "framework-time-"));
    const start = (port: string): Promise<Server> =>
      startServer("examples/shop/main.js", { PORT: port, DATA_DIR: folder });
    let server = await start("0");
    try {
      const { origin } = server;
      await watch(page, origin, violations);
      await openDashboard(page, origin);
      await use({
        origin,
        restart: async () => {
          await server.stop();
          server = await start(new URL(origin).port);
          await openDashboard(page, origin);
        },
      });
    } finally {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    }
  },
});

const filter = (page: Page) => page.getByRole("searchbox", { name: "Filter runs" });
const earlier = (page: Page) => page.locator("[data-run-key]");

test("DASH-110: a search finds a run by an argument, highlights the bean, and can be saved", async ({
  dashboard,
  origin,
}) => {
  await sendProduct(dashboard, "p-0591");
  await sendProduct(dashboard, "p-0592");
  await open(dashboard, "History");
  await filter(dashboard).fill("bean:ProductRepository arg.id=p-0591");
  await expect(runs(dashboard)).toHaveCount(1);
  await runs(dashboard, "p-0591").click();
  await expect(bean(dashboard, "ProductRepository")).toHaveAttribute("data-found", "");
  await expect(bean(dashboard, "ProductController")).not.toHaveAttribute("data-found");
  await button(dashboard, "Save search").click();
  await openDashboard(dashboard, origin);
  await open(dashboard, "History");
  await button(dashboard, "bean:ProductRepository arg.id=p-0591").click();
  await expect(runs(dashboard)).toHaveCount(1);
});

test("DASH-111 DASH-154: an invalid query shows the position, and the probable intention", async ({ dashboard }) => {
  await sendProduct(dashboard, "p-0593");
  await open(dashboard, "History");
  await filter(dashboard).fill("beam:Product p-0593");
  await expect(dashboard.locator(".search-issues mark")).toHaveText("beam");
  await expect(filter(dashboard)).toHaveAttribute("aria-invalid", "true");
  await dashboard.getByText("Syntax", { exact: true }).click();
  await expect(dashboard.getByText("how long the run took")).toBeVisible();
  await expectNoViolation(dashboard);
  await button(dashboard, "bean:Product p-0593").click();
  await expect(filter(dashboard)).toHaveValue("bean:Product p-0593");
  await expect(dashboard.locator(".search-issues")).toHaveCount(0);
  await expect(runs(dashboard)).toHaveCount(1);
});

test("DASH-112 DASH-155: runs from before a restart are found, opened and compared with current ones", async ({
  page,
  shop,
}) => {
  await sendProduct(page, "p-0011");
  await shop.restart();
  await open(page, "History");
  await expect(runs(page)).toHaveCount(0);
  await button(page, "Earlier sessions").click();
  await page.locator(".session").click();
  await expect(earlier(page)).toHaveCount(1);
  await earlier(page).click();
  await expect(runEdges(page, "entry>ProductController")).toHaveCount(1);
  await expect(runs(page, "p-0011")).toHaveAttribute("aria-selected", "true");
  await button(page, "Compare as A").click();
  await open(page, "Requests");
  await sendProduct(page, "p-0012");
  await button(page, "Compare as B").click();
  await expect(page.locator("#panel-compare")).toContainText("p-0011");
  await expect(page.locator("#panel-compare")).toContainText("p-0012");
  await open(page, "History");
  await filter(page).fill("p-0011");
  await filter(page).press("Enter");
  const hits = page.getByRole("region", { name: "Found in everything that is kept" });
  await expect(hits).toContainText("1 hit");
  await expect(hits.locator("[data-run-key]")).toHaveCount(1);
});

test("DASH-113: aggregates by route and bean can be sorted, and open their runs", async ({ dashboard, origin }) => {
  const asked: string[] = [];
  dashboard.on("request", (request) => void asked.push(new URL(request.url()).pathname));
  await dashboard.request.get(`${origin}/orders/none`);
  for (let times = 0; times < 2; times += 1) await sendProduct(dashboard, "p-0594");
  expect(asked.filter((path) => path.endsWith("/aggregates"))).toEqual([]);
  await open(dashboard, "App");
  const routes = dashboard.getByRole("table", { name: "Routes" });
  const names = routes.getByRole("rowheader");
  await expect(names.filter({ hasText: "GET /orders/{id}" })).toHaveCount(1);
  const counts = await routes.locator("tbody td:nth-child(2)").allTextContents();
  expect(counts.map(Number)).toEqual(counts.map(Number).toSorted((a, b) => b - a));
  await routes.getByRole("button", { name: "Routes" }).click();
  await expect(routes.getByRole("columnheader", { name: "Routes" })).toHaveAttribute("aria-sort", "ascending");
  const sorted = await names.allTextContents();
  expect(sorted).toEqual(sorted.toSorted());
  const beans = dashboard.getByRole("table", { name: "Beans" });
  await beans.getByRole("button", { name: "OrderController", exact: true }).click();
  await earlier(dashboard).first().click();
  await expect(runEdges(dashboard, "entry>OrderController")).toHaveCount(1);
  await expectNoViolation(dashboard);
});

test("DASH-114: the start is shown bean by bean, with the current health and metrics", async ({
  dashboard,
  origin,
}) => {
  await open(dashboard, "App");
  const start = dashboard.getByRole("table", { name: "Start", exact: true });
  await expect(start.getByRole("rowheader", { name: "ProductRepository" })).toBeVisible();
  await expect(dashboard.locator(".checks li", { hasText: "database" })).toContainText("UP");
  const metrics = dashboard.getByRole("table", { name: "Metrics" });
  await expect(metrics).toBeVisible();
  await dashboard.request.get(`${origin}/products/p-0001`);
  await expect(metrics.getByRole("rowheader", { name: "GET /products/{id}", exact: true })).toBeVisible();
  for (const [width, height] of [
    [1440, 900],
    [720, 900],
  ] as const) {
    await dashboard.setViewportSize({ width, height });
    const wide = await dashboard.locator(".app-facts").evaluate((box) => box.scrollWidth - box.clientWidth);
    expect(wide).toBe(0);
  }
});

test("DASH-115: a failed start is shown by the next one, with the bean that failed", async ({ page, violations }) => {
  const folder = await mkdtemp(join(tmpdir(), "framework-start-"));
  const devtools = { history: join(folder, "runs.jsonl") };
  const Pump = Interface<object>("Pump");
  const Well = Interface<object>("Well");
  try {
    const failing = startLab({
      devtools,
      beans: (builder) =>
        builder
          .bind(Well, () => {
            throw new RangeError("the well is dry");
          })
          .bind(Pump, (b) => b.get(Well)),
      routes: () => undefined,
    });
    await expect(failing).rejects.toThrow();
    const lab = await startLab({ devtools, routes: (app) => void app.get("/", () => "hello") });
    try {
      await watch(page, lab.origin, violations);
      await openDashboard(page, lab.origin);
      await open(page, "App");
      await expect(page.getByText(/^The start of .* failed\.$/)).toBeVisible();
      await expect(page.getByRole("table", { name: "Failed start" }).getByRole("row")).toContainText([
        "Made",
        "Well the well is dry",
      ]);
      await expectNoViolation(page);
    } finally {
      await lab.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
