/**
 * The cost of a frame of Start with 500 beans while load runs and Live follows: computing time of the main thread.
 */
import { expect, test, type Page } from "@playwright/test";
import { startMany } from "./many.ts";
import { medianPaced, stopwatch } from "./stopwatch.ts";

const frames = 110;

/** Scrolls the open groups up and down for two seconds, in every frame. */
const scroll = (page: Page): Promise<void> =>
  page.locator(".start-groups").evaluate(async (box, count) => {
    for (let frame = 0; frame < count; frame += 1) {
      box.scrollTop += frame < count / 2 ? 60 : -60;
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  }, frames);

test("DASH-221 DASH-242: a frame of Live with 500 beans under load stays within the budget", async ({
  page,
  browser,
}) => {
  const lab = await startMany(500, 125);
  const state = { isOver: false, sent: 0 };
  const load = async (): Promise<void> => {
    for (; !state.isOver; state.sent += 1) await page.request.get(`${lab.origin}/path`);
  };
  try {
    await page.goto(`${lab.origin}/framework/dev#place=start`);
    await page.getByRole("button", { name: "Live", exact: true }).click();
    for (const head of await page.locator(".folder-head").all()) await head.click();
    await expect(page.locator(".folder-bean")).toHaveCount(500);
    const loading = load();
    await expect(page.locator(".folder-bean[data-heat]").first()).toBeVisible();
    const clock = await stopwatch(page);
    await medianPaced(
      { name: "main thread for a frame of Live with 500 beans in open groups under load", atMost: 18, unit: "ms" },
      browser,
      async () => {
        const before = await clock();
        await scroll(page);
        return ((await clock()) - before) / frames;
      },
    );
    state.isOver = true;
    await loading;
    process.stdout.write(`${state.sent} requests\n`);
    expect(state.sent).toBeGreaterThan(100);
  } finally {
    state.isOver = true;
    await lab.stop();
  }
});
