/**
 * Keys and links: everything works by keyboard, and a link leads back to the current view.
 */
import { expect, test } from "./demo.ts";
import { bean, bodyText, button, field, runEdges, select, sendProduct } from "./page.ts";

test("DASH-024 DASH-121 DASH-122 DASH-123: / finds a bean, Ctrl+K opens the palette, ? lists the keys, Ctrl+Enter sends", async ({
  dashboard,
}) => {
  const { keyboard } = dashboard;
  await keyboard.press("/");
  await expect(dashboard.getByRole("searchbox", { name: "Find bean" })).toBeFocused();
  await keyboard.type("payment");
  await expect(bean(dashboard, "PaymentGateway")).toHaveAttribute("data-found", "");
  await expect(dashboard.locator(".graph [data-found]")).toHaveCount(1);
  await keyboard.press("Enter");
  await expect(bean(dashboard, "PaymentGateway")).toHaveAttribute("data-selected", "");
  await keyboard.press("Escape");
  await keyboard.press("?");
  const help = dashboard.getByRole("dialog", { name: "Keys" });
  await expect(help).toContainText("find a bean");
  await keyboard.press("Escape");
  await expect(help).toHaveCount(0);
  for (const combination of ["Control+k", "Meta+k"]) {
    await keyboard.press(combination);
    const palette = dashboard.getByRole("dialog", { name: "Go to" });
    await expect(palette.getByRole("combobox")).toBeFocused();
    await keyboard.press("Escape");
    await expect(palette).toHaveCount(0);
  }
  await keyboard.press("Control+k");
  await keyboard.type("route get /products/{id}");
  await keyboard.press("Enter");
  await expect(dashboard.locator('[data-route="GET /products/{id}"]')).toHaveAttribute("aria-selected", "true");
  await field(dashboard, "id").fill("p-0041");
  await keyboard.press("Control+Enter");
  await expect(runEdges(dashboard, "entry>ProductController")).toHaveCount(1);
});

test("DASH-024: single keys are disabled inside fields", async ({ dashboard }) => {
  await select(dashboard, "GET /products/{id}");
  await field(dashboard, "id").fill("");
  await field(dashboard, "id").pressSequentially("t?/h");
  await expect(field(dashboard, "id")).toHaveValue("t?/h");
  await expect(dashboard.getByRole("dialog")).toHaveCount(0);
  await expect(dashboard.getByRole("tab", { name: /^Requests/ })).toHaveAttribute("aria-selected", "true");
});

test("DASH-025 DASH-124: a link leads to a route, a run and a bean, and contains no header or body values", async ({
  dashboard,
  context,
}) => {
  await select(dashboard, "QUERY /products/search");
  await button(dashboard, "Add header").click();
  const at = (await dashboard.getByLabel(/^Header \d+ name$/).count()) || 1;
  await field(dashboard, `Header ${at} name`).fill("X-Note");
  await field(dashboard, `Header ${at} value`).fill("never-in-a-link");
  await (await bodyText(dashboard)).fill('{"text":"body-secret"}');
  await button(dashboard, "Send").click();
  await expect(runEdges(dashboard, "entry>SearchController")).toHaveCount(1);
  await bean(dashboard, "SearchService").click();
  await expect.poll(() => dashboard.url()).toContain("bean=SearchService");
  const url = dashboard.url();
  const link = new URLSearchParams(new URL(url).hash.slice(1));
  expect([...link.keys()]).toEqual(["route", "trace", "bean"]);
  expect(link.get("route")).toBe("QUERY /products/search");
  expect(decodeURIComponent(url)).not.toMatch(/never-in-a-link|body-secret/);
  const other = await context.newPage();
  await other.goto(url);
  await expect(runEdges(other, "entry>SearchController")).toHaveCount(1);
  await expect(bean(other, "SearchService")).toHaveAttribute("data-selected", "");
  await expect(other.locator('[data-route="QUERY /products/search"]')).toHaveAttribute("aria-selected", "true");
});

test("DASH-032 DASH-129: the graph is one tab stop; arrows move in it, Enter opens a bean, Esc closes it", async ({
  dashboard,
}) => {
  await select(dashboard, "GET /products/{id}");
  const stops = await dashboard
    .locator(".graph")
    .evaluate(
      (graph) => [graph, ...graph.querySelectorAll("*")].filter((one) => one.getAttribute("tabindex") === "0").length,
    );
  expect(stops).toBe(1);
  const { keyboard } = dashboard;
  await keyboard.press("g");
  await expect(dashboard.locator(".graph")).toBeFocused();
  await keyboard.press("ArrowRight");
  await expect(bean(dashboard, "ProductController").locator(".handle")).toBeFocused();
  await keyboard.press("ArrowRight");
  const next = dashboard.locator(
    '.graph [data-bean="CatalogService"] .handle, .graph [data-bean="ReviewService"] .handle',
  );
  await expect(next.and(dashboard.locator(":focus"))).toHaveCount(1);
  await keyboard.press("ArrowLeft");
  await keyboard.press("Home");
  await expect(bean(dashboard, "ProductController").locator(".handle")).toBeFocused();
  await keyboard.press("Enter");
  await expect(bean(dashboard, "ProductController")).toHaveAttribute("data-selected", "");
  await expect(dashboard.locator("#panel-node")).toContainText("HttpProducts");
  await keyboard.press("Escape");
  await expect(bean(dashboard, "ProductController")).not.toHaveAttribute("data-selected");
});

test("DASH-032 DASH-129: a run is sent and read by keys alone; its table shows the same as the path", async ({
  dashboard,
}) => {
  const { keyboard } = dashboard;
  await sendProduct(dashboard);
  await keyboard.press("Escape");
  await dashboard.getByRole("listbox", { name: "Routes" }).focus();
  await keyboard.press("Home");
  await keyboard.press("End");
  await expect(dashboard.getByRole("option").last()).toHaveAttribute("aria-selected", "true");
  const wanted = '[data-route="GET /outbox"]';
  while ((await dashboard.locator(wanted).getAttribute("aria-selected")) !== "true") await keyboard.press("ArrowUp");
  await keyboard.press("Control+Enter");
  await expect(runEdges(dashboard, "entry>Mailer")).toHaveCount(1);
  await dashboard.getByRole("tab", { name: /^Response/ }).focus();
  await keyboard.press("ArrowRight");
  await expect(dashboard.getByRole("tab", { name: "Request", exact: true })).toBeFocused();
  await keyboard.press("ArrowRight");
  await expect(dashboard.getByRole("tab", { name: /^Timeline/ })).toHaveAttribute("aria-selected", "true");
  const table = dashboard.getByRole("table", { name: "Calls in order" });
  // The head, the run's own row, the call, its nested call, and that one's statement.
  await expect(table.getByRole("row")).toHaveCount(5);
  await expect(table.getByRole("row").nth(2)).toContainText("Mailer.outbox");
  await table.getByRole("row").nth(2).focus();
  await keyboard.press("Enter");
  await expect(bean(dashboard, "Mailer")).toHaveAttribute("data-selected", "");
});

test("DASH-032: keys move the borders between the zones, and the positions persist", async ({ dashboard }) => {
  const border = dashboard.getByRole("separator", { name: "Width of the list" });
  await border.focus();
  const before = Number(await border.getAttribute("aria-valuenow"));
  await dashboard.keyboard.press("ArrowRight");
  await expect.poll(async () => Number(await border.getAttribute("aria-valuenow"))).toBeGreaterThan(before);
  const after = (await border.getAttribute("aria-valuenow")) ?? "";
  await dashboard.reload();
  await expect(border).toHaveAttribute("aria-valuenow", after);
});
