/**
 * The page in a window of a telephone's width, and with forced colours.
 */
import type { Locator } from "@playwright/test";
import { expect, test } from "./demo.ts";
import { button, open, runs, sendProduct } from "./page.ts";

test.describe("390 × 800", () => {
  test.use({ viewport: { width: 390, height: 800 } });

  test("DASH-175: at 390 pixels the page never scrolls sideways, also when a part of it comes into view", async ({
    dashboard,
  }) => {
    await sendProduct(dashboard);
    /** How far the window has scrolled after each element of these was scrolled into view at its end. */
    const scrolled = (of: string): Promise<number> =>
      dashboard.locator(of).evaluateAll((all) => {
        let most = document.documentElement.scrollWidth - innerWidth;
        for (const one of all) {
          one.scrollIntoView({ inline: "end", block: "end" });
          for (const box of [document.documentElement, document.body]) most = Math.max(most, box.scrollLeft);
          const app = document.querySelector("#app, .app");
          most = Math.max(most, app?.scrollLeft ?? 0, -(app?.getBoundingClientRect().x ?? 0));
        }
        return most;
      });
    for (const tab of ["Why", "Response", "Timeline", "Bean", "Compare", "App"]) {
      await open(dashboard, tab);
      expect(await scrolled(".app *"), tab).toBe(0);
    }
    const isWhole = async (part: string): Promise<void> => {
      const box = await dashboard.locator(part).boundingBox();
      expect(box && box.x >= 0 && box.width >= 380 && box.x + box.width <= 390, part).toBe(true);
    };
    for (const part of [".lists", ".work", ".graph-zone"]) await isWhole(part);
    await dashboard.getByRole("link", { name: "Inspect" }).click();
    await expect(runs(dashboard).first()).toBeVisible();
    expect(await scrolled(".app *"), "Inspect").toBe(0);
    const zones = [".request-line", ".graph-main", ".run-table", ".detail", ".inspect-timeline"];
    for (const part of zones) await isWhole(part);
    // One below the other, and none a mere line.
    const boxes = await Promise.all(zones.map((part) => dashboard.locator(part).boundingBox()));
    for (const [i, box] of boxes.entries()) {
      expect(box?.height, zones[i]).toBeGreaterThan(30);
      const before = boxes[i - 1];
      if (before) expect(box?.y, zones[i]).toBeGreaterThanOrEqual(before.y + before.height - 1);
    }
  });
});

test.describe("with forced colours", () => {
  test.use({ forcedColors: "active" });

  test("DASH-174: selection, pressed buttons, borders and bars have colours of the system", async ({
    dashboard,
    origin,
  }) => {
    await sendProduct(dashboard);
    const colours = await dashboard.evaluate(() => {
      const probe = document.body.appendChild(document.createElement("i"));
      return Object.fromEntries(
        ["Highlight", "HighlightText", "ButtonBorder", "CanvasText", "Canvas"].map((name) => {
          probe.style.color = name;
          return [name, getComputedStyle(probe).color];
        }),
      );
    });
    expect(colours["Highlight"]).not.toBe(colours["Canvas"]);
    const styleOf = (one: Locator, name: string): Promise<string> =>
      one.evaluate((element, property) => getComputedStyle(element).getPropertyValue(property), name);
    const isSelected = async (one: Locator): Promise<void> => {
      await expect.poll(() => styleOf(one, "background-color")).toBe(colours["Highlight"]);
      expect(await styleOf(one, "color")).toBe(colours["HighlightText"]);
    };
    await isSelected(dashboard.locator('[data-route="GET /products/{id}"]'));
    await button(dashboard, "Pin").click();
    await isSelected(button(dashboard, "Pin"));
    await open(dashboard, "History");
    await isSelected(runs(dashboard).and(dashboard.locator("[aria-selected=true]")));
    const tab = dashboard.getByRole("tab", { name: /^History/ });
    expect(await styleOf(tab, "border-bottom-color")).toBe(colours["Highlight"]);
    const border = dashboard.getByRole("separator", { name: "Width of the list" });
    const line = (): Promise<string> => styleOf(border, "background-image");
    await expect.poll(line).toContain(colours["ButtonBorder"]);
    await border.hover();
    await expect.poll(() => styleOf(border, "background-color")).toBe(colours["Highlight"]);
    await open(dashboard, "App");
    const bars = dashboard.locator(".app-facts .bar");
    await expect(bars.first()).toBeAttached();
    expect(await styleOf(bars.first(), "fill")).toBe(colours["CanvasText"]);
    const inspect = dashboard.getByRole("link", { name: "Inspect" });
    await inspect.click();
    await isSelected(inspect);
    const row = runs(dashboard).and(dashboard.locator("[aria-selected=true]"));
    await isSelected(row);
    expect(await styleOf(row.locator(".run-bar"), "background-color")).toBe(colours["HighlightText"]);
    await dashboard.request.get(`${origin}/outbox`);
    const other = runs(dashboard, "/outbox").first().locator(".run-bar");
    await expect.poll(() => styleOf(other, "background-color")).toBe(colours["CanvasText"]);
  });
});
