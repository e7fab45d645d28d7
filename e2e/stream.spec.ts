/**
 * The application stops and comes back: what the page shows, keeps and catches up on.
 */
import { expect, openDashboard, test } from "./demo.ts";
import { button, open, runEdges, runs, sendProduct } from "./page.ts";
import { startDemo } from "./server.ts";

test("DASH-027 DASH-126 DASH-028: when the application dies and restarts, the page says so, keeps runs and catches up", async ({
  page,
  request,
}) => {
  test.setTimeout(180_000);
  let demo = await startDemo();
  try {
    await openDashboard(page, demo.origin);
    await sendProduct(page, "p-0051");
    await open(page, "History");
    await expect(page.locator(".live")).toHaveText("live");
    await demo.kill();
    await expect(page.getByRole("alert")).toContainText("The application does not respond");
    await expect(page.getByRole("alert")).toContainText("The last data stays below.");
    await expect(page.locator(".live")).toHaveText("offline, retrying");
    await expect(runs(page, "p-0051")).toHaveCount(1);
    await expect(runEdges(page, "entry>ProductController")).toHaveCount(1);
    await button(page, "Send").click();
    await expect(page.locator("#panel-response")).toContainText("Is the application running?");

    // The page cannot read until the new process has served more runs than it keeps.
    await page.route("**/framework/dev/api/**", (route) => route.abort());
    demo = await startDemo(new URL(demo.origin).port);
    for (let i = 0; i < 130; i += 1) await request.get(`${demo.origin}/orders/missed-${i}`);
    await page.unroute("**/framework/dev/api/**");

    await expect(page.locator(".live")).toHaveText("live", { timeout: 40_000 });
    await expect(page.getByRole("alert")).toHaveCount(0);
    await expect(runs(page, "/orders/missed-129")).toHaveCount(1);
    await expect(page.locator(".counts")).toContainText("30 runs went by unseen");
    const after = await request.get(`${demo.origin}/orders/after`);
    expect(after.status()).toBe(404);
    await expect(runs(page, "/orders/after")).toHaveCount(1);
  } finally {
    await demo.stop();
  }
});

test("DASH-028: a hidden tab closes its stream, and catches up when it is shown again", async ({
  dashboard,
  origin,
  request,
}) => {
  const show = (state: "hidden" | "visible"): Promise<void> =>
    dashboard.evaluate((next) => {
      Object.defineProperty(document, "visibilityState", { value: next, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }, state);
  await open(dashboard, "History");
  await request.get(`${origin}/orders/before-hidden`);
  await expect(runs(dashboard, "/orders/before-hidden")).toHaveCount(1);
  await show("hidden");
  for (let i = 0; i < 110; i += 1) await request.get(`${origin}/orders/hidden-${i}`);
  await expect(runs(dashboard, "/orders/hidden-0")).toHaveCount(0);
  await show("visible");
  await expect(runs(dashboard, "/orders/hidden-109")).toHaveCount(1);
  await expect(dashboard.locator(".counts")).toContainText("10 runs went by unseen");
});
