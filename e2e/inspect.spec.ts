/**
 * The places of the page, and Inspect: runs as a table, the request in a line, borders that move, and print.
 */
import type { Locator, Page } from "@playwright/test";
import { expect, openDashboard, test } from "./demo.ts";
import { bean, button, expectNoViolation, field, order, runEdges, runs, sendProduct } from "./page.ts";
import { startMany } from "./many.ts";

const place = (page: Page, name: string): Locator => page.getByRole("navigation", { name: "Places" }).getByText(name);
const grid = (page: Page): Locator => page.getByRole("grid", { name: "Runs" });
const head = (page: Page, name: string): Locator => grid(page).getByRole("columnheader", { name });

/** Opens Inspect after these requests, oldest first. */
async function inspect(page: Page, origin: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) await page.request.get(origin + path);
  await place(page, "Inspect").click();
  await expect(runs(page, paths.at(-1))).not.toHaveCount(0);
}

test("DASH-177: the header leads to Compose and Inspect by mouse and by key, and each is an address", async ({
  dashboard,
  context,
}) => {
  await sendProduct(dashboard, "p-0051");
  await expect(place(dashboard, "Compose")).toHaveAttribute("aria-current", "page");
  await place(dashboard, "Inspect").focus();
  await dashboard.keyboard.press("Enter");
  await expect(place(dashboard, "Inspect")).toHaveAttribute("aria-current", "page");
  await expect(place(dashboard, "Compose")).not.toHaveAttribute("aria-current");
  await expect(runs(dashboard, "p-0051").first()).toHaveAttribute("aria-selected", "true");
  await expect(runEdges(dashboard, "entry>ProductController")).toHaveCount(1);
  await expect(dashboard.getByRole("tab", { name: "Why" })).toHaveAttribute("aria-selected", "true");
  const other = await context.newPage();
  await other.goto(dashboard.url());
  await expect(runs(other, "p-0051").first()).toHaveAttribute("aria-selected", "true");
  await expect(other.locator(".inspect-timeline [data-call]").first()).toBeVisible();
  await other.close();
  await dashboard.keyboard.press("c");
  await expect(field(dashboard, "id")).toHaveValue("p-0051");
  await dashboard.goBack();
  await expect(grid(dashboard)).toBeVisible();
  await dashboard.keyboard.press("i");
  await expectNoViolation(dashboard);
});

test("DASH-178: at 1440 × 900 Inspect shows 14 runs or more, and bars of the timeline of 600 pixels or more", async ({
  page,
}) => {
  const lab = await startMany(25, 12);
  try {
    for (let sent = 0; sent < 20; sent += 1) await page.request.get(`${lab.origin}/path`);
    await openDashboard(page, lab.origin);
    await place(page, "Inspect").click();
    await expect(runs(page).first()).toBeVisible();
    const box = await grid(page).locator(".call-rows").boundingBox();
    const whole = await runs(page).evaluateAll(
      (rows, end) => rows.filter((row) => row.getBoundingClientRect().bottom <= end).length,
      (box?.y ?? 0) + (box?.height ?? 0) + 0.5,
    );
    expect(whole).toBeGreaterThanOrEqual(14);
    await runs(page).first().click();
    const cells = page.locator(".inspect-timeline [data-call] .bar-cell");
    await expect(cells.first()).toBeVisible();
    const widths = await cells.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().width));
    expect(Math.min(...widths)).toBeGreaterThanOrEqual(600);
    // The bar of the run itself fills its cell.
    const run = await page.locator(".inspect-timeline .root .bar-cell").boundingBox();
    expect(run?.width).toBeGreaterThanOrEqual(600);
  } finally {
    await lab.stop();
  }
  // The time is on one line.
  const tops = await page.locator(".run-row .began").evaluateAll((all) =>
    all.map((one) => {
      const range = document.createRange();
      range.selectNodeContents(one);
      return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
    }),
  );
  expect(tops.length).toBeGreaterThan(10);
  expect(new Set(tops)).toEqual(new Set([1]));
});

