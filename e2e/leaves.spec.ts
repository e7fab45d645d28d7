/**
 * The operations of a run below its beans: statements, log lines, the flame view, and calls of another service.
 */
import { step } from "@framework/devtools";
import type { Page } from "@playwright/test";
import { Interface } from "framework";
import { expect, openDashboard, test } from "./demo.ts";
import { startLab, type Lab } from "./lab.ts";
import { bean, button, faultsOf, field, open, runEdges, select, send, sendProduct } from "./page.ts";

interface Shelf {
  find(id: number): Promise<number>;
}
interface Desk {
  lend(times: number): Promise<number>;
}
interface Parcels {
  book(): Promise<string>;
}
const Shelf = Interface<Shelf>("Shelf");
const Desk = Interface<Desk>("Desk");
const Parcels = Interface<Parcels>("Parcels");

/** A desk that asks a shelf once for each book, writes to the log, fails at the fourth, and calls `next` if given. */
function startLibrary(next?: string): Promise<Lab> {
  return startLab({
    devtools: { name: "library", slowMs: 1_000 },
    beans: (builder) =>
      builder
        .bind(Shelf, () => ({
          find: (id) =>
            step("sql", "SELECT", async (note) => {
              note({ statement: `select title from books where id = ${id}`, parameters: [id], rows: 1 });
              if (id > 3) throw new Error("no such book");
              return id;
            }),
        }))
        .bind(Desk, (b) => ({
          lend: async (times) => {
            for (let id = 1; id <= times; id++) await b.get(Shelf).find(id);
            if (next !== undefined) await (await fetch(`${next}/book`)).text();
            return times;
          },
        })),
    routes: (app) =>
      app.get("/lend/{times}", async (ctx) => {
        ctx.log.info("lending", { times: ctx.pathParam("times") });
        ctx.log.warn("nearly closed");
        ctx.json(await ctx.get(Desk).lend(Number(ctx.pathParam("times"))));
      }),
  });
}

async function lend(page: Page, lab: Lab, times: number): Promise<void> {
  await openDashboard(page, lab.origin);
  await select(page, "GET /lend/{times}");
  await field(page, "times").fill(String(times));
  await send(page);
  await expect(bean(page, "Desk")).toHaveAttribute("data-state", "path");
  await open(page, "Timeline");
}

const leaves = (page: Page) => page.locator("#panel-timeline [data-leaf]");

test("DASH-100 DASH-153: SQL is below its repository with its rows and time, and can be hidden", async ({
  dashboard,
}) => {
  await sendProduct(dashboard);
  await open(dashboard, "Timeline");
  const rows = dashboard.locator("#panel-timeline .call-rows [role=row]");
  await expect(rows.nth(2)).toContainText("ProductRepository.find");
  await expect(rows.nth(3)).toContainText("Database.query");
  await expect(rows.nth(4)).toHaveAttribute("data-kind", "sql");
  await expect(rows.nth(4)).toContainText(/select \* from products where id = \$1.*1 row.*\d ?(µs|ms)/);
  const number = await leaves(dashboard).count();
  await rows.nth(3).getByRole("button").click();
  await expect(leaves(dashboard)).toHaveCount(number - 1);
  await rows.nth(3).focus();
  await dashboard.keyboard.press("Space");
  await expect(leaves(dashboard)).toHaveCount(number);
});

test("DASH-100: only as many lines are drawn as fit into the window, and in a tall one all of them", async ({
  page,
}) => {
  const lab = await startLab({
    beans: (builder) =>
      builder.bind(Desk, () => ({
        lend: async (times) => {
          for (let id = 1; id <= times; id++) step("sql", "SELECT", (note) => note({ statement: `select ${id}` }));
          return times;
        },
      })),
    routes: (app) => app.get("/lend/{times}", (ctx) => ctx.get(Desk).lend(Number(ctx.pathParam("times")))),
  });
  try {
    await lend(page, lab, 100);
    await expect(leaves(page).first()).toBeVisible();
    expect(await leaves(page).count()).toBeLessThan(60);
    await page.setViewportSize({ width: 1280, height: 8_000 });
    await expect(leaves(page)).toHaveCount(100);
  } finally {
    await lab.stop();
  }
});

