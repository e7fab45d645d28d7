/**
 * What the page takes, in computing time of its main thread and in memory: other processes do not lengthen it.
 */
import { expect, type Page } from "@playwright/test";

const runs = 5;

/** Milliseconds of computing time that the page's main thread has taken so far. */
export async function stopwatch(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  return async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return 1_000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN);
  };
}

/** Megabytes of objects that the page holds, its garbage collected first. */
export async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  return usedSize / 1_000_000;
}

/** The median of five measurements, said and held against its budget. */
export async function median(
  name: string,
  budget: number,
  unit: string,
  measure: () => Promise<number>,
): Promise<void> {
  const values: number[] = [];
  for (let i = 0; i < runs; i += 1) values.push(await measure());
  const value = values.toSorted((a, b) => a - b)[Math.floor(runs / 2)] ?? Number.NaN;
  process.stdout.write(`${name}: ${value.toFixed(0)} ${unit} (≤ ${budget})\n`);
  expect(value, `${name}, ${unit}`).toBeLessThanOrEqual(budget);
}
