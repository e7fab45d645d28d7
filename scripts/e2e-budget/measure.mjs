/**
 * The measurements, each on a fresh page, each of what a person would wait for or see.
 */
import { once } from "node:events";
import { get } from "node:http";
import { join } from "node:path";
import { build } from "esbuild";
import { root } from "../process.mjs";
import { startBeans, startFlood } from "./apps.mjs";

const TIMES = 5;
/** What the fixed work takes on the machine on which the budgets were set, in milliseconds. */
const REFERENCE_MS = 220;

const round = (value, digits = 1) => Math.round(value * 10 ** digits) / 10 ** digits;
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** @template T @param {import("@playwright/test").Browser} browser @param {(page: import("@playwright/test").Page) => Promise<T>} use */
async function withPage(browser, use) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  try {
    return await use(await context.newPage());
  } finally {
    await context.close();
  }
}

/** @template T @param {number} beans @param {(origin: string) => Promise<T>} use */
async function withApp(beans, use) {
  const app = await startBeans(beans);
  try {
    return await use(app.origin);
  } finally {
    await app.stop();
  }
}

/** Frames a second, counted over `ms`. Runs in the browser. */
const countFrames = (ms) =>
  new Promise((done) => {
    const began = performance.now();
    let frames = 0;
    const next = (now) => {
      if (now - began >= ms) return done((frames / (now - began)) * 1_000);
      frames += 1;
      return requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  });

/**
 * Frames a second while `during` goes on, and the share of one core, in percent, that the page's main thread took: it
 * is counted in computing time, which other processes do not lengthen.
 */
async function watch(page, ms, during) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
  const busy = async () => {
    const { metrics } = await devtools.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN;
  };
  const [before, began] = [await busy(), performance.now()];
  const [fps, result] = await Promise.all([page.evaluate(countFrames, ms), during]);
  const seconds = (performance.now() - began) / 1_000;
  return { fps: round(fps), busy: round((((await busy()) - before) / seconds) * 100, 0), result, devtools };
}

/** How many times longer than on the reference machine a fixed piece of work takes. */
export const slowness = (browser) =>
  withPage(browser, async (page) => {
    const times = [];
    for (let i = 0; i < TIMES; i += 1) {
      times.push(
        await page.evaluate(() => {
          const began = performance.now();
          const items = Array.from({ length: 200_000 }, (_, n) => ({ n: (n * 7_919) % 200_003, text: `item ${n}` }));
          JSON.stringify(items.sort((a, b) => a.n - b.n));
          return performance.now() - began;
        }),
      );
    }
    return round(median(times) / REFERENCE_MS, 2);
  });

/** Frames a second of a page on which nothing happens. */
export const idleRate = (browser) => withPage(browser, async (page) => round(await page.evaluate(countFrames, 3_000)));

/** The page as it travels, in kB. */
export const pageSize = () =>
  withApp(1, async (origin) => {
    const asked = get(`${origin}/framework/dev`, { headers: { "Accept-Encoding": "gzip" } });
    const [answer] = await once(asked, "response");
    if (answer.headers["content-encoding"] !== "gzip") throw new Error("the page came uncompressed");
    const parts = await answer.toArray();
    return round(parts.reduce((sum, part) => sum + part.length, 0) / 1_000, 2);
  });

/** From the click on a link until every bean is painted. */
export const graphOnScreen = (browser, beans) =>
  withApp(beans, async (origin) => {
    const times = [];
    for (let i = 0; i < TIMES; i += 1) {
      times.push(
        await withPage(browser, async (page) => {
          await page.addInitScript((wanted) => {
            const look = () => {
              if (document.querySelectorAll("[data-bean]").length < wanted) return requestAnimationFrame(look);
              return requestAnimationFrame(() => (window.drawnAt = performance.now()));
            };
            requestAnimationFrame(look);
          }, beans);
          await page.goto(`${origin}/framework/dev`);
          await page.waitForFunction(() => window.drawnAt !== undefined, undefined, { timeout: 30_000 });
          return page.evaluate(() => window.drawnAt);
        }),
      );
    }
    return round(median(times), 0);
  });

