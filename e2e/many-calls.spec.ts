/**
 * Runs with more beans than there is room for, and the page in forced colours.
 */
import { Interface } from "framework";
import { expect, openDashboard, test } from "./demo.ts";
import { startLab, type Lab } from "./lab.ts";
import { startMany } from "./many.ts";
import { behindBeans, pathTexts } from "./measure.ts";
import { bean, open, select, send, sendProduct } from "./page.ts";

interface Part {
  run(): Promise<number>;
}

/** Each bean calls the next one. */
function startChain(length: number): Promise<Lab> {
  const tokens = Array.from({ length }, (_, i) => Interface<Part>(`Handler${i}OfOrders`));
  return startLab({
    beans: (builder) => {
      for (const [i, token] of [...tokens.entries()].toReversed()) {
        const next = tokens[i + 1];
        builder.bind(token, (b) => {
          const below = next && b.get(next);
          return { run: async () => (below ? 1 + (await below.run()) : 1) };
        });
      }
      return builder;
    },
    routes: (app) => {
      const [first] = tokens;
      if (first) app.get("/path", { beans: [first] }, (ctx) => ctx.get(first).run());
    },
  });
}

test("DASH-192: of 96 called beans those with the least time are counts, and a click shows them", async ({ page }) => {
  const lab = await startMany(110, 96);
  try {
    await openDashboard(page, lab.origin);
    await select(page, "GET /path");
    await send(page);
    await expect(page.locator(".overlay[data-still]")).toHaveCount(1);
    const texts = await pathTexts(page);
    expect(texts.length).toBeGreaterThan(35);
    expect(texts.filter(({ name, time, inSight }) => name < 11 || time < 11 || !inSight)).toEqual([]);
    const groups = await page.locator("[data-group]").allTextContents();
    const called = groups.map((text) => Number(/, (\d+) called$/.exec(text)?.[1] ?? 0)).reduce((sum, n) => sum + n, 0);
    expect(texts.length + called).toBe(96);
    await page.locator("[data-group=repository]").click();
    await expect.poll(() => page.locator('.graph [data-bean$="Repository"]').count()).toBeGreaterThan(35);
  } finally {
    await lab.stop();
  }
});

test("DASH-193: a chain of 40 calls is in rows, all of them legible and in sight, and no line is under a bean", async ({
  page,
}) => {
  const lab = await startChain(40);
  try {
    await openDashboard(page, lab.origin);
    await select(page, "GET /path");
    await send(page);
    await expect(page.locator(".overlay[data-still]")).toHaveCount(1);
    const texts = await pathTexts(page);
    expect(texts.length).toBe(40);
    expect(texts.filter(({ name, inSight }) => name < 11 || !inSight)).toEqual([]);
    expect(await behindBeans(page)).toEqual([]);
    await expect(page.locator(".graph [data-run]")).toHaveCount(40);
  } finally {
    await lab.stop();
  }
});

test.describe("forced colours", () => {
  test.use({ contextOptions: { forcedColors: "active", reducedMotion: "reduce" } });

  test("DASH-194: lines, boxes, bars, the selection and the moment have the user's colours", async ({ dashboard }) => {
    await sendProduct(dashboard);
    await open(dashboard, "Timeline");
    const ruler = await dashboard.locator(".ruler").boundingBox();
    await dashboard.mouse.click((ruler?.x ?? 0) + (ruler?.width ?? 0) * 0.99, (ruler?.y ?? 0) + 8);
    await expect(dashboard.locator(".moment-line")).toBeAttached();
    const system = await dashboard.evaluate(() => {
      const probe = document.body.appendChild(document.createElement("i"));
      const of = (colour: string): string => {
        probe.style.color = colour;
        return getComputedStyle(probe).color;
      };
      const found = { text: of("CanvasText"), highlight: of("Highlight"), canvas: of("Canvas") };
      probe.remove();
      return found;
    });
    expect(system.text).not.toBe(system.canvas);
    const style = (selector: string, name: string): Promise<string> =>
      dashboard
        .locator(selector)
        .first()
        .evaluate((one, property) => getComputedStyle(one).getPropertyValue(property), name);
    expect(await style("#panel-timeline .own:not([data-sync])", "background-color")).toBe(system.text);
    expect(await style("#panel-timeline .bar", "border-top-color")).toBe(system.text);
    expect(await style("#panel-timeline .moment-line", "background-color")).toBe(system.highlight);
    expect(await style("#panel-timeline .critical-path", "stroke")).toBe(system.highlight);
    expect(await style(".graph .run[data-critical]", "stroke")).toBe(system.highlight);
    expect(await style('.graph .node[data-state="reach"] .box', "stroke")).toBe(system.text);
    expect(await style(".graph .fill", "fill")).toBe(system.highlight);
    await bean(dashboard, "CatalogService").click();
    expect(await style(".graph .node[data-selected] .box", "outline-color")).toBe(system.highlight);
  });
});
