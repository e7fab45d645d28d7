/**
 * Light, dark, and the system's choice.
 */
import { expect, test } from "./demo.ts";
import { button, colours, runEdges, sendProduct, strokes } from "./page.ts";

test.use({ colorScheme: "light" });

test("DASH-023: the Theme button switches the page, colours follow, and the choice survives a reload", async ({
  dashboard,
}) => {
  const html = dashboard.locator("html");
  await expect(html).toHaveAttribute("data-theme", "light");
  await sendProduct(dashboard);
  expect(await strokes(runEdges(dashboard))).toEqual([colours.light.GET]);
  const page = (): Promise<string> => dashboard.evaluate(() => getComputedStyle(document.body).backgroundColor);
  expect(await page()).toBe("rgb(245, 246, 248)");
  await button(dashboard, "Theme").click();
  await expect(html).toHaveAttribute("data-theme", "dark");
  expect(await strokes(runEdges(dashboard))).toEqual([colours.dark.GET]);
  expect(await page()).toBe("rgb(11, 13, 17)");
  await dashboard.reload();
  await expect(html).toHaveAttribute("data-theme", "dark");
  await dashboard.emulateMedia({ colorScheme: "light" });
  await dashboard.reload();
  await expect(html).toHaveAttribute("data-theme", "dark");
});

test("DASH-023: the system's theme is used until one is chosen", async ({ dashboard }) => {
  await dashboard.emulateMedia({ colorScheme: "dark" });
  await dashboard.reload();
  await expect(dashboard.locator("html")).toHaveAttribute("data-theme", "dark");
  await dashboard.emulateMedia({ colorScheme: "light" });
  await dashboard.reload();
  await expect(dashboard.locator("html")).toHaveAttribute("data-theme", "light");
});

test("DASH-023: the theme is set before anything is painted", async ({ dashboard, origin }) => {
  await dashboard.emulateMedia({ colorScheme: "dark" });
  await dashboard.addInitScript(() => {
    const seen: (string | null)[] = [];
    Reflect.set(window, "themesSeen", seen);
    new MutationObserver(() => {
      if (document.body) seen.push(document.documentElement.getAttribute("data-theme"));
    }).observe(document, { childList: true, subtree: true });
  });
  await dashboard.goto(`${origin}/framework/dev?again`);
  await expect(dashboard.locator("[data-route]").first()).toBeVisible();
  const seen = await dashboard.evaluate(() => Reflect.get(window, "themesSeen") as (string | null)[]);
  expect(new Set(seen)).toEqual(new Set(["dark"]));
});
