/**
 * The list of routes and the editor: finding a route, filling it in, sending it, reading the response.
 */
import { expect, openDashboard, test } from "./demo.ts";
import {
  bodyText,
  button,
  field,
  runEdges,
  runs,
  select,
  send,
  sendBody,
  sendProduct,
  strokes,
  colours,
  open,
} from "./page.ts";
import { startDemo } from "./server.ts";

test.use({ colorScheme: "light" });

test("DASH-001 DASH-116: every route is listed, and can be filtered by method and by text", async ({
  dashboard,
  origin,
  request,
}) => {
  const routes = (await (await request.get(`${origin}/framework/dev/api/routes`)).json()) as {
    method: string;
    path: string;
    version?: string;
  }[];
  const shown = (): Promise<string[]> =>
    dashboard.locator("[data-route]").evaluateAll((all) => all.map((one) => one.getAttribute("data-route") ?? ""));
  const keys = routes.map(({ method, path, version = "" }) => `${method} ${path} ${version}`.trim());
  expect((await shown()).toSorted()).toEqual(keys.toSorted());
  await dashboard.getByRole("combobox", { name: "Method" }).selectOption("QUERY");
  await expect.poll(shown).toEqual(["QUERY /products/search"]);
  await dashboard.getByRole("combobox", { name: "Method" }).selectOption("");
  await dashboard.getByRole("searchbox", { name: "Filter routes" }).fill("orders");
  await expect
    .poll(async () => (await shown()).toSorted())
    .toEqual(keys.filter((key) => key.includes("orders")).toSorted());
  await dashboard.getByRole("searchbox", { name: "Filter routes" }).fill("no such route");
  await expect(dashboard.getByText("No route matches")).toBeVisible();
});

test("DASH-003: the editor has the last sent request, else an example from the route's last successful run", async ({
  dashboard,
  origin,
  request,
}) => {
  await request.get(`${origin}/products/p-0300?from=page`);
  await request.get(`${origin}/products/p-9999`);
  await dashboard.reload();
  await select(dashboard, "GET /products/{id}");
  await expect(field(dashboard, "id")).toHaveValue("p-0300");
  await expect(field(dashboard, "Query")).toHaveValue("from=page");
  await select(dashboard, "GET /reports/sales/{month}");
  await field(dashboard, "month").fill("2032-01");
  await send(dashboard);
  await expect(runEdges(dashboard, "entry>ReportController")).toHaveCount(1);
  await request.get(`${origin}/reports/sales/2033-02`);
  await open(dashboard, "History");
  await expect(runs(dashboard, "2033-02")).toHaveCount(1);
  await dashboard.reload();
  await open(dashboard, "Requests");
  await select(dashboard, "GET /reports/sales/{month}");
  await expect(field(dashboard, "month")).toHaveValue("2032-01");
});

test("DASH-004: edits survive switching routes and reloading", async ({ dashboard }) => {
  const id = field(dashboard, "id");
  await select(dashboard, "GET /products/{id}");
  await id.fill("p-0042");
  await select(dashboard, "GET /outbox");
  await expect(id).toHaveCount(0);
  await select(dashboard, "GET /products/{id}");
  await expect(id).toHaveValue("p-0042");
  await dashboard.reload();
  await select(dashboard, "GET /products/{id}");
  await expect(id).toHaveValue("p-0042");
});

test("DASH-005: sending shows status, time, size, headers and body of the response", async ({ dashboard }) => {
  await sendProduct(dashboard);
  const panel = dashboard.locator("#panel-response");
  const summary = panel.locator(".summary");
  await expect(summary).toContainText("200");
  await expect(summary).toContainText(/\d ?(µs|ms|s)/);
  await expect(summary).toContainText(/\d ?(B|kB)/);
  await expect(panel.getByRole("tree")).toContainText("p-0001");
  await panel.locator("details.headers summary").click();
  const headers = panel.locator("details.headers tr");
  await expect(headers.filter({ hasText: /content-type/i })).toContainText("application/json");
  await expect(headers.filter({ hasText: /x-request-id/i })).toHaveCount(1);
});

