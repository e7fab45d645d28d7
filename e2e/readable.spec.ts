/**
 * The page is legible: in four window sizes, with few beans and with hundreds, in either theme, after a reload.
 *
 * Sizes are pixels on the screen; tokens.test.ts compares colours.
 */
import type { Locator, Page } from "@playwright/test";
import { Interface } from "framework";
import { expect, openDashboard, test } from "./demo.ts";
import { startLab, type Lab } from "./lab.ts";
import { startMany } from "./many.ts";
import { bean, button, field, open, runEdges, runs, select, send, sendProduct } from "./page.ts";
import { behindBeans, cutTexts, dashed, pathTexts } from "./measure.ts";

const sizes = [
  [1440, 900],
  [1280, 720],
  [1024, 768],
  [720, 900],
] as const;

const group = (page: Page, stereotype: string): Locator => page.locator(`[data-group="${stereotype}"]`);

/** Sends the selected route and waits until its path is drawn. */
async function sendAndWait(page: Page, route: string): Promise<void> {
  await select(page, route);
  await send(page);
  await expect(page.locator(".overlay[data-still]")).toHaveCount(1);
}

interface Part {
  run(work: () => Promise<number>): Promise<number>;
}

/** Three layers. In `GET /stray` the first bean calls the last, which is not its dependency, and itself. */
function startStray(): Promise<Lab> {
  const tokens = ["Alpha", "Beta", "Gamma", "Delta", "Lonely"].map((name) => Interface<Part>(name));
  const [alpha, beta, gamma, delta, lonely] = tokens;
  if (!alpha || !beta || !gamma || !delta || !lonely) throw new Error("a token is missing");
  const part: Part = { run: async (work) => work() };
  return startLab({
    beans: (builder) =>
      builder
        .bind(lonely, () => ({ ...part }))
        .bind(delta, () => ({ ...part }))
        .bind(gamma, (b) => ({ ...part, next: b.get(delta) }))
        .bind(beta, (b) => ({ ...part, next: b.get(gamma) }))
        .bind(alpha, (b) => ({ ...part, next: b.get(beta) })),
    routes: (app) =>
      app.get("/stray", { beans: [alpha] }, (ctx) =>
        ctx.get(alpha).run(async () => {
          const last = await ctx.get(delta).run(async () => 1);
          const shelved = await ctx.get(lonely).run(() => ctx.get(beta).run(async () => 1));
          return last + shelved + (await ctx.get(alpha).run(async () => 1));
        }),
      ),
  });
}

test("DASH-042 DASH-135: only the parts of one of two runs are dotted or dashed, and the legend says which", async ({
  dashboard,
}) => {
  const legend = dashboard.getByRole("list", { name: "Lines" });
  expect(await dashed(dashboard)).toEqual([]);
  await expect(legend).toHaveText("depends on");
  await sendProduct(dashboard);
  await expect(dashboard.locator(".overlay[data-still]")).toHaveCount(1);
  expect(await dashed(dashboard)).toEqual([]);
  await expect(legend.getByRole("listitem")).toHaveText(["depends on", "called", "called, off the critical path"]);
  await button(dashboard, "Compare as A").click();
  await field(dashboard, "id").fill("no-such-product");
  await send(dashboard);
  await expect(dashboard.locator(".graph [data-threw]")).toHaveCount(1);
  await expect(dashboard.locator(".overlay[data-still]")).toHaveCount(1);
  expect(await dashed(dashboard)).toEqual([]);
  await button(dashboard, "Compare as B").click();
  await open(dashboard, "Compare");
  await expect(legend.getByRole("listitem")).toHaveText(["depends on", "both runs", "only A", "only B"]);
  await expect(runEdges(dashboard, "CatalogService>PricingService")).toHaveAttribute("data-side", "a");
  await expect.poll(() => dashed(dashboard)).toEqual(["a"]);
  await button(dashboard, "Swap A and B").click();
  await expect.poll(() => dashed(dashboard)).toEqual(["b"]);
  const widths = await dashboard
    .locator(".graph .run, .graph .edges path")
    .evaluateAll((all) => all.map((one) => [one.matches(".run"), parseFloat(getComputedStyle(one).strokeWidth) > 3]));
  for (const [isCall, isBold] of widths) expect(isBold).toBe(isCall);
});

