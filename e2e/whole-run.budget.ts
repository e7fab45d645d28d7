/**
 * The cost of a long history and a long run: searching 10,000 kept runs, scrolling through 5,000 leaves, and the page's memory
 * with both. In computing time of the application's process and of the page's main thread.
 *
 *   one run ──▶ its line of the history, 10,000 times ──▶ an application that has them ──▶ the page
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, type Browser, type Page } from "@playwright/test";
import { step } from "@framework/devtools";
import { Interface } from "framework";
import { openDashboard } from "./demo.ts";
import { startLab, type Lab } from "./lab.ts";
import { field, open, select, send } from "./page.ts";
import { heapOf, medianPaced, stopwatch } from "./stopwatch.ts";

const kept = 10_000;
const below = 5_000;

const Clerk = Interface<{ work(times: number): number }>("Clerk");

/** A clerk who sends a statement the given number of times. */
const startArchive = (file: string): Promise<Lab> =>
  startLab({
    devtools: { history: { file, runs: 4 * kept, bytes: 2 ** 28 }, limits: { leavesPerTrace: below } },
    beans: (builder) =>
      builder.bind(Clerk, () => ({
        work: (times) => {
          for (let id = 1; id <= times; id += 1)
            step("sql", "SELECT", (note) =>
              note({
                system: "postgresql",
                statement: "select * from things where id = $1",
                parameters: [id],
                rows: 1,
              }),
            );
          return times;
        },
      })),
    routes: (app) => app.get("/work/{times}", (ctx) => ctx.get(Clerk).work(Number(ctx.pathParam("times")))),
  });

/** Turns the history file of one run into that of 10,000. */
async function multiply(file: string): Promise<void> {
  const written = (await readFile(file, "utf8")).split("\n");
  const [session = ""] = written;
  const line = written.find((one) => one.includes('"run":{')) ?? "";
  const { run, ...rest } = JSON.parse(line) as { readonly run: Readonly<Record<string, unknown>> };
  const lines = Array.from({ length: kept }, (_, n) =>
    JSON.stringify({ ...rest, run: { ...run, sequence: n + 1, path: `/work/${n}`, durationUs: n } }),
  );
  await writeFile(file, `${[session, ...lines].join("\n")}\n`);
}

/** The computing time so far of the application, which runs in this process, and of the page. */
async function computed(page: Page): Promise<() => Promise<number>> {
  const inPage = await stopwatch(page);
  return async () => {
    const { user, system } = process.cpuUsage();
    return (await inPage()) + (user + system) / 1_000;
  };
}

test("searching 10,000 kept runs and scrolling through 5,000 statements of one stay within the budget", async ({
  page,
  browser,
}) => {
  const folder = await mkdtemp(join(tmpdir(), "framework-archive-"));
  const file = join(folder, "runs.jsonl");
  let lab = await startArchive(file);
  try {
    await fetch(`${lab.origin}/work/5`);
    await lab.stop();
    await multiply(file);
    lab = await startArchive(file);
    await openDashboard(page, lab.origin);
    await test.step("search", () => searched(page, browser));
    await test.step("timeline", () => scrolled(page, browser));
    const heap = await heapOf(page);
    process.stdout.write(`the page's heap: ${heap.toFixed(0)} MB (≤ 150)\n`);
    expect(heap).toBeLessThanOrEqual(150);
  } finally {
    await lab.stop();
    await rm(folder, { recursive: true, force: true });
  }
});

async function searched(page: Page, browser: Browser): Promise<void> {
  await open(page, "History");
  const text = page.getByRole("searchbox", { name: "Filter runs" });
  const hits = page.getByRole("region", { name: "Found in everything that is kept" });
  const search = async (id: number): Promise<void> => {
    await text.fill(`path=/work/${id} bean:Clerk method:work arg.times=5 sql:things`);
    await text.press("Enter");
    await expect(hits.locator("[data-run-key]")).toContainText(`/work/${id}`);
  };
  await search(0); // reads the file
  const clock = await computed(page);
  let id = 0;
  await medianPaced(
    { name: "computing time until one of 10,000 runs is found", atMost: 100, unit: "ms" },
    browser,
    async () => {
      const before = await clock();
      await search((id += 1_111));
      return (await clock()) - before;
    },
  );
}

async function scrolled(page: Page, browser: Browser): Promise<void> {
  await open(page, "Requests");
  await select(page, "GET /work/{times}");
  await field(page, "times").fill(String(below));
  await send(page);
  await open(page, "Timeline");
  const rows = page.locator("#panel-timeline .call-rows");
  await rows.getByRole("button", { name: "5,000" }).click();
  await expect(rows.locator("[data-leaf]").first()).toBeVisible();
  const clock = await stopwatch(page);
  const frames = 45;
  // Further in a frame than any finger flings: 20 rows, 30,000 pixels a second.
  await medianPaced(
    { name: `main thread for a frame while ${below} statements scroll by`, atMost: 16, unit: "ms" },
    browser,
    async () => {
      const before = await clock();
      await rows.evaluate(async (box, count) => {
        for (let frame = 0; frame < count; frame += 1) {
          box.scrollTop += 520;
          await new Promise((resolve) => requestAnimationFrame(resolve));
        }
      }, frames);
      return ((await clock()) - before) / frames;
    },
  );
  await rows.evaluate((box) => box.scrollTo({ top: box.scrollHeight }));
  await expect(rows.locator("[data-leaf]").last()).toBeVisible();
}