test("DASH-179: the table sorts by each column in both directions, and says so", async ({ dashboard, origin }) => {
  await dashboard.request.post(`${origin}/orders`, { data: order });
  await inspect(dashboard, origin, ["/products?q=b", "/outbox", "/products/p-0001", "/products/none"]);
  await expect(head(dashboard, "Start")).toHaveAttribute("aria-sort", "descending");
  /** The column of each row on screen, without units. */
  const shown = (at: number): Promise<string[]> =>
    runs(dashboard).evaluateAll(
      (rows, column) =>
        rows
          .toSorted((a, b) => Number(a.getAttribute("aria-rowindex")) - Number(b.getAttribute("aria-rowindex")))
          .map((row) => row.children[column]?.textContent?.trim() ?? ""),
      at,
    );
  const micros = (text: string): number => {
    const [value = "0", unit = "µs"] = text.split(/\s+/);
    return Number(value) * ({ µs: 1, ms: 1e3, s: 1e6, B: 1, kB: 1e3, MB: 1e6 }[unit] ?? Number.NaN);
  };
  const names = ["Method", "Route", "Status", "Duration", "SQL", "SQL time", "Size"] as const;
  const columns = { Method: 1, Route: 2, Status: 3, Duration: 4, SQL: 6, "SQL time": 7, Size: 8 } as const;
  for (const name of names) {
    const isText = name === "Method" || name === "Route";
    const header = grid(dashboard).getByRole("columnheader", { name, exact: true });
    for (const direction of isText ? ["ascending", "descending"] : ["descending", "ascending"]) {
      await header.getByRole("button").click();
      await expect(header).toHaveAttribute("aria-sort", direction);
      await expect(grid(dashboard).locator("[aria-sort]")).toHaveCount(1);
      const values = (await shown(columns[name])).map((text) => (isText ? text : micros(text || "0")));
      const sorted = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
      expect(values, `${name}, ${direction}`).toEqual(direction === "ascending" ? sorted : sorted.toReversed());
    }
  }
  await head(dashboard, "Over time").getByRole("button").press("Enter");
  await expect(head(dashboard, "Over time")).toHaveAttribute("aria-sort", "descending");
});

test("DASH-179: the table filters by text, errors and own runs, pauses, and is read by keys", async ({
  dashboard,
  origin,
}) => {
  await sendProduct(dashboard, "p-0052");
  await inspect(dashboard, origin, ["/products/p-0053", "/products/nothing-52"]);
  const only = async (has: string, hasNot: string): Promise<void> => {
    await expect(runs(dashboard, has)).not.toHaveCount(0);
    await expect(runs(dashboard, hasNot)).toHaveCount(0);
  };
  await button(dashboard, "Errors").click();
  await only("nothing-52", "p-0053");
  await button(dashboard, "Errors").click();
  await button(dashboard, "Mine").click();
  await only("p-0052", "p-0053");
  await button(dashboard, "Mine").click();
  const text = dashboard.getByRole("searchbox", { name: "Filter runs" });
  await text.fill("p-0053");
  await only("p-0053", "p-0052");
  await text.fill("no run holds this");
  await button(dashboard, "Slow").click();
  await expect(dashboard.getByText("No run matches")).toBeVisible();
  await dashboard.getByRole("button", { name: /^Show all/ }).click();
  await expect(text).toHaveValue("");
  await expect(button(dashboard, "Slow")).toHaveAttribute("aria-pressed", "false");
  await button(dashboard, "Pause").click();
  await dashboard.request.get(`${origin}/products/p-0054`);
  await expect(dashboard.getByRole("button", { name: /^Resume \([1-9]/ })).toBeVisible();
  await expect(runs(dashboard, "p-0054")).toHaveCount(0);
  await dashboard.getByRole("button", { name: /^Resume/ }).click();
  await expect(runs(dashboard, "p-0054")).toHaveCount(1);
  await runs(dashboard, "p-0054").focus();
  await dashboard.keyboard.press("ArrowDown");
  await expect(runs(dashboard, "nothing-52")).toBeFocused();
  await dashboard.keyboard.press("Enter");
  await expect(runs(dashboard, "nothing-52")).toHaveAttribute("aria-selected", "true");
  await dashboard.keyboard.press("a");
  await expect(runs(dashboard, "nothing-52")).toContainText("A");
});

test("DASH-179: the bars of all rows have one axis, on which a later run is further right", async ({ page }) => {
  const lab = await startMany(25, 12);
  try {
    for (let sent = 0; sent < 3; sent += 1) await page.request.get(`${lab.origin}/path`);
    await openDashboard(page, lab.origin);
    await place(page, "Inspect").click();
    await expect(page.locator(".run-bar")).toHaveCount(3);
    const bars = page.locator(".run-bar");
    const lefts = (): Promise<number[]> =>
      bars.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().left));
    await expect
      .poll(async () => (await lefts()).every((left, i, all) => i === 0 || left < (all[i - 1] ?? 0)))
      .toBe(true);
    const marks = await page
      .locator(".waterfall")
      .evaluateAll((all) => all.map((one) => [...one.querySelectorAll("i")].map((mark) => mark.style.left).join()));
    expect(new Set(marks).size).toBe(1);
    expect(marks[0]).toContain("%");
  } finally {
    await lab.stop();
  }
});

