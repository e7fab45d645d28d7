/**
 * The page's cost in computing time of its main thread and in memory. Other processes do not increase it, and the slowness of a
 * machine is divided out.
 */
import { expect, type Browser, type Page } from "@playwright/test";

const runs = 5;

/** Milliseconds of computing time of the page's main thread so far. */
export async function stopwatch(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  return async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return 1_000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN);
  };
}

/** Megabytes of objects in the page, after a garbage collection. */
export async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  return usedSize / 1_000_000;
}

/** The computing time, in milliseconds, of `paceOf`'s work on the reference machine of the budgets. */
const usualMs = 75;

/** A constant piece of work with the operations of a page: reading texts, creating objects, layout and paint. */
async function fixedWork(): Promise<void> {
  const text = JSON.stringify(
    Array.from({ length: 5_000 }, (_, id) => ({ id, name: `Number ${id}`, tags: ["a", "b"] })),
  );
  for (let round = 0; round < 4; round += 1) {
    const rows = (JSON.parse(text) as readonly { readonly id: number; readonly name: string }[]).map(
      ({ id, name }) => ({ path: `$[${id}].name`, text: JSON.stringify(name), last: id === 0 }),
    );
    const elements = rows.slice(0, 400).map((row) => {
      const element = document.createElement("p");
      element.title = row.path;
      element.textContent = row.text;
      return element;
    });
    document.body.replaceChildren(...elements);
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
}

/** The time of this work here and now, as a multiple of that on the reference machine. */
async function paceOf(browser: Browser): Promise<number> {
  const page = await browser.newPage();
  const computed = await stopwatch(page);
  const before = await computed();
  await page.evaluate(fixedWork);
  const taken = (await computed()) - before;
  await page.close();
  return taken / usualMs;
}

/** A measured value, and its maximum. */
interface Budget {
  readonly name: string;
  readonly atMost: number;
  readonly unit: string;
}

/** The median of five measurements, printed and compared with its budget. */
export async function median(budget: Budget, measure: () => Promise<number>): Promise<void> {
  const values: number[] = [];
  for (let i = 0; i < runs; i += 1) values.push(await measure());
  hold(budget, middle(values));
}

/** The same for computing times, each divided by the machine's pace, which is measured before it. */
export async function medianPaced(budget: Budget, browser: Browser, measure: () => Promise<number>): Promise<void> {
  const paces: number[] = [];
  const values: number[] = [];
  for (let i = 0; i < runs; i += 1) {
    const pace = await paceOf(browser);
    paces.push(pace);
    values.push((await measure()) / pace);
  }
  process.stdout.write(`this machine takes ${middle(paces).toFixed(2)} times as long as that of the budgets\n`);
  hold(budget, middle(values));
}

const middle = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(runs / 2)] ?? Number.NaN;

function hold({ name, atMost, unit }: Budget, value: number): void {
  process.stdout.write(`${name}: ${value.toFixed(0)} ${unit} (≤ ${atMost})\n`);
  expect(value, `${name}, ${unit}`).toBeLessThanOrEqual(atMost);
}