test("DASH-043 DASH-136: a call without a declared dependency is drawn around every bean, one to itself as a loop", async ({
  page,
}) => {
  const lab = await startStray();
  try {
    await openDashboard(page, lab.origin);
    await sendAndWait(page, "GET /stray");
    for (const edge of ["Alpha>Delta", "Alpha>Lonely", "Lonely>Beta", "Alpha>Alpha"])
      await expect(runEdges(page, edge)).toHaveAttribute("data-stray", "");
    expect(await behindBeans(page)).toEqual([]);
    const loop = await runEdges(page, "Alpha>Alpha").boundingBox();
    const box = await bean(page, "Alpha").locator(".box").boundingBox();
    expect(loop && box && loop.y < box.y && loop.height > 4 && loop.width > 15).toBe(true);
    await expect(page.getByRole("list", { name: "Lines" })).toContainText("called, not declared");
  } finally {
    await lab.stop();
  }
});

for (const [count, onPath] of [
  [25, 12],
  [150, 38],
  [500, 38],
] as const) {
  test(`DASH-044: with ${count} beans names and times on a path are 11 pixels high or more, at every size`, async ({
    browser,
  }) => {
    const lab = await startMany(count, onPath);
    try {
      for (const [width, height] of sizes) {
        const page = await browser.newPage({ viewport: { width, height } });
        await openDashboard(page, lab.origin);
        await sendAndWait(page, "GET /path");
        for (const round of ["as sent", "zoomed out", "everything"]) {
          const texts = await pathTexts(page);
          expect(texts.length, `${width} × ${height}, ${round}`).toBeGreaterThanOrEqual(Math.floor(onPath * 0.8));
          for (const { id, name, time } of texts) {
            expect(name, `${id}, name, ${width} × ${height}, ${round}`).toBeGreaterThanOrEqual(11);
            expect(time, `${id}, time, ${width} × ${height}, ${round}`).toBeGreaterThanOrEqual(11);
          }
          if (round === "as sent" && (width === 1440 || count <= 25))
            expect(texts.filter((one) => !one.inSight).map((one) => one.id)).toEqual([]);
          await page.locator(".graph").focus();
          for (let i = 0; i < 6; i += 1) await page.keyboard.press(round === "as sent" ? "-" : "0");
        }
        const further = page.locator(".unseen");
        if ((await further.count()) > 0) {
          const before = await further.textContent();
          await further.click();
          await expect(further).not.toHaveText(before ?? "");
        }
        await page.close();
      }
    } finally {
      await lab.stop();
    }
  });
}