test("DASH-180: the request of a run is one line that is edited, copied and sent again", async ({
  dashboard,
  origin,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await dashboard.request.post(`${origin}/orders`, { data: order });
  await inspect(dashboard, origin, ["/products/p-0055"]);
  const line = dashboard.locator(".request-line");
  await runs(dashboard, "/orders").first().click();
  await expect(line).toContainText("POST");
  await expect(line).toContainText("/orders");
  await expect(line).toContainText('{ customerId: "c-1", card: "visa", lines: [1 item] }');
  await runs(dashboard, "p-0055").click();
  await expect(line).toContainText("/products/p-0055");
  await expect(line).toContainText(/as sent at \d\d:\d\d:\d\d, \d+ headers/);
  await line.getByText("Copy", { exact: true }).click();
  await button(dashboard, "Copy cURL").click();
  await expect.poll(() => dashboard.evaluate(() => navigator.clipboard.readText())).toContain("/products/p-0055");
  await button(dashboard, "Send again").click();
  await expect(runs(dashboard, "p-0055")).toHaveCount(2);
  await expect(runs(dashboard, "p-0055").first()).toHaveAttribute("aria-selected", "true");
  await line.getByRole("button", { name: "Edit" }).click();
  await field(dashboard, "id").fill("");
  await place(dashboard, "Inspect").click();
  await expect(line).toContainText("Draft.");
  await button(dashboard, "Send again").click();
  await expect(line.getByRole("alert")).toHaveText("Fill in the path parameter id.");
});

test("DASH-181: keys and the mouse move each border of Inspect, and the positions persist", async ({
  dashboard,
  origin,
}) => {
  await inspect(dashboard, origin, ["/products/p-0056"]);
  await runs(dashboard, "p-0056").first().click();
  await expect(bean(dashboard, "ProductController")).toHaveAttribute("data-state", "path");
  const borders = ["Height of the graph", "Width of the runs", "Height of the timeline"].map((name) =>
    dashboard.getByRole("separator", { name }),
  );
  const valueOf = async (border: Locator): Promise<number> => Number(await border.getAttribute("aria-valuenow"));
  for (const border of borders) {
    const before = await valueOf(border);
    await border.focus();
    await dashboard.keyboard.press("ArrowRight");
    await expect.poll(() => valueOf(border)).toBe(before + 20);
    const box = await border.boundingBox();
    if (!box) throw new Error("the border is not on the page");
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await dashboard.mouse.move(x, y);
    await dashboard.mouse.down();
    await dashboard.mouse.move(x - 30, y - 30);
    await dashboard.mouse.up();
    await expect.poll(() => valueOf(border)).toBe(before - 10);
  }
  const [graph] = borders;
  if (!graph) throw new Error("no border");
  await graph.focus();
  for (let i = 0; i < 10; i += 1) await dashboard.keyboard.press("Shift+ArrowUp");
  const zone = dashboard.locator(".graph-main");
  await expect.poll(async () => (await zone.boundingBox())?.height ?? 999).toBeLessThanOrEqual(72);
  await expect(bean(dashboard, "ProductController")).toBeInViewport();
  const after = await Promise.all(borders.map(valueOf));
  await dashboard.reload();
  await expect(runs(dashboard, "p-0056").first()).toBeVisible();
  expect(await Promise.all(borders.map(valueOf))).toEqual(after);
});

test.describe("dark", () => {
  test.use({ colorScheme: "dark" });

  test("DASH-182: print shows the run without controls, in the light theme", async ({ dashboard }) => {
    await sendProduct(dashboard, "p-0057");
    const paper = (): Promise<string> => dashboard.evaluate(() => getComputedStyle(document.body).color);
    expect(await paper()).toBe("rgb(232, 235, 241)");
    await dashboard.emulateMedia({ media: "print" });
    expect(await paper()).toBe("rgb(20, 23, 29)");
    await expect(bean(dashboard, "ProductController")).toBeVisible();
    await expect(dashboard.locator("#panel-response .summary")).toContainText("200");
    for (const part of [".lists", ".editor", ".graph-tools", ".run-actions", ".places", ".splitter"])
      await expect(dashboard.locator(part).first(), part).toBeHidden();
    const { clipped, height } = await dashboard.evaluate(() => {
      const body = document.querySelector(".detail-body");
      return {
        clipped: body ? body.scrollHeight - body.clientHeight : -1,
        height: document.documentElement.scrollHeight,
      };
    });
    expect(clipped).toBe(0);
    expect(height).toBeGreaterThan(900);
  });
});