test("DASH-101: a statement opens on its lines, with parameters, rows and its calls, and can be copied", async ({
  dashboard,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await sendProduct(dashboard);
  await open(dashboard, "Timeline");
  await leaves(dashboard).first().click();
  const pane = dashboard.locator(".leaf-pane");
  await expect(pane.locator(".sql")).toHaveText("select *\nfrom products\nwhere id = $1");
  await expect(pane.locator(".chain")).toHaveText(
    "ProductController.show › CatalogService.page › ProductRepository.find › Database.query",
  );
  await expect(pane.getByRole("tree", { name: "Parameters, tree" })).toContainText('"p-0001"');
  await expect(pane.getByRole("tree", { name: "Rows, tree" })).toContainText('"id": "p-0001"');
  await expect(bean(dashboard, "Database")).toHaveAttribute("data-selected", "");
  await button(dashboard, "Copy SQL").click();
  await expect(button(dashboard, "Copied")).toBeVisible();
  expect(await dashboard.evaluate(() => navigator.clipboard.readText())).toBe(
    'select *\nfrom products\nwhere id = $1\n-- $1 = "p-0001"',
  );
  await button(dashboard, "Close what is open").click();
  await expect(pane).toHaveCount(0);
});

test("DASH-103: leaves are counted and timed by kind in the summary, in the graph and at their bean", async ({
  dashboard,
}) => {
  await sendProduct(dashboard);
  const sql = /\d+ calls · [1-9]\d* SQL [\d.]+ (µs|ms)/;
  await expect(dashboard.locator("#panel-response .summary")).toContainText(sql);
  await expect(dashboard.locator(".graph-footer [role=status]")).toContainText(sql);
  await expect(bean(dashboard, "Database").locator(".below title")).toHaveText(/^\d+ SQL [\d.]+ /);
  await expect(bean(dashboard, "Database").getByRole("button")).toHaveAccessibleName(/, \d+ SQL [\d.]+ (µs|ms)$/);
  await expect(bean(dashboard, "CatalogService").locator(".below")).toHaveCount(0);
});

test("DASH-102, DASH-104, DASH-105: a loop's statements, a failed one, log lines and the flame view", async ({
  page,
}) => {
  const library = await startLibrary();
  try {
    await lend(page, library, 5);
    await test.step("DASH-102: N+1 is flagged with number and time, and the failed statement says why", async () => {
      await page.getByRole("button", { name: "show" }).or(leaves(page).first()).first().waitFor();
      await expect(leaves(page).filter({ hasText: "select title" }).locator(".flag")).toHaveText([
        "N+1 1/4",
        "N+1 2/4",
        "N+1 3/4",
        "! failed",
        "N+1 4/4",
      ]);
      const told = page.locator("details.notice", { hasText: "N+1:" });
      await expect(told).toContainText(/N\+1: 1 statement sent again and again with other values, .+ in repeats/);
      await told.locator("summary").click();
      await expect(told).toContainText(/Shelf 4× .*select title from books where id = 1/);
      await leaves(page).filter({ hasText: "id = 4" }).click();
      await expect(page.locator(".leaf-pane")).toContainText("Desk.lend › Shelf.find");
      await expect(page.locator(".leaf-pane .notice.error")).toHaveText("Error no such book");
      await open(page, "Response");
      await expect(page.locator("#panel-response .notice.error")).toContainText(
        /Thrown by Shelf\.find .*through Desk\.lend/s,
      );
    });
    await test.step("DASH-104: the log lists level, message, fields and writer, and can be filtered", async () => {
      await open(page, "Logs");
      const lines = page.locator("#panel-logs [data-leaf]");
      await expect(lines.filter({ hasText: "lending" })).toContainText(/info.*lending \{"times":"5"\}.*the request/s);
      await page.getByRole("searchbox", { name: "Filter log lines" }).fill("warn");
      await expect(lines).toHaveCount(1);
      await lines.first().click();
      await expect(page.locator("#panel-logs .leaf-pane")).toContainText("nearly closed");
      expect(await faultsOf(page)).toEqual([]);
    });
    await test.step("DASH-105: keys move and zoom in the flame view", async () => {
      await open(page, "Timeline");
      await button(page, "Flame").click();
      const flame = page.getByRole("tree", { name: /^Flame view/ });
      const now = page.locator(".flame-now b");
      await flame.focus();
      await page.keyboard.press("Home");
      await expect(now).toHaveText("GET /lend/5");
      for (let shown = "GET /lend/5"; shown !== "Desk.lend"; shown = (await now.textContent()) ?? "") {
        await page.keyboard.press(shown === "GET /lend/5" ? "ArrowDown" : "ArrowRight");
        await expect(now).not.toHaveText(shown);
      }
      await page.keyboard.press("ArrowDown");
      await expect(now).toHaveText("Shelf.find");
      await page.keyboard.press("ArrowDown");
      await expect(now).toHaveText("SQL: select title from books where id = 1");
      const share = (): Promise<number> =>
        flame
          .locator("[data-bar=leaf][aria-selected=true]")
          .evaluate((bar) => bar.getBoundingClientRect().width / (bar.parentElement?.clientWidth ?? 1));
      const wholeRun = button(page, "Whole run");
      const before = await share();
      await expect(wholeRun).toHaveAttribute("aria-disabled", "true");
      await page.keyboard.press("Enter");
      await expect(page.locator(".leaf-pane")).toContainText("select title");
      await expect(wholeRun).toHaveAttribute("aria-disabled", "false");
      await expect.poll(share).toBeGreaterThan(before);
      for (let level = 3; level > 0; level -= 1) await page.keyboard.press("Escape");
      await expect(wholeRun).toHaveAttribute("aria-disabled", "true");
      await expect.poll(share).toBeCloseTo(before, 2);
      await page.keyboard.press("ArrowUp");
      await expect(now).toHaveText("Shelf.find");
    });
  } finally {
    await library.stop();
  }
});

test("DASH-106: another service is an island that the path leads to, and nests in the timeline", async ({ page }) => {
  const post = await startLab({
    devtools: { name: "post" },
    beans: (builder) => builder.bind(Parcels, () => ({ book: async () => "booked" })),
    routes: (app) => app.get("/book", [Parcels, "book"]),
  });
  const library = await startLibrary(post.origin.replace("localhost", "127.0.0.1"));
  try {
    await lend(page, library, 1);
    await expect(page.locator('[data-island="post"]')).toHaveCount(1);
    expect(await faultsOf(page)).toEqual([]);
    await expect(bean(page, "post › Parcels")).toHaveAttribute("data-state", "path");
    await expect(runEdges(page, "Desk>post › Parcels")).toHaveAttribute("marker-start", "url(#arrow-run)");
    const rows = page.locator("#panel-timeline .call-rows [role=row] .call-name");
    await expect(rows.filter({ hasText: "Parcels.book" })).toHaveCount(1);
    const texts = await rows.allTextContents();
    expect(texts.findIndex((text) => text.includes("Parcels.book"))).toBe(
      texts.findIndex((text) => text.includes("GET http://127.0.0.1")) + 1,
    );
    await bean(page, "post › Parcels").click();
    await expect(page.locator("#panel-node")).toContainText("in the service post");
    await expect(page.locator("#panel-node")).toContainText('"booked"');
  } finally {
    await library.stop();
    await post.stop();
  }
});

test("DASH-107: comparing shows leaves by kind and the first statement that differs", async ({ page }) => {
  const library = await startLibrary();
  try {
    await lend(page, library, 1);
    await button(page, "Compare as A").click();
    await field(page, "times").fill("3");
    await send(page);
    await expect(page.locator(".graph-footer [role=status]")).toContainText("3 SQL");
    await button(page, "Compare as B").click();
    const panel = page.locator("#panel-compare");
    await expect(panel.locator("tr[data-kind=sql] td").first()).toHaveText(/^1 SQL/);
    await expect(panel.locator("tr[data-kind=sql] td").nth(1)).toHaveText(/^3 SQL/);
    await expect(panel.locator("pre.sql")).toHaveText([
      "no further statement",
      "select title\nfrom books\nwhere id = 2",
    ]);
  } finally {
    await library.stop();
  }
});

test("DASH-171 DASH-183: Compare, Response and the graph count the calls of other services alike", async ({ page }) => {
  const post = await startLab({
    devtools: { name: "post" },
    beans: (builder) => builder.bind(Parcels, () => ({ book: async () => "booked" })),
    routes: (app) => app.get("/book", [Parcels, "book"]),
  });
  const library = await startLibrary(post.origin.replace("localhost", "127.0.0.1"));
  try {
    await lend(page, library, 1);
    await expect(bean(page, "post › Parcels")).toHaveAttribute("data-state", "path");
    await button(page, "Compare as A").click();
    await field(page, "times").fill("2");
    await send(page);
    await expect(page.locator(".graph-footer [role=status]")).toContainText("4 calls");
    await expect(page.locator("#panel-response .summary")).toContainText("4 calls");
    await button(page, "Compare as B").click();
    const panel = page.locator("#panel-compare");
    await expect(panel.getByRole("status")).toContainText("3 calls in A, 4 in B");
    await expect(panel.locator("tr", { hasText: "Parcels" })).toHaveAttribute("data-side", "both");
    await expect(bean(page, "post › Parcels")).toHaveAttribute("data-side", "both");
  } finally {
    await library.stop();
    await post.stop();
  }
});
