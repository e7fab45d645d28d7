/**
 * The speed of the dashboard in a real browser, as computing time of its main thread: until the awaited content is on screen, and
 * while a path is animated. A busy machine delays frames and paints, but does not increase that time.
 *
 * `make e2e PROJECT=e2e-budget` runs only this; size-limit checks the page's size.
 */
import { expect, test } from "@playwright/test";
import { Devtools } from "@framework/devtools";
import { Beans, Framework, Interface } from "framework";
import { median, medianPaced, stopwatch } from "./stopwatch.ts";

interface Part {
  run(): Promise<number>;
}

/** An application with this many beans: controllers that use services that use repositories, as in real ones. */
async function startBeans(count: number): Promise<{ origin: string; stop: () => Promise<void> }> {
  const devtools = Devtools.create();
  const layers = ["Controller", "Service", "Repository"];
  const tokens = Array.from({ length: count }, (_, i) =>
    Interface<Part>(`Module${Math.floor(i / 3)}${layers[i % 3] ?? ""}`),
  );
  const builder = Beans.builder();
  // In reverse order, since a bean depends on beans of deeper layers, of its own module and of two others.
  for (const [i, token] of [...tokens.entries()].toReversed()) {
    const deeper = tokens.filter((_, at) => at % 3 > i % 3 && [i + 1, i + 4, i + 19].includes(at));
    builder.bind(token, (b) => {
      const parts = deeper.map((one) => b.get(one));
      return { run: async () => (await Promise.all(parts.map((part) => part.run()))).length };
    });
  }
  const beans = builder.instrument(devtools.recorder()).start();
  const app = Framework.create({ host: "127.0.0.1" }).beans(beans);
  const entries = tokens.filter((_, i) => i % 3 === 0);
  const first = entries.slice(0, 8);
  app.get(
    "/all",
    { beans: entries },
    async (ctx) => (await Promise.all(first.map((token) => ctx.get(token).run()))).length,
  );
  const tags = ["garden", "wood", "sale", "in stock", "two for one", "new this week"];
  app.get("/big", () => Array.from({ length: 9_000 }, (_, id) => ({ id, name: `Product number ${id}`, tags })));
  devtools.install(app, beans);
  await app.start(0);
  return { origin: `http://localhost:${app.port}/framework/dev`, stop: () => app.stop({ graceMs: 0 }) };
}

test("100 beans are on screen within the budget", async ({ browser }) => {
  const app = await startBeans(100);
  await medianPaced(
    { name: "main thread until 100 beans are on screen", atMost: 500, unit: "ms" },
    browser,
    async () => {
      const page = await browser.newPage();
      const computed = await stopwatch(page);
      await page.goto(app.origin);
      await expect(page.locator("[data-bean]")).toHaveCount(100);
      const [paint] = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint"));
      process.stdout.write(`first paint after ${paint?.startTime.toFixed(0)} ms\n`);
      const taken = await computed();
      await page.close();
      return taken;
    },
  );
  await app.stop();
});

test("1 MB of JSON is on screen within the budget", async ({ browser }) => {
  const app = await startBeans(3);
  await medianPaced(
    { name: "main thread until 1 MB of JSON is on screen", atMost: 300, unit: "ms" },
    browser,
    async () => {
      const page = await browser.newPage();
      await page.goto(app.origin);
      await page.locator('[data-route="GET /big"]').click();
      const computed = await stopwatch(page);
      const before = await computed();
      await page.getByRole("button", { name: "Send", exact: true }).click();
      await expect(page.locator("#panel-response [role=treeitem]").first()).toBeVisible();
      const taken = (await computed()) - before;
      await page.close();
      return taken;
    },
  );
  await app.stop();
});

test("a path over 500 beans leaves the main thread time", async ({ page }) => {
  const app = await startBeans(500);
  await page.goto(app.origin);
  await page.locator('[data-route="GET /all"]').click();
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.locator(".overlay[data-still]").waitFor({ state: "attached" });
  const computed = await stopwatch(page);
  await median({ name: "main thread while a path marches", atMost: 60, unit: "% of a core" }, async () => {
    const [before, began] = [await computed(), performance.now()];
    await page.getByRole("button", { name: "Replay", exact: true }).click();
    await page.locator(".overlay:not([data-still])").waitFor({ state: "attached" });
    await page.locator(".overlay[data-still]").waitFor({ state: "attached" });
    return (100 * ((await computed()) - before)) / (performance.now() - began);
  });
  await app.stop();
});
