/**
 * A developer's view of the demo through the dashboard: pick a route, see its reach, send it, follow
 * the path it took, read what every bean was given and gave back.
 *
 * State is asserted by attribute, colour by computed stroke. A straight SVG edge has no height, which
 * Playwright calls hidden, so edges are counted.
 */
import type { Locator, Page } from "@playwright/test";
import { expect, test } from "./demo.ts";

/** The method colours, as the browser computes them. */
const colours = {
  light: { GET: "rgb(21, 120, 79)", POST: "rgb(19, 89, 229)", QUERY: "rgb(22, 86, 102)" },
  dark: { GET: "rgb(67, 222, 154)", POST: "rgb(143, 185, 255)", QUERY: "rgb(38, 170, 182)" },
} as const;

const order = { customerId: "c-1", card: "visa", lines: [{ productId: "p-0001", quantity: 2 }] };

const select = (page: Page, route: string): Promise<void> => page.locator(`[data-route="${route}"]`).click();
const send = (page: Page): Promise<void> => page.getByRole("button", { name: "Send", exact: true }).click();
const bean = (page: Page, id: string): Locator => page.locator(`[data-bean="${id}"]`);
const runEdges = (page: Page): Locator => page.locator("[data-run]");
const stroke = (edge: Locator): Promise<string> => edge.evaluate((element) => getComputedStyle(element).stroke);

async function sendProduct(page: Page, id = "p-0001"): Promise<void> {
  await select(page, "GET /products/{id}");
  await page.getByRole("textbox", { name: "id", exact: true }).fill(id);
  await send(page);
  await expect(bean(page, "ProductController")).toHaveAttribute("data-state", "path");
}

async function sendOrder(page: Page): Promise<void> {
  await select(page, "POST /orders");
  await page.getByRole("textbox", { name: "Body", exact: true }).fill(JSON.stringify(order));
  await send(page);
  await expect(bean(page, "OrderController")).toHaveAttribute("data-state", "path");
}

test.use({ colorScheme: "light" });

test("selecting a route shows its reach at full strength, dims the rest and draws no path", async ({ dashboard }) => {
  await select(dashboard, "GET /products/{id}");
  for (const id of ["ProductController", "CatalogService", "PricingService", "ReviewRepository"]) {
    await expect(bean(dashboard, id)).toHaveAttribute("data-state", "reach");
  }
  await expect(bean(dashboard, "PaymentGateway")).toHaveAttribute("data-state", "dim");
  await expect(bean(dashboard, "OrderController")).toHaveAttribute("data-state", "dim");
  await expect(runEdges(dashboard)).toHaveCount(0);
});

test("sending a GET draws its path in green, from the entry on, and leaves untaken beans plain", async ({
  dashboard,
}) => {
  await sendProduct(dashboard);
  await expect(dashboard.locator('[data-run="entry>ProductController"]')).toHaveCount(1);
  await expect(dashboard.locator('[data-run="ProductController>CatalogService"]')).toHaveCount(1);
  for (const edge of await runEdges(dashboard).all()) expect(await stroke(edge)).toBe(colours.light.GET);
  await expect(bean(dashboard, "ProductRepository")).toHaveAttribute("data-state", "path");
  await expect(bean(dashboard, "OrderController")).toHaveAttribute("data-state", "dim");
  await expect(dashboard.getByRole("tabpanel").filter({ hasText: "200" }).first()).toBeVisible();
});

test("sending a POST draws its path in blue and leaves the branch that this order does not take", async ({
  dashboard,
}) => {
  await sendOrder(dashboard);
  await expect(dashboard.locator('[data-run="entry>OrderController"]')).toHaveCount(1);
  await expect(dashboard.locator('[data-run="OrderController>OrderService"]')).toHaveCount(1);
  for (const edge of await runEdges(dashboard).all()) expect(await stroke(edge)).toBe(colours.light.POST);
  await expect(bean(dashboard, "PaymentGateway")).toHaveAttribute("data-state", "path");
  await expect(dashboard.getByRole("tabpanel").filter({ hasText: "201" }).first()).toBeVisible();
});

test("a QUERY carries its body and is drawn in teal", async ({ dashboard }) => {
  await select(dashboard, "QUERY /products/search");
  await dashboard.getByRole("textbox", { name: "Body", exact: true }).fill('{"text":"pro"}');
  await send(dashboard);
  await expect(dashboard.locator('[data-run="entry>SearchController"]')).toHaveCount(1);
  for (const edge of await runEdges(dashboard).all()) expect(await stroke(edge)).toBe(colours.light.QUERY);
});

test("the theme button switches the page, the colours follow, and the choice survives a reload", async ({
  dashboard,
}) => {
  const html = dashboard.locator("html");
  await expect(html).toHaveAttribute("data-theme", "light");
  await dashboard.getByRole("button", { name: "Theme", exact: true }).click();
  await expect(html).toHaveAttribute("data-theme", "dark");
  await sendProduct(dashboard);
  expect(await stroke(runEdges(dashboard).first())).toBe(colours.dark.GET);
  await dashboard.reload();
  await expect(html).toHaveAttribute("data-theme", "dark");
});

