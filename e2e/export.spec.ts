/**
 * Exports of the page: a request as a command or as code, a run as a file, the graph as a picture.
 */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Page } from "@playwright/test";
import type { Framework } from "framework";
import { expect, openDashboard, test } from "./demo.ts";
import { startLab } from "./lab.ts";
import { bean, button, colours, field, runEdges, runs, select, send, sendBody, sendProduct } from "./page.ts";

const run = promisify(execFile);
/** Text that careless quoting for a shell, JSON or JavaScript would change. */
const hard = `it's "quoted" $HOME \`id\` \\ & é\nline`;

test.use({
  permissions: ["clipboard-read", "clipboard-write"],
  contextOptions: { reducedMotion: "no-preference" }, // A path may be saved while it is drawn.
});

async function copied(page: Page, as: string): Promise<string> {
  await page.evaluate(() => navigator.clipboard.writeText(""));
  await button(page, as).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).not.toBe("");
  return page.evaluate(() => navigator.clipboard.readText());
}

test("DASH-019: copied cURL, fetch and node:test code runs unchanged", async ({ page }) => {
  const seen: unknown[] = [];
  const lab = await startLab({
    routes: (app: Framework) =>
      app.query("/echo/{id}", async (ctx) => {
        seen.push([ctx.pathParam("id"), ctx.queryParam("q"), ctx.header("X-Hard"), await ctx.bodyAsString()]);
        return { seen: true };
      }),
  });
  const folder = await mkdtemp(join(tmpdir(), "e2e-copy-"));
  try {
    await openDashboard(page, lab.origin);
    await select(page, "QUERY /echo/{id}");
    await field(page, "id").fill("a'b /%");
    await field(page, "Query").fill("q=1'2");
    await button(page, "Add header").click();
    await field(page, "Header 1 name").fill("X-Hard");
    await field(page, "Header 1 value").fill(`it's "$HOME" \\`);
    await field(page, "Body").fill(JSON.stringify({ hard }));
    await send(page);
    await expect.poll(() => seen.length).toBe(1);
    await run("sh", ["-c", `${await copied(page, "Copy cURL")} --silent --fail`]);
    await run("node", ["--input-type=module", "--eval", await copied(page, "Copy fetch")]);
    const file = join(folder, "copied.test.mjs");
    await writeFile(file, await copied(page, "Copy node:test"));
    const { stdout } = await run("node", ["--test", "--test-reporter=tap", file], {
      env: { ...process.env, NODE_OPTIONS: "", NODE_TEST_CONTEXT: undefined },
    });
    expect(stdout).toContain("# pass 1");
    const sent = ["a'b /%", "1'2", `it's "$HOME" \\`, JSON.stringify({ hard })];
    expect(seen).toEqual([sent, sent, sent, sent]);
  } finally {
    await lab.stop();
    await rm(folder, { recursive: true });
  }
});

test("DASH-020: a run is saved as a file and opened again, even on the page of another application", async ({
  dashboard,
  context,
}) => {
  await sendProduct(dashboard, "p-0031");
  const [download] = await Promise.all([dashboard.waitForEvent("download"), button(dashboard, "Save run").click()]);
  expect(download.suggestedFilename()).toMatch(/^run-GET-products-p-0031-200-\d+\.json$/);
  const text = await readFile(await download.path(), "utf8");
  const other = await startLab({ routes: (app) => app.get("/other", () => "other") });
  const page = await context.newPage();
  try {
    await page.goto(`${other.origin}/framework/dev`);
    await page.getByRole("tab", { name: "History" }).click();
    await page
      .getByLabel("Run file")
      .setInputFiles({ name: "run.json", mimeType: "application/json", buffer: Buffer.from(text) });
    await expect(runEdges(page, "entry>ProductController")).toHaveCount(1);
    await expect(runEdges(page, "CatalogService>PricingService")).toHaveCount(1);
    await bean(page, "CatalogService").click();
    await expect(page.locator("#panel-node [data-call]").first()).toContainText("p-0031");
    await page
      .getByLabel("Run file")
      .setInputFiles({ name: "x.json", mimeType: "application/json", buffer: Buffer.from("{") });
    await expect(page.getByRole("alert")).toContainText("The file is not JSON");
    await expect(runs(page, "p-0031")).toHaveCount(1);
  } finally {
    await other.stop();
  }
});

test("DASH-021: the graph is saved as SVG and as PNG, with the path in its colour", async ({ dashboard, context }) => {
  await sendBody(dashboard, "QUERY /products/search", "SearchController", { text: "pro" });
  const save = async (as: "SVG" | "PNG"): Promise<Buffer> => {
    const [download] = await Promise.all([dashboard.waitForEvent("download"), button(dashboard, as).click()]);
    expect(download.suggestedFilename()).toBe(`graph-QUERY-products-search.${as.toLowerCase()}`);
    return readFile(await download.path());
  };
  const svg = (await save("SVG")).toString();
  const image = await context.newPage();
  await image.goto(`data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`);
  const drawn = await image.evaluate(() => ({
    root: document.documentElement.nodeName,
    texts: [...document.querySelectorAll("text")].map((one) => one.textContent),
  }));
  expect(drawn.root).toBe("svg");
  expect(drawn.texts).toEqual(expect.arrayContaining(["SearchController", "SearchService", "SearchRepository"]));
  const widths = await image.evaluate(
    (colour) =>
      [...document.querySelectorAll("path")]
        .filter((one) => one.getAttribute("stroke") === colour)
        .map((one) => parseFloat(one.getAttribute("stroke-width") ?? "")),
    colours.light.QUERY,
  );
  expect(widths.length).toBeGreaterThan(2);
  expect(Math.max(...widths), "the line behind which the time is").toBeGreaterThan(4);
  expect(svg).not.toContain("data-");
  const png = await save("PNG");
  expect(png.subarray(1, 4).toString()).toBe("PNG");
  expect(png.readUInt32BE(16)).toBeGreaterThan(400);
});