test("DASH-045 DASH-137: beans outside the path are counted in groups, which a click, a search and a selection open", async ({
  page,
}) => {
  const lab = await startMany(150, 38);
  try {
    await openDashboard(page, lab.origin);
    await sendAndWait(page, "GET /path");
    const shown = await page.locator(".graph [data-bean]").count();
    const counts = await page
      .locator("[data-group]")
      .evaluateAll((all) => all.map((one) => Number(/^\+(\d+) /.exec(one.textContent ?? "")?.[1])));
    expect(shown + counts.reduce((sum, one) => sum + one, 0)).toBe(150);
    await expect(group(page, "repository")).toContainText(/^\+\d+ repositories$/);
    const hidden = "Warehouse143Repository";
    await expect(bean(page, hidden)).toHaveCount(0);
    await group(page, "repository").click();
    await expect(group(page, "repository")).toHaveAttribute("aria-pressed", "true");
    await expect(bean(page, hidden)).toHaveCount(1);
    await page.reload();
    await expect(bean(page, hidden)).toHaveCount(1);
    await group(page, "repository").click();
    await expect(bean(page, hidden)).toHaveCount(0);
    await page.keyboard.press("/");
    await page.keyboard.type(hidden);
    await expect(bean(page, hidden)).toHaveAttribute("data-found", "");
    await page.keyboard.press("Enter");
    await expect(bean(page, hidden)).toHaveAttribute("data-selected", "");
    await expect(bean(page, hidden).locator(".handle")).toBeFocused();
    await expect(bean(page, hidden).locator(".name")).toBeInViewport();
    await field(page, "id").count();
    await page.getByRole("searchbox", { name: "Find bean" }).fill("");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("bean order144");
    await page.keyboard.press("Enter");
    await expect(page.locator('.graph [data-bean^="Order144"]')).toHaveAttribute("data-selected", "");
  } finally {
    await lab.stop();
  }
});

for (const [width, height] of sizes) {
  test.describe(`${width} × ${height}`, () => {
    test.use({ viewport: { width, height } });

    test(`DASH-046 DASH-138 DASH-139: at ${width} × ${height} words and methods are whole, and nothing overlaps`, async ({
      dashboard,
    }) => {
      await sendProduct(dashboard);
      await expect(dashboard.locator(".overlay[data-still]")).toHaveCount(1);
      const texts = await pathTexts(dashboard);
      expect(texts.length).toBeGreaterThan(8);
      expect(texts.filter((one) => one.name < 11 || one.time < 11 || one.overlaps)).toEqual([]);
      // A text without room is counted, and one step away.
      const further = texts.filter((one) => !one.inSight).length;
      expect(further).toBeLessThanOrEqual(width < 1024 ? 1 : 0);
      // In a narrow window the border of the last bean may be out of sight though its text is not.
      const counted = await dashboard
        .locator(".graph-footer")
        .getByText(/out of sight$/)
        .allTextContents();
      if (width >= 1024 || further > 0) expect(counted).toEqual(further === 0 ? [] : [`${further} bean out of sight`]);
      const view = await dashboard.locator(".graph").boundingBox();
      for (const bar of [".graph-bar", ".graph-footer", ".legend", ".graph-tools", ".lines"]) {
        const box = await dashboard.locator(bar).boundingBox();
        expect(box && view && (box.y + box.height <= view.y + 1 || box.y >= view.y + view.height - 1), bar).toBe(true);
        expect(box && box.x >= 0 && box.x + box.width <= width, bar).toBe(true);
      }
      await bean(dashboard, "RecommendationService").locator(".handle").click();
      for (const tab of ["Timeline", "Bean", "Response"]) {
        await open(dashboard, tab);
        expect(await cutTexts(dashboard, ".tabs button")).toEqual([]);
        expect(await cutTexts(dashboard, "#panel-timeline .whole, #panel-node .whole")).toEqual([]);
      }
      await open(dashboard, "Timeline");
      await expect(dashboard.locator(".ruler i").first()).toHaveText("0 µs");
      const marks = await dashboard.locator(".ruler i").evaluateAll((all) =>
        all.map((one) => {
          const range = document.createRange();
          range.selectNodeContents(one);
          const { left, right } = range.getBoundingClientRect();
          return { left, right, end: one.parentElement?.getBoundingClientRect().right ?? 0 };
        }),
      );
      for (const [i, mark] of marks.entries()) {
        expect(mark.right).toBeLessThanOrEqual(mark.end + 1);
        if (i > 0) expect(mark.left).toBeGreaterThan(marks[i - 1]?.right ?? 0);
      }
      const badges = await dashboard
        .locator(".method")
        .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent));
      expect(badges).toEqual([]);
    });
  });
}

