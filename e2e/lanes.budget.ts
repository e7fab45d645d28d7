/**
 * The cost of a frame of Lanes with 1,000 kept runs while the brush is dragged, and of the place when it opens: computing time of
 * the main thread.
 */
import { expect, test, type Page } from "@playwright/test";
import { openDashboard } from "./demo.ts";
import { startBank } from "./lanes.ts";
import { medianPaced, stopwatch } from "./stopwatch.ts";

const kept = 1_000;
const frames = 40;

/** Answers a search with so many runs of seven routes, of which every 50th failed. They are made up, since keeping them takes a minute. */
async function answerWith(page: Page): Promise<void> {
  const began = Date.now() - 180_000;
  const all = Array.from({ length: kept }, (_, i) => ({
    instance: "i1",
    sequence: kept - i,
    kind: "request",
    method: "GET",
    path: `/route-${i % 7}/${i}`,
    route: `/route-${i % 7}/{id}`,
    status: i % 50 === 0 ? 500 : 200,
    startedAt: began + (kept - i) * 180,
    durationUs: 50_000 + (i % 13) * 60_000,
    calls: [],
    leaves: [],
    parts: [],
  }));
  await page.route(/\/api\/search\?/, (route) => {
    const from = Number(new URL(route.request().url()).searchParams.get("cursor"));
    const next = from + 100 < kept ? String(from + 100) : null;
    return route.fulfill({ json: { hits: all.slice(from, from + 100), next, searched: kept, tookUs: 1 } });
  });
}

/** Moves the brush a little in every frame, and leaves it where it was. Returns what the page said before that. */
const drag = (page: Page): Promise<string | undefined> =>
  page.locator(".lanes-strip").evaluate(async (strip, count) => {
    strip.setPointerCapture = () => undefined;
    const { left, top, width } = strip.getBoundingClientRect();
    const send = (name: string, part: number): boolean =>
      strip.dispatchEvent(
        new PointerEvent(name, { clientX: left + width * part, clientY: top + 5, pointerId: 1, bubbles: true }),
      );
    send("pointerdown", 0.2);
    for (let frame = 0; frame < count; frame += 1) {
      send("pointermove", 0.4 + (0.4 * frame) / count);
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    const said = document.querySelector(".lanes-said b")?.textContent;
    send("pointercancel", 0.8);
    await new Promise((resolve) => requestAnimationFrame(resolve));
    return said;
  }, frames);

test("a frame of the brush over 1,000 runs stays within the budget", async ({ page, browser }) => {
  const bank = await startBank();
  try {
    await answerWith(page);
    await openDashboard(page, bank.origin);
    await page.getByRole("link", { name: "Lanes" }).click();
    await expect(page.locator(".lanes-said b").first()).toHaveText("1,000 runs in the brush");
    const elements = await page.locator(".lanes *").count();
    expect(elements, "elements of Lanes").toBeLessThan(250);
    const clock = await stopwatch(page);
    await medianPaced(
      { name: `main thread for a frame while the brush is dragged over ${kept} runs`, atMost: 18, unit: "ms" },
      browser,
      async () => {
        const before = await clock();
        expect(await drag(page)).toMatch(/^[56]\d\d runs in the brush$/);
        return ((await clock()) - before) / frames;
      },
    );
  } finally {
    await bank.stop();
  }
});
