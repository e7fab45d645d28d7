/**
 * Lanes: all kept runs over time, the brush, runs beside a failed one, and what the selected runs share.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locator, Page } from "@playwright/test";
import { expect, openDashboard, test as base } from "./demo.ts";
import { askQuotes, boxes, clickOnRun, listOfRuns as list, payUnderLoad, startBank } from "./lanes.ts";
import type { Lab } from "./lab.ts";
import { button, expectNoViolation, runs } from "./page.ts";

const test = base.extend<{ readonly bank: Lab }>({
  // eslint-disable-next-line no-empty-pattern -- Playwright reads the fixture names from the pattern
  bank: async ({}, use) => {
    const bank = await startBank();
    try {
      await use(bank);
    } finally {
      await bank.stop();
    }
  },
});

const openLanes = async (page: Page, { origin }: Lab): Promise<void> => {
  await openDashboard(page, origin);
  await page.getByRole("link", { name: "Lanes" }).click();
};
const active = (page: Page): Locator => list(page).getByRole("option");
const brush = (page: Page): Locator => page.getByRole("slider", { name: "Brush" });
const first = (page: Page): Locator => page.locator(".lanes-first");
const count = (page: Page): Locator => page.locator(".lanes-said b").first();

const brushIn = (page: Page): readonly number[] =>
  (new URLSearchParams(new URL(page.url()).hash.slice(1)).get("brush") ?? "").split("-").map(Number);

test("DASH-225: all kept runs are over time, a band a route, and those that overlap are in different lanes", async ({
  page,
  bank,
}) => {
  await payUnderLoad(bank.origin, 8);
  await openLanes(page, bank);
  await expect(count(page)).toHaveText("10 runs in the brush");
  await expect(page.getByRole("list", { name: "Routes" }).getByRole("listitem")).toHaveText([
    "POST/wallets/{id}/pay",
    "GET/cart",
  ]);
  const others = await boxes(page, "other");
  expect(others).toHaveLength(9);
  expect(await boxes(page, "failed")).toHaveLength(1);
  // Three payments at a time and one request of the other route.
  const payments = others.filter(({ y }) => y < 60);
  expect(payments.filter(({ x }) => x < (payments.at(-1)?.x ?? 0) / 2).length).toBeGreaterThan(2);
  const overlapping = payments.flatMap((a, i) =>
    payments.slice(i + 1).filter((b) => a.y === b.y && a.x + a.width > b.x + 0.2 && b.x + b.width > a.x + 0.2),
  );
  expect(overlapping).toEqual([]);
  expect(new Set(payments.map(({ y }) => y)).size).toBeGreaterThan(1);
});

test("DASH-226: the brush follows the mouse and the keys, filters both places and is in the address", async ({
  page,
  bank,
}) => {
  await payUnderLoad(bank.origin, 24);
  await openLanes(page, bank);
  await expect(count(page)).toHaveText("26 runs in the brush");
  const box = await page.locator(".lanes-strip").boundingBox();
  if (!box) throw new Error("no strip");
  const y = box.y + 10;
  await page.mouse.move(box.x + box.width * 0.5, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.7, y, { steps: 4 });
  await page.mouse.up();
  await expect(count(page)).not.toHaveText("26 runs in the brush");
  const [from = 0, to = 0] = brushIn(page);
  expect(to).toBeGreaterThan(from);
  const shown = await count(page).textContent();
  await brush(page).focus();
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => brushIn(page)[0]).toBeGreaterThan(from);
  const moved = brushIn(page);
  expect((moved[1] ?? 0) - (moved[0] ?? 0)).toBe(to - from);
  await page.keyboard.press("Shift+ArrowLeft");
  await expect.poll(() => brushIn(page)[1]).toBeLessThan(moved[1] ?? 0);
  expect(brushIn(page)[0]).toBe(moved[0]);
  await page.keyboard.press("Escape");
  await expect(count(page)).toHaveText("26 runs in the brush");
  // Moves are no steps, the brush itself is one.
  await page.goBack();
  await expect.poll(() => brushIn(page).length).toBe(2);
  await page.goBack();
  await expect(count(page)).toHaveText("26 runs in the brush");
  await page.goto(`${bank.origin}/framework/dev#place=lanes&brush=${from}-${to}`);
  await expect(count(page)).toHaveText(shown ?? "");
  await page.getByRole("link", { name: "Inspect" }).click();
  await expect(runs(page)).toHaveCount(Number(/\d+/.exec(shown ?? "")?.[0]));
  await expect(page.locator(".active-filters")).toContainText("time ");
  await page.getByRole("link", { name: "Compose" }).click();
  await page.getByRole("tab", { name: "History" }).click();
  await expect(page.getByRole("button", { name: /^Only [\d:]+ to [\d:]+/ })).toBeVisible();
  await page.getByRole("link", { name: "Inspect" }).click();
  await button(page, "Show all").click();
  await expect(runs(page)).toHaveCount(26);
});

test("DASH-227: a click selects a run everywhere, a double click opens it in Inspect, and so do keys", async ({
  page,
  bank,
}) => {
  await payUnderLoad(bank.origin, 4);
  await openLanes(page, bank);
  await clickOnRun(page, "failed");
  await expect(active(page)).toHaveAttribute("aria-selected", "true");
  await expect(active(page)).toHaveAccessibleName(
    /^POST \/wallets\/w-7000\/pay 500, .* failed, interleaved with 1 run$/,
  );
  await expect.poll(() => page.url()).toContain("trace=");
  await clickOnRun(page, "failed", { clickCount: 2 });
  await expect(page.getByRole("link", { name: "Inspect" })).toHaveAttribute("aria-current", "page");
  await expect(runs(page, "w-7000").and(page.locator("[aria-selected=true]"))).toContainText("500");
  await page.goBack();
  await expect(list(page)).toBeVisible();
  await list(page).focus();
  await page.keyboard.press("Home");
  const start = await active(page).getAttribute("data-trace");
  await page.keyboard.press("ArrowRight");
  await expect(active(page)).not.toHaveAttribute("data-trace", start ?? "");
  await page.keyboard.press("ArrowDown");
  await expect(active(page)).toHaveAccessibleName(/^GET \/cart 200/);
  await page.keyboard.press("Enter");
  await expect(runs(page, "/cart").and(page.locator("[aria-selected=true]"))).toHaveCount(1);
});

test("DASH-228: a failure under load is shown with the run between its read and its write", async ({ page, bank }) => {
  await payUnderLoad(bank.origin, 24);
  await openDashboard(page, bank.origin);
  await page.getByRole("link", { name: "Lanes" }).click();
  await expect.poll(async () => (await boxes(page, "ring")).length).toBe(1);
  await expect.poll(async () => (await boxes(page, "beside")).length).toBe(1);
  await clickOnRun(page, "ring");
  const beside = page.getByRole("region", { name: "Interleaved with" });
  await expect(beside.locator(".lanes-sentence")).toContainText(
    "POST /wallets/w-7000/pay called WalletRepository.save",
  );
  await expect(beside.getByRole("listitem").filter({ hasText: "w-7000" })).toHaveCount(2);
  await expect(beside.locator(".lanes-track b")).toHaveText([".find", ".save", ".find", ".save"]);
  await expect(beside.locator(".lanes-track b[data-failed]")).toHaveText([".save"]);
  const write = await beside.locator(".lanes-track b").nth(1).boundingBox();
  const other = await beside.locator(".lanes-track b").nth(3).boundingBox();
  expect(other?.x ?? Infinity).toBeLessThan(write?.x ?? 0);
});

test("DASH-229 DASH-230: what the slow runs share is a sentence, a table, and what does not differ", async ({
  page,
  bank,
}) => {
  await askQuotes(bank.origin, 8);
  await openLanes(page, bank);
  await expect(page.getByText("No runs selected")).toBeVisible();
  await button(page, "Slow").click();
  await expect(first(page)).toHaveText("query.region[] of the request is FR in 8 of 8, 0 of 24 others.");
  const rows = page.getByRole("table", { name: "Differences" }).locator("tbody tr");
  await expect(rows.first()).toContainText("request");
  await expect(rows.first().locator("td")).toContainText([
    "request",
    "region of RateCache.get is FR",
    "8",
    "0",
    "only",
  ]);
  await expect(page.locator(".lanes-same")).toContainText("the route is GET /quotes");
  await expect.poll(async () => (await boxes(page, "set")).length).toBe(8);
  // Two runs of the same kind do not differ in anything.
  await button(page, "Slow").click();
  const others = await boxes(page, "other");
  for (const box of [others[0], others.at(-1)])
    await list(page).click({ position: { x: (box?.x ?? 0) + 1, y: (box?.y ?? 0) + 4 }, modifiers: ["Shift"] });
  await expect(first(page)).toContainText(/^Nothing sets them apart\. \d+ facts were compared\.$/);
  await button(page, "Select none").click();
  await expect(page.getByText("No runs selected")).toBeVisible();
});

test("DASH-231: a difference leads to a run, and the runs to the search, the slowest and Markdown", async ({
  page,
  bank,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await askQuotes(bank.origin, 6);
  await openLanes(page, bank);
  await button(page, "Slow").click();
  await button(page, "Copy as Markdown").click();
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toContain("| request | query.region[] of the request is FR; region of RateCache.get is FR");
  await page.getByRole("button", { name: "query.region[] of the request is FR" }).click();
  await expect(active(page)).toHaveAccessibleName(/among the selected$/);
  await button(page, "Slowest of them").click();
  await expect(active(page)).toHaveAttribute("aria-selected", "true");
  await button(page, "Filter to these 6").click();
  await expect(runs(page)).toHaveCount(6);
  await expect(page.getByRole("searchbox", { name: "Filter runs" })).toHaveValue(/^id=/);
});

test("DASH-232: kept runs that the page has dropped are shown and compared", async ({ page }) => {
  const folder = await mkdtemp(join(tmpdir(), "lanes-"));
  const bank = await startBank({ history: join(folder, "runs.jsonl") });
  try {
    await askQuotes(bank.origin, 6);
    for (let sent = 0; sent < 110; sent += 10)
      await Promise.all(Array.from({ length: 10 }, () => fetch(`${bank.origin}/cart`)));
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await openLanes(page, bank);
    await expect.poll(async () => (await boxes(page, "other")).length).toBeGreaterThan(100);
    await expect(button(page, "Slow")).toContainText("6");
    await button(page, "Slow").click();
    await expect(page.locator(".lanes-sides")).toContainText("6 slow runs");
    await expect(page.locator(".lanes-sides")).toContainText(/The newest 100 a side at most, of 6 and 1\d\d\./);
    await expect(first(page)).toContainText("in 6 of 6");
    expect(asked.filter((path) => path.includes("/api/runs/"))).toEqual([]);
  } finally {
    await bank.stop();
    await rm(folder, { recursive: true });
  }
});

test("DASH-234: Lanes has no violation in either theme, empty and full", async ({ page, bank }) => {
  await openLanes(page, bank);
  await expect(page.getByText("No runs yet")).toBeVisible();
  await expectNoViolation(page);
  await payUnderLoad(bank.origin, 8);
  await askQuotes(bank.origin, 6);
  await button(page, "Slow").click();
  await clickOnRun(page, "ring");
  await expect(first(page)).toContainText("FR");
  await expect(page.getByRole("region", { name: "Interleaved with" })).toBeVisible();
  await expectNoViolation(page);
});

test.describe("390 × 800", () => {
  test.use({ viewport: { width: 390, height: 800 } });

  test("DASH-234: Lanes at 390 pixels never scrolls sideways, and no zone covers another", async ({ page, bank }) => {
    await payUnderLoad(bank.origin, 8);
    await askQuotes(bank.origin, 6);
    await openLanes(page, bank);
    await button(page, "Slow").click();
    await clickOnRun(page, "ring");
    await expect(first(page)).toContainText("FR");
    const zones = page.locator(".lanes-main > *, .lanes-share > *");
    await expect(page.getByRole("region", { name: "Interleaved with" })).toBeVisible();
    const { sideways, covered } = await zones.evaluateAll((all) => {
      const places = all.map((one) => one.getBoundingClientRect()).filter(({ height }) => height > 0);
      return {
        sideways: places.filter(({ left, right }) => left < 0 || right > innerWidth).length,
        covered: places.filter(({ top }, i) => top < (places[i - 1]?.bottom ?? 0) - 1).length,
      };
    });
    expect({ sideways, covered }).toEqual({ sideways: 0, covered: 0 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });
});

test.describe("with forced colours", () => {
  test.use({ forcedColors: "active" });

  test("DASH-234: with forced colours the kinds of runs and the brush have colours of the system", async ({
    page,
    bank,
  }) => {
    await payUnderLoad(bank.origin, 4);
    await askQuotes(bank.origin, 3);
    await openLanes(page, bank);
    await button(page, "Slow").click();
    // On a busy machine more runs are slow.
    await expect.poll(async () => (await boxes(page, "set")).length).toBeGreaterThanOrEqual(3);
    const system = await page.evaluate(() => {
      const probe = document.body.appendChild(document.createElement("i"));
      return ["GrayText", "Highlight", "CanvasText"].map((name) => {
        probe.style.color = name;
        return getComputedStyle(probe).color;
      });
    });
    const fills = await Promise.all(
      ["other", "set", "failed"].map((kind) =>
        page.locator(`.lanes-list .${kind}`).evaluate((path) => getComputedStyle(path).fill),
      ),
    );
    expect(fills).toEqual(system);
    expect(new Set(fills).size).toBe(3);
    expect(await brush(page).evaluate((one) => getComputedStyle(one).borderTopStyle)).toBe("solid");
  });
});
