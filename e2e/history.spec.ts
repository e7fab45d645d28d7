/**
 * The History tab: own and live runs, filters, pins, and loading a run into the editor.
 */
import type { APIRequestContext, Page } from "@playwright/test";
import { expect, test } from "./demo.ts";
import { button, field, open, order, runEdges, runs, select, sendProduct } from "./page.ts";

/** Live traffic that nothing else in this file makes: a path with a unique number. */
async function liveRun(request: APIRequestContext, origin: string): Promise<string> {
  const path = `/orders/live-${process.hrtime.bigint()}`;
  await request.get(origin + path);
  return path;
}

const filter = (page: Page, name: string, value: string): Promise<string[]> =>
  page.locator("#panel-history").getByRole("combobox", { name, exact: true }).selectOption(value);

test("DASH-015: history contains own and live runs, the latest first, and never devtools' own requests", async ({
  dashboard,
  origin,
  request,
}) => {
  await open(dashboard, "History");
  const first = await liveRun(request, origin);
  await expect(runs(dashboard, first)).toHaveCount(1);
  const second = await liveRun(request, origin);
  await expect(runs(dashboard).first()).toContainText(second);
  await expect(runs(dashboard).nth(1)).toContainText(first);
  await open(dashboard, "Requests");
  await sendProduct(dashboard, "p-0011");
  await open(dashboard, "History");
  await expect(runs(dashboard).first()).toContainText("p-0011");
  await expect(runs(dashboard).first()).toHaveAttribute("data-mine", "");
  await expect(runs(dashboard, "/framework/dev")).toHaveCount(0);
});

test("DASH-016: history is filtered by method, status class, text, bean and origin", async ({
  dashboard,
  origin,
  request,
}) => {
  const notFound = await liveRun(request, origin);
  await request.post(`${origin}/orders`, { data: order });
  await sendProduct(dashboard, "p-0012");
  await open(dashboard, "History");
  const shows = async (has: string, hasNot: string): Promise<void> => {
    await expect(runs(dashboard, has).first()).toBeAttached();
    await expect(runs(dashboard, hasNot)).toHaveCount(0);
  };
  await expect(runs(dashboard, notFound)).toHaveCount(1);
  await filter(dashboard, "Method", "POST");
  await shows("POST", "GET");
  await filter(dashboard, "Method", "");
  await filter(dashboard, "Status", "4");
  await shows(notFound, "p-0012");
  await filter(dashboard, "Status", "");
  await filter(dashboard, "Bean", "PaymentGateway");
  await shows("POST", "p-0012");
  await filter(dashboard, "Bean", "");
  await button(dashboard, "Mine").click();
  await shows("p-0012", notFound);
  await button(dashboard, "Mine").click();
  await button(dashboard, "Errors").click();
  await shows(notFound, "p-0012");
  await button(dashboard, "Errors").click();
  const text = dashboard.getByRole("searchbox", { name: "Filter runs" });
  await text.fill("promotionPercent");
  await shows("p-0012", notFound);
  await text.fill("no run holds this");
  await expect(dashboard.getByText("No run matches")).toBeVisible();
});

test("DASH-119: a pinned run stays when the others are cleared", async ({ dashboard, origin, request }) => {
  const live = await liveRun(request, origin);
  await sendProduct(dashboard, "p-0013");
  await button(dashboard, "Pin").click();
  await open(dashboard, "History");
  await expect(runs(dashboard, live)).toHaveCount(1);
  await button(dashboard, "Clear").click();
  await expect(runs(dashboard)).toHaveCount(1);
  await expect(runs(dashboard, "p-0013")).toHaveCount(1);
  const next = await liveRun(request, origin);
  await expect(runs(dashboard, next)).toHaveCount(1);
});

test("DASH-017 DASH-120: selecting a run replays its path; its request is edited and sent again", async ({
  dashboard,
  origin,
  request,
}) => {
  await sendProduct(dashboard, "p-0014");
  const live = await liveRun(request, origin);
  await open(dashboard, "History");
  await runs(dashboard, live).click();
  await expect(runEdges(dashboard, "entry>OrderController")).toHaveCount(1);
  await runs(dashboard, "p-0014").first().click();
  await expect(runEdges(dashboard, "entry>ProductController")).toHaveCount(1);
  await expect(runEdges(dashboard, "entry>OrderController")).toHaveCount(0);
  await runs(dashboard, live).click();
  await button(dashboard, "Edit and resend").click();
  const id = field(dashboard, "id");
  await expect(id).toHaveValue(live.replace("/orders/", ""));
  await id.fill(`${await id.inputValue()}-again`);
  await button(dashboard, "Send").click();
  await expect(runs(dashboard, `${live}-again`)).toHaveCount(1);
  await expect(runs(dashboard, `${live}-again`)).toHaveAttribute("aria-selected", "true");
});

test("DASH-015: a paused history waits and shows how many runs wait", async ({ dashboard, origin, request }) => {
  await select(dashboard, "GET /outbox");
  await open(dashboard, "History");
  await button(dashboard, "Pause").click();
  const live = await liveRun(request, origin);
  await expect(dashboard.getByRole("button", { name: /^Resume \([1-9]/ })).toBeVisible();
  await expect(runs(dashboard, live)).toHaveCount(0);
  await dashboard.getByRole("button", { name: /^Resume/ }).click();
  await expect(runs(dashboard, live)).toHaveCount(1);
});