/** The layout alone, as the page has it. */
export async function layoutTime(browser, beans) {
  const { outputFiles } = await build({
    entryPoints: [join(root, "src/devtools/dashboard/graph/layout.ts")],
    bundle: true,
    write: false,
    format: "iife",
    globalName: "measured",
    target: "es2022",
  });
  const graph = await withApp(beans, async (origin) => (await fetch(`${origin}/framework/dev/api/graph`)).json());
  return withPage(browser, async (page) => {
    await page.addScriptTag({ content: outputFiles[0].text });
    const times = await page.evaluate(
      ({ runs, graph: { nodes, edges } }) => {
        const { layout } = globalThis.measured;
        const ids = nodes.map(({ id }) => id);
        return Array.from({ length: runs }, () => {
          const began = performance.now();
          layout(ids, edges, (id) => ({ width: 60 + id.length * 7, height: 44 }));
          return performance.now() - began;
        });
      },
      { runs: TIMES, graph },
    );
    return round(median(times), 0);
  });
}

/** Frames a second while a path marches over so many beans. */
export const pathRate = (browser, beans) =>
  withApp(beans, (origin) =>
    withPage(browser, async (page) => {
      await page.goto(`${origin}/framework/dev`);
      await page.locator('[data-route="GET /all"]').click();
      await page.getByRole("button", { name: "Only reachable" }).click();
      await page.getByRole("button", { name: "Send", exact: true }).click();
      await page.locator("[data-run]").first().waitFor({ state: "attached", timeout: 30_000 });
      await page.locator(".overlay[data-still]").waitFor({ state: "attached", timeout: 30_000 });
      const rates = [];
      for (let i = 0; i < 3; i += 1) {
        await page.getByRole("button", { name: "Replay", exact: true }).click();
        rates.push(await watch(page, 2_500));
      }
      return rates.toSorted((a, b) => a.fps - b.fps)[1];
    }),
  );

/** From the last byte of 1 MB of JSON until its first rows are painted. */
export const jsonOnScreen = (browser) =>
  withApp(3, async (origin) => {
    const times = [];
    for (let i = 0; i < TIMES; i += 1) {
      times.push(
        await withPage(browser, async (page) => {
          await page.goto(`${origin}/framework/dev`);
          await page.locator('[data-route="GET /big"]').click();
          await page.evaluate(() => {
            const look = () => {
              if (document.querySelector("#panel-response [role=treeitem]") === null)
                return requestAnimationFrame(look);
              return requestAnimationFrame(() => (window.drawnAt = performance.now()));
            };
            requestAnimationFrame(look);
          });
          await page.getByRole("button", { name: "Send", exact: true }).click();
          await page.waitForFunction(() => window.drawnAt !== undefined, undefined, { timeout: 30_000 });
          return page.evaluate(() => {
            const [entry] = performance.getEntriesByType("resource").filter(({ name }) => name.endsWith("/big"));
            if (entry.decodedBodySize < 1_000_000) throw new Error(`only ${entry.decodedBodySize} bytes`);
            return window.drawnAt - entry.responseEnd;
          });
        }),
      );
    }
    return round(median(times), 0);
  });

/** Frames a second and heap under a flood of traces, with History open. */
export const flood = (browser, { perSecond, seconds }) =>
  withApp(30, async (origin) => {
    await (await fetch(`${origin}/all`)).text();
    const [trace] = await (await fetch(`${origin}/framework/dev/api/requests`)).json();
    const front = await startFlood(origin, { ...trace, calls: trace.calls.slice(0, 7) });
    try {
      return await withPage(browser, async (page) => {
        await page.goto(`${front.origin}/framework/dev`);
        await page.getByRole("tab", { name: /^History/ }).click();
        await page.locator("[data-trace]").first().waitFor({ timeout: 30_000 });
        const poured = front.pour(perSecond, seconds);
        const { fps, busy, result: heard, devtools } = await watch(page, seconds * 1_000, poured);
        await page.locator("[data-trace]", { hasText: "/all" }).nth(90).waitFor({ timeout: 30_000 });
        await devtools.send("HeapProfiler.collectGarbage");
        const { usedSize } = await devtools.send("Runtime.getHeapUsage");
        return { heard, fps, busy, heapMb: round(usedSize / 1_000_000) };
      });
    } finally {
      await front.stop();
    }
  });