test("the system's theme is used until one is chosen", async ({ dashboard }) => {
  await dashboard.emulateMedia({ colorScheme: "dark" });
  await dashboard.reload();
  await expect(dashboard.locator("html")).toHaveAttribute("data-theme", "dark");
});

test("opening a node shows the arguments and the result of each of its calls", async ({ dashboard }) => {
  await sendProduct(dashboard);
  await bean(dashboard, "CatalogService").click();
  await expect(dashboard.getByRole("tab", { name: "Node" })).toHaveAttribute("aria-selected", "true");
  const call = dashboard.locator("[data-call]").filter({ hasText: "page" }).first();
  await expect(call).toContainText("Arguments");
  await expect(call).toContainText("p-0001");
  await expect(call).toContainText("promotionPercent");
});

test("an unspied bean says why it shows no calls", async ({ dashboard }) => {
  await sendProduct(dashboard);
  await bean(dashboard, "Database").click();
  await expect(dashboard.getByRole("tabpanel").filter({ hasText: "Not traceable" })).toBeVisible();
});

test("the timeline lists the calls of the run", async ({ dashboard }) => {
  await sendProduct(dashboard);
  await dashboard.getByRole("tab", { name: "Timeline" }).click();
  const panel = dashboard.locator("#panel-timeline");
  await expect(panel).toContainText("CatalogService");
  await expect(panel).toContainText("ProductRepository");
});

test("a request that fails shows its status and marks the bean that threw", async ({ dashboard }) => {
  await select(dashboard, "GET /products/{id}");
  await dashboard.getByRole("textbox", { name: "id", exact: true }).fill("no-such-product");
  await send(dashboard);
  await expect(dashboard.locator("[data-bean][data-threw]").first()).toBeAttached();
  await expect(dashboard.getByRole("tabpanel").filter({ hasText: "404" }).first()).toBeVisible();
});

test("history takes in live traffic and replays a run's path", async ({ dashboard, origin, request }) => {
  await sendProduct(dashboard);
  const nonce = `/orders/live-${Date.now()}`;
  await request.get(`${origin}${nonce}`);
  await dashboard.getByRole("tab", { name: "History" }).click();
  const runs = dashboard.locator("[data-trace]");
  const live = runs.filter({ hasText: nonce });
  await expect(live).toHaveCount(1);
  await live.click();
  await expect(dashboard.locator('[data-run="entry>OrderController"]')).toHaveCount(1);
  await runs.filter({ hasText: "/products/p-0001" }).first().click();
  await expect(dashboard.locator('[data-run="entry>ProductController"]')).toHaveCount(1);
  await expect(dashboard.locator('[data-run="entry>OrderController"]')).toHaveCount(0);
});

test("edits survive switching routes and reloading", async ({ dashboard }) => {
  const id = dashboard.getByRole("textbox", { name: "id", exact: true });
  await select(dashboard, "GET /products/{id}");
  await id.fill("p-0042");
  await select(dashboard, "GET /outbox");
  await select(dashboard, "GET /products/{id}");
  await expect(id).toHaveValue("p-0042");
  await dashboard.reload();
  await select(dashboard, "GET /products/{id}");
  await expect(id).toHaveValue("p-0042");
});

test("invalid JSON is said with its line, and Send waits for it", async ({ dashboard }) => {
  await select(dashboard, "POST /orders");
  await dashboard.getByRole("textbox", { name: "Body", exact: true }).fill('{\n  "customerId": \n}');
  await expect(dashboard.locator("#body-state")).toContainText("Line 3");
  await expect(dashboard.getByRole("button", { name: "Send", exact: true })).toBeDisabled();
});

test("devtools' own requests never show up as runs", async ({ dashboard, origin, request }) => {
  await sendProduct(dashboard);
  const traces = (await (await request.get(`${origin}/framework/dev/api/requests`)).json()) as { path: string }[];
  expect(traces.some(({ path }) => path === "/products/p-0001")).toBe(true);
  expect(traces.filter(({ path }) => path.startsWith("/framework/dev"))).toEqual([]);
});

test("the page's policy blocks what an attacker would inject", async ({ dashboard, violations }) => {
  const ran = await dashboard.evaluate(async () => {
    const script = document.createElement("script");
    try {
      script.textContent = "document.title = 'injected'";
      document.body.append(script);
    } catch {
      // Trusted Types refuse the assignment.
    }
    await new Promise((resolve) => requestAnimationFrame(resolve));
    return document.title === "injected";
  });
  expect(ran).toBe(false);
  await expect.poll(() => violations.length).toBeGreaterThan(0);
  expect(violations.every((violation) => violation.startsWith("CSP: "))).toBe(true);
  violations.length = 0;
});
