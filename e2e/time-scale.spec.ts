/**
 * The time of a run: the scale of rows and flame, own work and waiting, calls side by side, retries, long names.
 */
import { step } from "@framework/devtools";
import type { Locator, Page } from "@playwright/test";
import { Interface } from "framework";
import { expect } from "./demo.ts";
import { labTest } from "./lab-test.ts";
import { button, expectNoViolation, open, runEdges, select, send } from "./page.ts";

interface Part {
  run(id?: number): unknown;
}
const [Clerk, Left, Right, Deep, Press, Flaky, Shelf] = [
  "Clerk",
  "Left",
  "Right",
  "Deep",
  "Press",
  "Flaky",
  "Shelf",
].map((name) => Interface<Part>(name)) as [
  Interface<Part>,
  Interface<Part>,
  Interface<Part>,
  Interface<Part>,
  Interface<Part>,
  Interface<Part>,
  Interface<Part>,
];
const longName = `countEveryThingIn${"TheNextAisleAnd".repeat(6)}TheLast`;

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
const work = (ms: number): void => {
  const began = performance.now();
  while (performance.now() - began < ms);
};

/** A clerk: nine books one after another, two at once of which one calls deeper, a press that blocks, one that fails once. */
const test = labTest({
  beans: (builder) =>
    builder
      .bind(Shelf, () => ({ run: () => pause(2), [longName]: () => pause(2) }))
      .bind(Deep, () => ({
        run: () =>
          step("sql", "SELECT", async (note) => {
            note({ statement: "select 1", parameters: [], rows: 1 });
            await pause(40);
          }),
      }))
      .bind(Left, (b) => ({ run: async () => b.get(Deep).run() }))
      .bind(Right, () => ({ run: () => pause(80) }))
      .bind(Press, () => ({ run: () => work(30) }))
      .bind(Flaky, () => {
        let left = 1;
        return {
          run: async () => {
            await pause(1);
            if (left-- > 0) throw new Error("busy");
            return "done";
          },
        };
      })
      .bind(Clerk, (b) => ({
        run: async () => {
          for (let id = 0; id < 9; id += 1) await b.get(Shelf).run(id);
          await Promise.all([b.get(Left).run(), b.get(Right).run()]);
          b.get(Press).run();
          await Promise.resolve(b.get(Flaky).run()).catch(() => undefined);
          await b.get(Flaky).run();
          await (b.get(Shelf) as unknown as Record<string, () => Promise<void>>)[longName]?.();
          return 1;
        },
      })),
  routes: (app) =>
    app.get("/work", async (ctx) => {
      await pause(20);
      ctx.log.info("begun");
      const done = await ctx.get(Clerk).run();
      ctx.log.info("over");
      return done;
    }),
});

async function openTimeline(page: Page): Promise<Locator> {
  await select(page, "GET /work");
  await send(page);
  await expect(runEdges(page, "Clerk>Left")).toHaveCount(1);
  await open(page, "Timeline");
  return page.locator("#panel-timeline");
}

const rowOf = (page: Page, name: string): Locator =>
  page.locator("#panel-timeline [role=row]", { hasText: name }).first();

test("DASH-185: a call after an equal one that threw is the second attempt, and nothing is blamed as repeated", async ({
  lab,
}) => {
  const timeline = await openTimeline(lab);
  const flags = timeline.locator("[data-call]", { hasText: "Flaky.run" }).locator(".flag");
  await expect(flags).toHaveText(["! threw", "attempt 1/2", "attempt 2/2"]);
  await expect(timeline.locator(".notice").first()).toContainText("Tried again after an error: Flaky.run() 2 attempts");
  await expect(timeline).not.toContainText("Called again with the same arguments");
});

