/**
 * Measures the dashboard in a real browser and holds it against its budgets.
 *
 *   node scripts/e2e-budget.mjs ──▶ one line a figure ──▶ bench/results/e2e-budget.json, exit 1 when one is over
 *
 * A frame rate means nothing without one of an idle page of the same browser in the same minute: a machine that is
 * busy draws fewer frames of anything. So a rate passes when it reaches its budget, or 90 % of the idle page's, or
 * when the page's main thread needs so little computing time (at most 60 % of a core) that the frames were lost to
 * other processes; the share is printed.
 * Times are medians of five, each paired with a fixed piece of work; on a machine that is `n` times slower than the
 * one on which the budgets were set, `n` times the budget is allowed, and the factor is printed.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { join } from "node:path";
import { chromium } from "@playwright/test";
import * as measure from "./e2e-budget/measure.mjs";
import { isProgram, root } from "./process.mjs";

/** @typedef {{ name: string, value: number, budget: number, unit: string, allowed: number, busy?: number }} Figure */

/** Percent of a core that a page may take whose frames nobody else takes away. */
const ENOUGH_ROOM = 60;

/** @param {Figure} figure */
const holds = ({ value, allowed, busy }) =>
  busy === undefined ? value <= allowed : value >= allowed || busy <= ENOUGH_ROOM;

/** @param {Figure} figure */
function line(figure) {
  const { name, value, budget, unit, allowed, busy } = figure;
  const sign = busy === undefined ? "≤" : "≥";
  const share = busy === undefined ? "" : `, main thread ${busy} %`;
  const eased = allowed === budget ? "" : `, here ${sign} ${Math.round(allowed * 10) / 10}`;
  return `${holds(figure) ? "ok  " : "OVER"} ${name.padEnd(42)} ${String(value).padStart(8)} ${unit}  (${sign} ${budget}${eased}${share})`;
}

async function main() {
  const { requireBrowser } = await import(join(root, ".build/e2e/browser.js"));
  const { args, ...found } = requireBrowser();
  const browser = await chromium.launch({ ...found, args: [...args, "--enable-precise-memory-info"] });
  const figures = [];
  try {
    const slowness = Math.max(1, await measure.slowness(browser));
    const idle = await measure.idleRate(browser);
    const size = (name, value, budget, unit) => figures.push({ name, value, budget, unit, allowed: budget });
    const time = (name, value, budget) =>
      figures.push({ name, value, budget, unit: "ms", allowed: Math.round(budget * slowness) });
    const rate = (name, { fps, busy }) =>
      figures.push({ name, value: fps, budget: 55, unit: "fps", allowed: Math.min(55, 0.9 * idle), busy });
    process.stdout.write(`idle page: ${idle} fps; this machine: ${slowness.toFixed(2)}× the reference's time\n`);
    size("page, gzip", await measure.pageSize(), 60, "kB");
    time("graph on screen at 100 beans", await measure.graphOnScreen(browser, 100), 500);
    time("layout at 500 beans", await measure.layoutTime(browser, 500), 300);
    rate("path animated at 500 beans", await measure.pathRate(browser, 500));
    time("1 MB of JSON on screen", await measure.jsonOnScreen(browser), 200);
    const flood = await measure.flood(browser, { perSecond: 1_000, seconds: 10 });
    rate(`${flood.heard} traces in 10 s, History open`, flood);
    size("heap after them, collected", flood.heapMb, 25, "MB");
    for (const figure of figures) process.stdout.write(`${line(figure)}\n`);
    await write({ at: new Date().toISOString(), browser: browser.version(), slowness, idle, figures });
  } finally {
    await browser.close();
  }
  const over = figures.filter((figure) => !holds(figure)).length;
  process.stdout.write(`${figures.length - over} passed, ${over} failed\n`);
  process.exitCode = over === 0 ? 0 : 1;
}

/** @param {Record<string, unknown>} result */
async function write(result) {
  const folder = join(root, "bench", "results");
  await mkdir(folder, { recursive: true });
  const machine = { cpu: cpus()[0]?.model, cores: cpus().length, node: process.version };
  await writeFile(join(folder, "e2e-budget.json"), `${JSON.stringify({ ...result, machine }, null, 2)}\n`);
}

if (isProgram(import.meta)) await main();
