/**
 * Replaying a run from the page, and saving it as a test.
 */
import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { Interface } from "framework";
import { expect, openDashboard, test } from "./demo.ts";
import { startLab } from "./lab.ts";
import { bean, button, faultsOf, runEdges, select, send, sendBody, sendProduct } from "./page.ts";

const outcome = (page: Page) => page.locator("#panel-compare .outcome");
const choice = (page: Page, name: string) => page.getByRole("dialog").getByRole("checkbox", { name });

/** Opens the dialog of the selected run. Its beans are shown when this returns. */
async function openReplay(page: Page, some: string): Promise<void> {
  await button(page, "Replay run").click();
  await expect(choice(page, some)).toBeVisible();
}

const replay = (page: Page): Promise<void> =>
  page.getByRole("dialog").getByRole("button", { name: "Replay", exact: true }).click();

test("REPLAY-017 REPLAY-024: a replay does the same without the database, and shows the first difference", async ({
  dashboard,
  origin,
}) => {
  await sendProduct(dashboard, "p-0033");
  await openReplay(dashboard, "ReviewRepository");
  await expect(choice(dashboard, "ReviewRepository")).toBeChecked();
  await expect(choice(dashboard, "CatalogService")).not.toBeChecked();
  expect(await faultsOf(dashboard)).toEqual([]);
  await replay(dashboard);
  await expect(outcome(dashboard)).toHaveText("The replay did the same, and responded with the same.");
  await expect(runEdges(dashboard, "CatalogService>ReviewService")).toHaveAttribute("data-side", "both");
  await expect(bean(dashboard, "Database")).not.toHaveAttribute("data-side", "both");
  const review = { author: "Ada", stars: 1, text: "Another day" };
  const posted = await dashboard.request.post(`${origin}/products/p-0033/reviews`, { data: review });
  expect(posted.status()).toBe(201);
  await sendProduct(dashboard, "p-0034");
  await dashboard.getByRole("tab", { name: "History" }).click();
  await dashboard.locator("[data-trace]").filter({ hasText: "/products/p-0033" }).last().click();
  await openReplay(dashboard, "ReviewRepository");
  await choice(dashboard, "ReviewRepository").uncheck();
  await replay(dashboard);
  // Not the services above it, which differ as a consequence.
  await expect(outcome(dashboard)).toHaveText(/^First difference: Database\.query\(\): \$\.result\S+ was .+, is .+\.$/);
});

test("REPLAY-017: a request that the editor takes from a replay is not a replay", async ({ dashboard, origin }) => {
  await sendProduct(dashboard, "p-0036");
  await openReplay(dashboard, "ReviewRepository");
  await replay(dashboard);
  await expect(outcome(dashboard)).toBeVisible();
  await dashboard.evaluate(() => sessionStorage.clear());
  await openDashboard(dashboard, origin);
  await sendProduct(dashboard, "p-0037");
});

test("REPLAY-024: an impossible replay shows the reason, and nothing runs", async ({ dashboard }) => {
  await sendBody(dashboard, "POST /orders", "OrderController", {
    customerId: "c-2",
    card: "visa",
    lines: [{ productId: "p-0040", quantity: 1 }],
  });
  await openReplay(dashboard, "Transactions");
  const dialog = dashboard.getByRole("dialog");
  await choice(dashboard, "Transactions").check();
  await expect(dialog.getByRole("alert").filter({ hasText: "args[0] is a function" })).toBeVisible();
  await expect(dialog.getByRole("button", { name: "Replay", exact: true })).toBeDisabled();
});

test("REPLAY-018: a run is saved as a test", async ({ dashboard }) => {
  await sendProduct(dashboard, "p-0035");
  await openReplay(dashboard, "ProductRepository");
  const [download] = await Promise.all([
    dashboard.waitForEvent("download"),
    dashboard.getByRole("link", { name: "Save as test" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("get-products-id-200.test.ts");
  const file = await readFile(await download.path(), "utf8");
  expect(file).toContain('it("GET /products/p-0035 responds with 200"');
  expect(file).toContain('from "@framework/devtools/replay"');
});

test("REPLAY-026: a call of the run gets another outcome, and both runs are compared", async ({ dashboard }) => {
  await sendProduct(dashboard, "p-0038");
  await bean(dashboard, "ReviewRepository").click();
  await dashboard.locator("#panel-node .call").first().getByRole("button", { name: "What if" }).click();
  const dialog = dashboard.getByRole("dialog");
  await expect(dialog.getByRole("heading")).toHaveText(/^What if ReviewRepository\./);
  await expect(choice(dashboard, "ReviewRepository")).not.toBeChecked();
  await dialog.getByRole("textbox", { name: "Value" }).fill("{");
  await expect(dialog.getByRole("status")).toHaveText(/^Line 1, column 2: /);
  await expect(dialog.getByRole("button", { name: "Send again" })).toBeDisabled();
  expect(await faultsOf(dashboard)).toEqual([]);
  await dialog.getByLabel("It", { exact: true }).selectOption("throws");
  await dialog.getByRole("textbox", { name: "Error or status" }).fill("410");
  await dialog.getByRole("textbox", { name: "Message" }).fill("no reviews");
  await dialog.getByRole("button", { name: "Send again" }).click();
  await expect(outcome(dashboard)).toHaveText(
    /^With another outcome of ReviewRepository\.\w+\(\), the response differs: \$\.status was 200, is 410\.$/,
  );
});

interface Work {
  spin(ms: number): number;
}
const Work = Interface<Work>("Work");

test("REPLAY-028: a run is profiled, and Why names the line that took its time", async ({ page }) => {
  const lab = await startLab({
    beans: (builder) =>
      builder.bind(Work, () => ({
        spin(ms) {
          let sum = 0;
          for (const end = performance.now() + ms; performance.now() < end;) sum += Math.sqrt(sum + 1);
          return sum;
        },
      })),
    routes: (app) => void app.get("/spin", (ctx) => String(ctx.get(Work).spin(80))),
  });
  try {
    await openDashboard(page, lab.origin);
    await select(page, "GET /spin");
    await send(page);
    await openReplay(page, "Work");
    await choice(page, "Work").uncheck();
    await choice(page, "Profile").check();
    expect(await faultsOf(page)).toEqual([]);
    await replay(page);
    await expect(page.locator('[data-kind="line"]').first()).toContainText(
      /^\d+ %\s*Line \d+ of \S+replay\.spec\S* in spin\(\), took \d\S* ms of the processor/,
    );
  } finally {
    await lab.stop();
  }
});