test("DASH-186: a long name is cut with a title, and times and bars are in sight, from 720 to 1920 pixels", async ({
  lab,
}) => {
  const timeline = await openTimeline(lab);
  const row = rowOf(lab, longName);
  await expect(row.locator(".call-name")).toHaveAttribute("title", `Shelf.${longName}`);
  for (const width of [1920, 1024, 720]) {
    await lab.setViewportSize({ width, height: 900 });
    await row.scrollIntoViewIfNeeded();
    const panel = await timeline.boundingBox();
    const bar = await row.locator(".bar-cell").boundingBox();
    const total = await row.locator(".num").last().boundingBox();
    expect(bar && panel && bar.width > 60 && bar.x + bar.width <= panel.x + panel.width + 1, `${width}`).toBe(true);
    expect(total && bar && total.x + total.width <= bar.x, `${width}`).toBe(true);
    expect(await timeline.evaluate((one) => one.scrollWidth - one.clientWidth), `${width}`).toBeLessThanOrEqual(0);
  }
  const ends = await timeline
    .locator("[data-call] .num:nth-of-type(3)")
    .evaluateAll((all) => all.map((one) => one.querySelector("small")?.getBoundingClientRect().left));
  expect(new Set(ends).size, "units below units").toBe(1);
});

test("DASH-187: in the flame view a call beside another is below all that the other called, in a bracket", async ({
  lab,
}) => {
  await openTimeline(lab);
  await button(lab, "Flame").click();
  const top = async (name: string): Promise<DOMRect> =>
    lab
      .locator(".flame-bar", { hasText: name })
      .first()
      .evaluate((bar) => bar.getBoundingClientRect());
  const [left, deep, right, after] = [
    await top("Left.run"),
    await top("Deep.run"),
    await top("Right.run"),
    await top("Press.run"),
  ];
  expect(deep.top).toBe(left.top + 22);
  expect(right.top).toBeGreaterThan(deep.top + 22);
  expect(after.top).toBe(left.top);
  expect(Math.abs(right.left - left.left)).toBeLessThan(8);
  const levels = await lab
    .locator(".flame-bar", { hasText: /^(Left|Right)\.run/ })
    .evaluateAll((all) => all.map((one) => one.ariaLevel));
  expect(new Set(levels).size).toBe(1);
  await expect(lab.locator(".flame-bracket").first()).toHaveText("2");
  await expectNoViolation(lab);
});

/** The marks of the ruler. */
const marks = (page: Page): Promise<string[]> => page.locator(".ruler .tick").allTextContents();

