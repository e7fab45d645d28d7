/**
 * The cost of a frame of the timeline with 10,000 calls, while its time is zoomed and its rows scroll: computing time of the main
 * thread, by itself and against a run of 200 calls.
 */
import { expect, test, type Browser, type Page } from "@playwright/test";
import { Interface } from "framework";
import { openDashboard } from "./demo.ts";
import { startLab, type Lab } from "./lab.ts";
import { field, open, select, send } from "./page.ts";
import { median, medianPaced, stopwatch } from "./stopwatch.ts";

const most = 10_000;
const few = 200;

interface Part {
  read(id: number): Promise<number>;
  write(id: number): number;
}
const [Shelf, Ledger] = [Interface<Part>("Shelf"), Interface<Part>("Ledger")];

/** Writes while a read beside it waits. */
const writeTo = async (part: Part, id: number): Promise<number> => part.write(id);

/** `GET /work/{calls}` makes that many calls: in pairs that alternate, so that none are folded, and every third pair side by side. */
const startOffice = (): Promise<Lab> =>
  startLab({
    devtools: { limits: { callsPerTrace: most, traceBytes: 2 ** 26 } },
    beans: (builder) =>
      builder
        .bind(Ledger, () => ({ read: async (id) => id, write: (id) => id }))
        .bind(Shelf, (b) => ({
          read: async (id) => (id % 3 === 0 ? id : b.get(Ledger).read(id)),
          write: (id) => b.get(Ledger).write(id),
        })),
    routes: (app) =>
      app.get("/work/{calls}", async (ctx) => {
        const left = Number(ctx.pathParam("calls"));
        for (let id = 0; id < left / 3; id += 1)
          await Promise.all([ctx.get(Shelf).read(id), writeTo(ctx.get(id % 2 === 0 ? Shelf : Ledger), id)]);
        return left;
      }),
  });

async function openRun(page: Page, calls: number): Promise<void> {
  await open(page, "Requests");
  await select(page, "GET /work/{calls}");
  await field(page, "calls").fill(String(calls));
  await send(page);
  await open(page, "Timeline");
  await expect(page.locator("#tab-timeline small")).toHaveText(new RegExp(`^${Math.round(calls / 1000) || ""}`));
  await expect(page.locator("#panel-timeline [data-call]").first()).toBeVisible();
}

const frames = 40;

/** Turns the wheel over the bars in every frame, in and out again. */
const zoom = (page: Page): Promise<void> =>
  page.locator("#panel-timeline .call-rows").evaluate(async (rows, count) => {
    const cell = rows.querySelector(".bar-cell")?.getBoundingClientRect() ?? new DOMRect();
    for (let frame = 0; frame < count; frame += 1) {
      const deltaY = frame < count / 2 ? -120 : 120;
      const place = { clientX: cell.left + cell.width * 0.3, clientY: cell.top + 4 };
      rows.dispatchEvent(new WheelEvent("wheel", { deltaY, ...place, bubbles: true, cancelable: true }));
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  }, frames);

/** Five rows in every frame, 7,800 pixels in a second. */
const scroll = (page: Page): Promise<void> =>
  page.locator("#panel-timeline .call-rows").evaluate(async (rows, count) => {
    rows.scrollTop = 0;
    for (let frame = 0; frame < count; frame += 1) {
      rows.scrollTop += 130;
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  }, frames);

/** Computing time for a frame. */
async function frameOf(page: Page, act: (page: Page) => Promise<void>): Promise<number> {
  const clock = await stopwatch(page);
  const before = await clock();
  await act(page);
  return ((await clock()) - before) / frames;
}

async function hold(page: Page, browser: Browser, name: string, act: (page: Page) => Promise<void>): Promise<void> {
  await medianPaced(
    { name: `main thread for a frame while ${most} calls ${name}`, atMost: 18, unit: "ms" },
    browser,
    () => frameOf(page, act),
  );
}

test("a frame of a zoom and of a scroll through 10,000 calls stays within the budget", async ({ page, browser }) => {
  const lab = await startOffice();
  const other = await browser.newPage();
  try {
    await openDashboard(page, lab.origin);
    await openRun(page, most);
    await hold(page, browser, "zoom", zoom);
    await hold(page, browser, "scroll", scroll);
    await openDashboard(other, lab.origin);
    await openRun(other, few);
    await median({ name: `a zoom of ${most} calls against one of ${few}`, atMost: 200, unit: "%" }, async () => {
      const base = await frameOf(other, zoom);
      return (100 * (await frameOf(page, zoom))) / base;
    });
    await median(
      { name: `a scroll through ${most} calls against one through ${few}`, atMost: 200, unit: "%" },
      async () => {
        const base = await frameOf(other, scroll);
        return (100 * (await frameOf(page, scroll))) / base;
      },
    );
  } finally {
    await other.close();
    await lab.stop();
  }
});
