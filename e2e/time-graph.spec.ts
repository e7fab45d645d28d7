/**
 * Time in the graph: widths, fills, and the moment that graph, timeline and logs show.
 */
import type { Page } from "@playwright/test";
import { Interface } from "framework";
import { expect } from "./demo.ts";
import { labTest } from "./lab-test.ts";
import { bean, button, expectNoViolation, open, runEdges, select, send } from "./page.ts";

interface Part {
  run(): Promise<number>;
}
const [Clerk, Slow, Quick] = [Interface<Part>("Clerk"), Interface<Part>("Slow"), Interface<Part>("Quick")];

const pause = (ms: number): Promise<number> => new Promise((done) => setTimeout(done, ms, ms));

/** A clerk with a slow and a quick part at once, of which only the slow one bounds the end. */
const test = labTest({
  beans: (builder) =>
    builder
      .bind(Slow, () => ({ run: () => pause(300) }))
      .bind(Quick, () => ({ run: () => pause(60) }))
      .bind(Clerk, (b) => ({
        run: async () => {
          await b.get(Quick).run();
          const [slow] = await Promise.all([b.get(Slow).run(), b.get(Quick).run()]);
          return slow;
        },
      })),
  routes: (app) =>
    app.get("/work", async (ctx) => {
      ctx.log.info("begun");
      const result = await ctx.get(Clerk).run();
      ctx.log.info("over");
      return result;
    }),
});

async function sent(page: Page): Promise<void> {
  await select(page, "GET /work");
  await send(page);
  await expect(runEdges(page, "Clerk>Slow")).toHaveCount(1);
}

const widthOf = (page: Page, edge: string): Promise<number> =>
  runEdges(page, edge).evaluate((one) => parseFloat(getComputedStyle(one).strokeWidth));
/** The place of a point in the ruler. */
async function ruler(page: Page, share: number): Promise<readonly [number, number]> {
  const box = await page.locator(".ruler").boundingBox();
  return [(box?.x ?? 0) + (box?.width ?? 0) * share, (box?.y ?? 0) + 8];
}

test("DASH-190: lines are as wide as the time behind them on the critical path, and beans are filled by own time", async ({
  lab,
}) => {
  await sent(lab);
  const [entry, slow, quick] = [
    await widthOf(lab, "entry>Clerk"),
    await widthOf(lab, "Clerk>Slow"),
    await widthOf(lab, "Clerk>Quick"),
  ];
  expect(entry).toBeGreaterThan(10);
  expect(entry).toBeLessThanOrEqual(12);
  expect(slow / entry).toBeCloseTo(300 / 360, 1);
  expect(quick).toBeGreaterThanOrEqual(2);
  expect(quick).toBeLessThan(slow / 2);
  const share = (id: string): Promise<number> =>
    bean(lab, id).evaluate((node) => {
      const [fill, box] = [".fill", ".box"].map((part) => node.querySelector(part)?.getBoundingClientRect().width ?? 0);
      return (fill ?? 0) / (box ?? 1);
    });
  expect(await share("Slow")).toBeGreaterThan(0.5);
  expect(await share("Quick")).toBeLessThan(0.4);
  await expect(bean(lab, "Clerk").locator(".fill")).toHaveCount(0);
  await expect(bean(lab, "Quick").locator(".time")).toHaveText(/^2× \d/);
  await expect(bean(lab, "Slow").locator(".time")).toHaveText(/^\d/);
  await expectNoViolation(lab);
});