for (const theme of ["light", "dark"] as const) {
  test.describe(theme, () => {
    test.use({ colorScheme: theme });

    test(`DASH-047 DASH-140: PUT is amber and an error has a distinct colour in the ${theme} theme`, async ({
      dashboard,
    }) => {
      const [red = 0, green = 0, blue = 0] = await dashboard
        .locator('.method[data-method="PUT"]')
        .first()
        .evaluate((one) => (getComputedStyle(one).backgroundColor.match(/\d+/g) ?? []).map(Number));
      // Twice as much green as brown has for its red, and almost no blue.
      expect(red).toBeGreaterThan(180);
      expect(green / red).toBeGreaterThan(0.6);
      expect(blue).toBeLessThan(80);
      await select(dashboard, "GET /products/{id}");
      await field(dashboard, "id").fill("no-such-product");
      await send(dashboard);
      const stroke = (of: string): Promise<string> =>
        dashboard.locator(of).evaluate((one) => getComputedStyle(one).stroke);
      await expect(dashboard.locator(".graph [data-threw]")).toHaveCount(1);
      const error = await stroke(".graph [data-threw] .box");
      const methods = await dashboard
        .locator(".method")
        .evaluateAll((all) => all.map((one) => getComputedStyle(one).backgroundColor));
      expect(methods).not.toContain(error);
    });
  });
}

test("DASH-048 DASH-141: pinned runs and the camera survive a reload, and the keys keep the focus", async ({
  dashboard,
}) => {
  await sendProduct(dashboard);
  await expect(dashboard.locator(".overlay[data-still]")).toHaveCount(1);
  await button(dashboard, "Pin").click();
  await button(dashboard, "Zoom in").click();
  await button(dashboard, "Zoom in").click();
  const camera = (): Promise<string | null> => dashboard.locator(".graph .still > g").getAttribute("transform");
  const left = await camera();
  await dashboard.reload();
  await expect(bean(dashboard, "ProductController")).toHaveAttribute("data-state", "path");
  await expect.poll(camera).toBe(left);
  await expect(button(dashboard, "Pin")).toHaveAttribute("aria-pressed", "true");
  await open(dashboard, "History");
  await expect(runs(dashboard).first()).toBeVisible();
  await button(dashboard, "Fit").click();
  await expect.poll(camera).not.toBe(left);

  await dashboard.keyboard.press("/");
  await dashboard.keyboard.press("Escape");
  await expect(dashboard.locator(".graph")).toBeFocused();
  await open(dashboard, "Timeline");
  await dashboard.locator("#panel-timeline [data-call]").nth(1).focus();
  await dashboard.keyboard.press("Enter");
  await expect(dashboard.locator("#panel-node")).toBeFocused();
  for (let i = 0; i < 30; i += 1) await button(dashboard, "Previous call").press("Enter");
  await expect(button(dashboard, "Previous call")).toBeFocused();
  await expect(button(dashboard, "Previous call")).toHaveAttribute("aria-disabled", "true");
});

test("DASH-049 DASH-142: the help explains every line and mark; header and title name the application's address", async ({
  dashboard,
  origin,
}) => {
  const { host } = new URL(origin);
  await expect(dashboard).toHaveTitle(new RegExp(host));
  await expect(dashboard.locator("header .app-name")).toContainText(host);
  await dashboard.keyboard.press("?");
  const help = dashboard.getByRole("dialog", { name: "Keys" });
  await expect(help.locator(".marks").first().locator("dt svg")).toHaveCount(7);
  for (const mark of [
    "dotted",
    "dashed",
    "bold outline",
    "hollow arrow",
    "not traceable",
    "not recorded",
    "faint",
    "+37 repositories",
    "critical path",
    "slow",
    "pinned",
    "filled once a run is shown",
    "a call threw",
  ])
    await expect(help).toContainText(mark);
  await expect(help.getByRole("heading", { name: "Keys" })).toBeInViewport();
});