test("DASH-026 DASH-125: invalid JSON is reported by position, a missing path parameter by name, and nothing is sent", async ({
  dashboard,
}) => {
  await select(dashboard, "POST /orders");
  await (await bodyText(dashboard)).fill('{\n  "customerId": \n}');
  await expect(dashboard.locator("#body-state")).toContainText(/Line 3, column 1: /);
  await send(dashboard);
  await expect(field(dashboard, "Body")).toBeFocused();
  await select(dashboard, "GET /products/{id}");
  await field(dashboard, "id").fill("");
  await expect(dashboard.getByRole("alert")).toHaveCount(0);
  await dashboard.keyboard.press("Control+Enter");
  await expect(dashboard.getByRole("alert")).toHaveText("Fill in the path parameter id.");
  await expect(field(dashboard, "id")).toBeFocused();
  await expect(dashboard.locator("#panel-response")).toContainText("No run selected");
});

test("DASH-040 DASH-133: on a fresh clone each route of the shop is filled in so that Send succeeds", async ({
  page,
}) => {
  test.setTimeout(120_000);
  const demo = await startDemo();
  try {
    await openDashboard(page, demo.origin);
    const keys = await page
      .locator("[data-route]")
      .evaluateAll((all) => all.map((one) => one.getAttribute("data-route") ?? ""));
    const statuses: string[] = [];
    // Deleting routes come last.
    for (const key of keys.toSorted((a, b) => Number(a.startsWith("DELETE")) - Number(b.startsWith("DELETE")))) {
      await select(page, key);
      await expect(page.getByRole("alert")).toHaveCount(0);
      if (await button(page, "Connect").isVisible()) continue;
      await send(page);
      const status = page.locator("#panel-response .status");
      await expect(status).toHaveText(/^[1-5]\d\d$/);
      statuses.push(`${key}: ${(await status.textContent()) ?? ""}`);
      // A stream of events goes on until it is stopped.
      if (key === "GET /stock/alerts") await button(page, "Stop").click();
    }
    expect(keys.length).toBeGreaterThan(12);
    // These need a login, a signature or a chosen file, and a WebSocket without declared messages an upgrade, as their responses say.
    const others = ["GET /me: 401", "POST /payments/events: 400", "PUT /products/{id}/picture: 422"];
    const failed = statuses.filter((one) => !/: 2\d\d$/.test(one));
    expect(failed.filter((one) => one !== "GET /orders/live: 426")).toEqual(others);
  } finally {
    await demo.stop();
  }
});

test("DASH-041 DASH-134: headers for every request are part of each Send, and persist in the tab", async ({
  dashboard,
}) => {
  await select(dashboard, "GET /outbox");
  await dashboard.getByText("Headers of every request").click();
  await button(dashboard, "Add shared header").click();
  await field(dashboard, "Shared header 1 name").fill("X-Tenant");
  await field(dashboard, "Shared header 1 value").fill("acme");
  await dashboard.reload();
  await select(dashboard, "GET /products/{id}");
  await send(dashboard);
  await dashboard.getByRole("tab", { name: "Request", exact: true }).click();
  await expect(dashboard.locator("#panel-request").getByRole("row", { name: "x-tenant acme" })).toBeVisible();
});

test("DASH-029 DASH-127 DASH-022: a QUERY is edited with its body, drawn in teal, and Accept-Query is shown", async ({
  dashboard,
}) => {
  await sendBody(dashboard, "QUERY /products/search", "SearchController", { text: "pro" });
  expect(await strokes(runEdges(dashboard))).toEqual([colours.light.QUERY]);
  await expect(dashboard.getByText(/^Accept-Query: /)).toContainText("application/json");
  await dashboard.locator("#panel-response details.headers summary").click();
  await expect(
    dashboard.locator("#panel-response details.headers tr").filter({ hasText: /accept-query/i }),
  ).toContainText("application/json");
});