test("DASH-188: the time zooms by wheel, key and button, moves by drag and key, and a range of the ruler is chosen", async ({
  lab,
}) => {
  const timeline = await openTimeline(lab);
  const wholeRun = button(lab, "Whole run");
  const all = await marks(lab);
  const bars = await rowOf(lab, "Clerk.run").locator(".bar-cell").boundingBox();
  if (!bars) throw new Error("no bars");
  const [x, y] = [bars.x + bars.width / 2, bars.y + 10];
  const left = rowOf(lab, "Left.run").locator(".bar");
  const widthOf = async (): Promise<number> => (await left.boundingBox())?.width ?? 0;
  const before = await widthOf();
  const place = (await left.boundingBox())?.x ?? 0;

  await test.step("a wheel over the bars zooms at the pointer", async () => {
    await lab.mouse.move(place, y);
    await lab.mouse.wheel(0, -400);
    await expect.poll(widthOf).toBeGreaterThan(before * 1.6);
    expect(Math.abs(((await left.boundingBox())?.x ?? 0) - place)).toBeLessThan(3);
    await expect(wholeRun).toHaveAttribute("aria-disabled", "false");
  });
  await test.step("a drag moves it, and does not open the row", async () => {
    const at = (await left.boundingBox())?.x ?? 0;
    await lab.mouse.move(x, y);
    await lab.mouse.down();
    await lab.mouse.move(x - 40, y, { steps: 4 });
    await lab.mouse.up();
    await expect.poll(async () => Math.round(((await left.boundingBox())?.x ?? 0) - at)).toBe(-40);
    await expect(timeline).toBeVisible();
  });
  await test.step("keys move and zoom, 0 shows the whole run", async () => {
    await rowOf(lab, "Clerk.run").focus();
    const start = await marks(lab);
    await lab.keyboard.press("ArrowLeft");
    await expect.poll(() => marks(lab)).not.toEqual(start);
    await lab.keyboard.press("0");
    await expect.poll(() => marks(lab)).toEqual(all);
    await lab.keyboard.press("+");
    await expect.poll(() => marks(lab)).not.toEqual(all);
    await lab.keyboard.press("-");
    await expect.poll(() => marks(lab)).toEqual(all);
  });
  await test.step("buttons zoom", async () => {
    await button(lab, "Show less time").click();
    await expect.poll(() => marks(lab)).not.toEqual(all);
    await wholeRun.click();
    await expect.poll(() => marks(lab)).toEqual(all);
  });
  await test.step("a drag on the ruler chooses a range", async () => {
    const ruler = await lab.locator(".ruler").boundingBox();
    if (!ruler) throw new Error("no ruler");
    await lab.mouse.move(ruler.x + ruler.width * 0.25, ruler.y + 8);
    await lab.mouse.down();
    await lab.mouse.move(ruler.x + ruler.width * 0.75, ruler.y + 8, { steps: 4 });
    await expect(lab.locator(".ruler .range")).toHaveText(/\d (ms|s)/);
    await lab.mouse.up();
    await expect(wholeRun).toHaveAttribute("aria-disabled", "false");
    const clerk = await rowOf(lab, "Clerk.run").locator(".bar").boundingBox();
    expect(clerk?.width ?? 0).toBeGreaterThan(bars.width * 0.9);
    await expect(lab.locator(".ruler .range")).toHaveCount(0);
  });
});

test("DASH-189: own work is full, waiting pale, blocking work hatched; the path is drawn, and calls side by side bracketed", async ({
  lab,
}) => {
  await openTimeline(lab);
  const sum = (name: string, part: string): Promise<number> =>
    rowOf(lab, name)
      .locator(part)
      .evaluateAll((all) => all.reduce((width, one) => width + one.getBoundingClientRect().width, 0));
  expect(await sum("Left.run", ".own")).toBeLessThan((await sum("Left.run", ".bar")) / 2);
  expect(await sum("Right.run", ".own")).toBeCloseTo(await sum("Right.run", ".bar"), 0);
  await expect(rowOf(lab, "Press.run").locator(".own")).toHaveAttribute("data-sync", "");
  expect(
    await rowOf(lab, "Press.run")
      .locator(".own")
      .evaluate((one) => getComputedStyle(one).backgroundImage),
  ).toContain("repeating-linear-gradient");
  await expect(rowOf(lab, "Right.run").locator(".own")).not.toHaveAttribute("data-sync");
  const fold = rowOf(lab, "Shelf.run");
  await expect(fold).toContainText("9×");
  await expect(fold).toContainText("one after another");
  await expect(lab.locator(".path-lines text")).toHaveText(/^2( side by side)?$/);
  await expect(rowOf(lab, "Left.run").locator(".bar-cell")).toHaveAttribute(
    "aria-label",
    /, side by side with 1 more$/,
  );
  const path = await lab.locator(".critical-path").getAttribute("d");
  expect((path ?? "").match(/V/g)?.length).toBeGreaterThan(3);
  const lineEnd = async (name: string): Promise<boolean> => {
    const row = await rowOf(lab, name).evaluate((one) => one.getBoundingClientRect().bottom);
    const origin = await lab.locator(".path-lines").evaluate((one) => one.getBoundingClientRect().top);
    return (path ?? "").includes(` ${Math.round(row - origin) - 4}H`);
  };
  expect([await lineEnd("Right.run"), await lineEnd("Press.run"), await lineEnd("Left.run")]).toEqual([
    true,
    true,
    false,
  ]);
  await expectNoViolation(lab);
});