test("DASH-191: a click on the ruler shows that moment in graph, timeline and logs, and keys move it", async ({
  lab,
}) => {
  await sent(lab);
  await open(lab, "Timeline");
  await lab.mouse.click(...(await ruler(lab, 0.6)));
  const moment = lab.getByRole("slider", { name: "Moment of the run" });
  await expect(moment).toHaveAttribute("aria-valuetext", /^\d+ ms$/);
  const line = await lab.locator(".moment-line").boundingBox();
  expect(Math.abs((line?.x ?? 0) - (await ruler(lab, 0.6))[0])).toBeLessThan(2);
  await expect(lab.locator('[data-dot="Clerk>Slow"]')).toHaveCount(1);
  await expect(lab.locator('[data-dot="Clerk>Quick"]')).toHaveCount(0);
  const dot = await lab
    .locator('[data-dot="Clerk>Slow"]')
    .evaluate((one) => parseFloat(getComputedStyle(one).offsetDistance));
  expect(dot).toBeGreaterThan(40);
  expect(dot).toBeLessThan(65);
  const on = await runEdges(lab, "Clerk>Slow").boundingBox();
  const at = await lab.locator('[data-dot="Clerk>Slow"]').boundingBox();
  expect(on && at && at.x > on.x && at.x < on.x + on.width, "the dot is on its line").toBe(true);
  await moment.focus();
  await lab.keyboard.press("Home");
  await expect(runEdges(lab)).toHaveCount(0);
  await expect(moment).toHaveAttribute("aria-valuetext", "0 µs");
  await lab.keyboard.press("ArrowRight");
  await expect(moment).not.toHaveAttribute("aria-valuetext", "0 µs");
  // The first call begins after the time outside of beans, which is longer on a machine with other work.
  await expect
    .poll(async () => {
      await lab.keyboard.press("ArrowRight");
      return runEdges(lab, "Clerk>Quick").count();
    })
    .toBe(1);
  await expect(runEdges(lab, "Clerk>Slow")).toHaveCount(0);
  await open(lab, "Logs");
  await expect(lab.locator(".log-row[data-later]")).toHaveText([/over/]);
  await button(lab, "Previous call").click();
  await expect(lab.locator(".log-row[data-later]").first()).toBeVisible();
  await open(lab, "Timeline");
  await moment.focus();
  await lab.keyboard.press("End");
  await expect(moment).toHaveAttribute("aria-valuetext", "the whole run");
  await expect(runEdges(lab)).toHaveCount(3);
});

test("DASH-191: with reduced motion play shows the whole run at once", async ({ lab }) => {
  await sent(lab);
  await open(lab, "Timeline");
  await lab.mouse.click(...(await ruler(lab, 0.3)));
  await expect(runEdges(lab, "Clerk>Slow")).toHaveCount(1);
  await button(lab, "Play the run").click();
  await expect(lab.locator(".moment-line")).toHaveCount(0);
  await expect(runEdges(lab)).toHaveCount(3);
});

test.describe("with motion", () => {
  test.use({ contextOptions: { reducedMotion: "no-preference" } });

  test("DASH-191: play moves through the run in proportion, can be paused, and ends with the whole run", async ({
    lab,
  }) => {
    await sent(lab);
    await open(lab, "Timeline");
    await button(lab, "Play the run").click();
    await expect(runEdges(lab, "Clerk>Quick")).toHaveCount(1);
    await lab.locator('[data-dot="Clerk>Slow"]').waitFor({ state: "attached" });
    await button(lab, "Pause the run").click();
    const text = await lab.locator(".moment-text b").textContent();
    const us = Number(await lab.getByRole("slider", { name: "Moment of the run" }).getAttribute("aria-valuenow"));
    // The slow part begins when the first quick one has ended, after about a sixth of the run.
    expect(us).toBeGreaterThan(50_000);
    await expect(lab.locator(".moment-text b")).toHaveText(text ?? "");
    await button(lab, "Play the run").click();
    await expect(lab.locator(".moment-line")).toHaveCount(0);
    await expect(runEdges(lab)).toHaveCount(3);
    const delays = await Promise.all(
      ["Clerk>Quick", "Clerk>Slow"].map((edge) =>
        runEdges(lab, edge).evaluate((one) => parseFloat(getComputedStyle(one).animationDelay)),
      ),
    );
    expect(delays[1]).toBeGreaterThanOrEqual(delays[0] ?? 0);
  });
});
