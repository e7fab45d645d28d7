/**
 * The Why tab: causes planted in small applications, each found from a sentence.
 */
import { setTimeout as wait } from "node:timers/promises";
import { step } from "@framework/devtools";
import type { Locator, Page } from "@playwright/test";
import { Interface } from "framework";
import { expect, openDashboard, test } from "./demo.ts";
import { startLab, type Lab } from "./lab.ts";
import { bean, button, expectNoViolation, open, select, send } from "./page.ts";

interface Orders {
  list(): Promise<unknown>;
}
interface Mail {
  send(): Promise<void>;
}
interface Prices {
  today(): number;
}
const Orders = Interface<Orders>("Orders");
const Mail = Interface<Mail>("Mail");
const Prices = Interface<Prices>("Prices");

/** A list that sends a statement for each of its lines, goes on without the mail that failed, and gives a price that changes. */
function startOrders(): Promise<Lab> {
  let requests = 0;
  return startLab({
    beans: (builder) =>
      builder
        .bind(Prices, () => ({ today: () => ((requests += 1) < 2 ? 10 : 99) }))
        .bind(Mail, () => ({
          send: async () => {
            throw new RangeError("mailbox is full");
          },
        }))
        .bind(Orders, (b) => ({
          list: async () => {
            for (let id = 1; id <= 5; id += 1)
              await step("sql", "SELECT", async (note) => note({ statement: `select * from lines where id = ${id}` }));
            await b
              .get(Mail)
              .send()
              .catch(() => undefined);
            return { price: b.get(Prices).today() };
          },
        })),
    routes: (app) => app.get("/orders", [Orders, "list"]),
  });
}

const finding = (page: Page, kind: string): Locator => page.locator(`.finding[data-kind="${kind}"]`);

test("DASH-158 DASH-159 DASH-160: what went wrong is a sentence that leads to its call, line and statement", async ({
  page,
}) => {
  const lab = await startOrders();
  try {
    await openDashboard(page, lab.origin);
    await select(page, "GET /orders");
    await send(page);
    await expect(bean(page, "Orders")).toHaveAttribute("data-state", "path");
    await open(page, "Why");

    const kinds = page.locator(".finding");
    await expect(kinds.first()).toHaveAttribute("data-kind", "swallowed");
    const swallowed = finding(page, "swallowed");
    await expect(swallowed).toContainText(
      "Mail.send threw RangeError: mailbox is full, and Orders.list went on without it",
    );
    await expect(swallowed.getByTitle("Open in the editor")).toHaveText(/e2e\/why\.spec\.ts:\d+/);
    await swallowed.getByTitle("Shows it in the graph").click();
    await expect(bean(page, "Orders")).toHaveAttribute("data-selected", "");

    const repeated = finding(page, "repeated-statement");
    await expect(repeated).toContainText("Orders.list sends 5 similar statements");
    await repeated.getByTitle("Shows it in the graph").click();
    await expect(page.locator(".leaf-pane .sql")).toContainText("from lines");
    await expectNoViolation(page);

    await send(page);
    await open(page, "Why");
    await expect(finding(page, "difference")).toContainText(
      "Prices.today returns another result for the same arguments",
    );
    await button(page, "Open both in Compare").click();
    await expect(page.getByRole("tab", { name: "Compare" })).toHaveAttribute("aria-selected", "true");
  } finally {
    await lab.stop();
  }
});

interface Quotes {
  total(region: string): Promise<unknown>;
}
interface Rates {
  of(region: string): Promise<number>;
}
const Quotes = Interface<Quotes>("Quotes");
const Rates = Interface<Rates>("Rates");

/** A quote whose rate works at the third attempt, behind a middleware that takes 30 ms, and that fails for one region. */
function startQuotes(): Promise<Lab> {
  let attempts = 0;
  return startLab({
    beans: (builder) =>
      builder
        .bind(Rates, () => ({
          of: async () => {
            await step("http", "GET rates", async (note) => {
              await wait(40);
              note({ method: "GET", url: "http://rates/v1", status: 200 });
            });
            attempts += 1;
            if (attempts % 3 !== 0) throw new RangeError("rates did not answer");
            return 7;
          },
        }))
        .bind(Quotes, (b) => ({
          async total(region) {
            const rates = b.get(Rates);
            for (let left = 2; ; left -= 1)
              try {
                const rate = await rates.of("all");
                if (region === "FR") throw new TypeError(`no tax for ${region}`);
                return { rate };
              } catch (error) {
                if (left === 0 || error instanceof TypeError) throw error;
              }
          },
        })),
    routes: (app) =>
      app
        .use(async function checkToken(_ctx, next) {
          await wait(30);
          return next();
        })
        .get("/quotes/{region}", (ctx) => ctx.get(Quotes).total(ctx.pathParam("region"))),
  });
}

/** A duration on the page in microseconds. */
function microseconds(text: string): number {
  const [, value = "", unit = ""] = /([\d.]+) (µs|ms|s)/.exec(text) ?? [];
  return Number(value) * ({ µs: 1, ms: 1_000, s: 1_000_000 }[unit] ?? Number.NaN);
}

test("DASH-195 DASH-196 DASH-197 DASH-198 DASH-199: where the time went, what was tried again, and how the request differs", async ({
  page,
}) => {
  const lab = await startQuotes();
  try {
    await fetch(`${lab.origin}/quotes/DE`);
    await openDashboard(page, lab.origin);
    await select(page, "GET /quotes/{region}");
    await page.getByLabel("region").fill("FR");
    await send(page);
    await expect(bean(page, "Quotes")).toHaveAttribute("data-state", "path");
    await open(page, "Why");

    await expect(finding(page, "error").locator(".finding-sign")).toHaveText("!");
    const retry = finding(page, "retry");
    await expect(retry.locator(".finding-sign")).toHaveText("3×");
    await expect(retry).toContainText(
      "Quotes.total tries Rates.of 3 times because of RangeError: rates did not answer",
    );
    await expect(retry).toContainText("the last attempt worked");
    await expect(finding(page, "repeated-call")).toHaveCount(0);
    await expect(finding(page, "slow").first().locator(".finding-sign")).toHaveText(/^\d\d %$/);
    await expect(finding(page, "difference").first()).toContainText(
      'the request is another one than in the run that worked: params.region was "DE", is "FR"',
    );
    await expect(finding(page, "origin")).toContainText('"FR", which Quotes.total was given');

    const where = page.locator(".where");
    const total = microseconds(await where.locator("h3").textContent().then(String));
    const parts = await where.locator(".where-legend li").allTextContents();
    expect(parts.map((text) => text.replace(/ [\d.]+ .*/, "").trim())).toEqual(["HTTP", "outside beans", "beans"]);
    const sum = parts.reduce((all, text) => all + microseconds(text), 0);
    // Each is rounded to three digits.
    expect(Math.abs(sum - total)).toBeLessThan(total * 0.02);
    await expect(where.locator(".where-steps")).toContainText(/middleware checkToken (29|[3-9]\d)\.\d ms/);
    await expectNoViolation(page);
  } finally {
    await lab.stop();
  }
});

interface Stock {
  find(sku: string): Promise<number>;
  take(sku: string, version: number): Promise<void>;
}
const Stock = Interface<Stock>("Stock");

test("DASH-200: a failed run names the run that wrote what it had read", async ({ page }) => {
  let version = 1;
  const lab = await startLab({
    beans: (builder) =>
      builder.bind(Stock, () => ({
        find: async () => version,
        async take(sku, seen) {
          if (seen !== version) throw new RangeError(`${sku} was changed`);
          version += 1;
        },
      })),
    routes: (app) =>
      app.post("/stock/{sku}", async (ctx) => {
        const [stock, sku] = [ctx.get(Stock), ctx.pathParam("sku")];
        const seen = await stock.find(sku);
        if (ctx.queryParam("slow") !== undefined) await wait(300);
        await stock.take(sku, seen);
        return { sku };
      }),
  });
  try {
    const slow = fetch(`${lab.origin}/stock/p-7?slow=1`, { method: "POST" });
    // The other one comes after it has read.
    await wait(60);
    await fetch(`${lab.origin}/stock/p-7`, { method: "POST" });
    expect((await slow).status).toBe(500);
    await openDashboard(page, lab.origin);
    await page.getByRole("tab", { name: /^History/ }).click();
    await page.locator("#panel-history").getByText("500").first().click();
    await open(page, "Why");
    await expect(finding(page, "interleaved")).toContainText(
      /between Stock\.find and Stock\.take of this run, POST \/stock\/p-7 called Stock\.take/i,
    );
  } finally {
    await lab.stop();
  }
});

test("DASH-201: a value of a tree leads to the places where the run has it, by mouse and by key", async ({ page }) => {
  const lab = await startQuotes();
  try {
    await openDashboard(page, lab.origin);
    await select(page, "GET /quotes/{region}");
    await page.getByLabel("region").fill("Vienna");
    await send(page);
    await expect(bean(page, "Quotes")).toHaveAttribute("data-state", "path");
    await bean(page, "Quotes").click();
    const row = page.locator(".json-row", { hasText: "Vienna" }).first();
    await row.hover();
    await row.locator(".j-from").click();
    const trail = page.locator(".trail");
    await expect(trail.locator("h3")).toHaveText("Where Vienna was");
    await expect(trail.locator("li").first()).toContainText("in the request");
    const given = trail.locator("li", { hasText: "given to" });
    await expect(given).toContainText("Quotes.total");
    await expect(given).toContainText("region");
    await given.getByTitle("Shows it in the graph").click();
    await expect(bean(page, "Quotes")).toHaveAttribute("data-selected", "");
    await expect(given).toHaveAttribute("data-selected", "");
    await expectNoViolation(page);
    await trail.getByRole("button", { name: "Close the places of this value" }).click();
    await expect(trail).toHaveCount(0);

    await open(page, "Response");
    await page
      .getByRole("tree", { name: /Body|response/i })
      .first()
      .focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await expect(trail.locator("h3")).toHaveText("Where 7 was");
    await expect(trail.locator("li", { hasText: "returned by" }).first()).toContainText("Rates.of");
  } finally {
    await lab.stop();
  }
});

interface Shelf {
  place(sku: string): Promise<string>;
}
interface Labels {
  print(place: string): string;
}
const Shelf = Interface<Shelf>("Shelf");
const Labels = Interface<Labels>("Labels");
const Idle = Interface<Labels>("Idle");

/** A place that a shelf finds by a statement, which a line of the log and a label have afterwards. */
function startShelf(): Promise<Lab> {
  return startLab({
    beans: (builder) =>
      builder
        .bind(Idle, () => ({ print: (place) => place }))
        .bind(Labels, () => ({ print: (place) => `at ${place}` }))
        .bind(Shelf, () => ({
          place: (sku) =>
            step("sql", "SELECT", async (note) => {
              note({ statement: "select place from shelves where sku = ?", parameters: [sku, { password: "s3cret" }] });
              return "aisle-19";
            }),
        })),
    routes: (app) =>
      app.get("/labels/{sku}", { beans: [Shelf, Labels, Idle] }, async (ctx) => {
        const place = await ctx.get(Shelf).place(ctx.pathParam("sku"));
        ctx.log.info(`the label goes to ${place}`, { sku: ctx.pathParam("sku") });
        ctx.get(Idle).print("none");
        return { label: ctx.get(Labels).print(place) };
      }),
  });
}

test("DASH-240 DASH-241: values of log lines and statements lead to their places, numbered in the graph", async ({
  page,
}) => {
  const lab = await startShelf();
  try {
    await openDashboard(page, lab.origin);
    await select(page, "GET /labels/{sku}");
    await page.getByLabel("sku").fill("sku-4711");
    await send(page);
    await expect(bean(page, "Labels")).toHaveAttribute("data-state", "path");
    await open(page, "Logs");
    await page.locator(".log-row[data-leaf]").click();
    const pane = page.locator(".leaf-pane");
    await pane.getByRole("button", { name: "aisle-19", exact: true }).click();
    const trail = page.locator(".trail");
    await expect(trail.locator("h3")).toHaveText("Where aisle-19 was");
    await expect(trail.locator("li .trail-at")).toHaveText(["1", "2", "3", "3", "2"]);
    await expect(bean(page, "Shelf")).toHaveAttribute("data-trail", "1");
    await expect(bean(page, "Labels")).toHaveAttribute("data-trail", "3");
    await expect(page.locator(".entry")).toHaveAttribute("data-trail", "2");
    await expect(bean(page, "Shelf").locator(".trail-number")).toHaveText("1");
    await expect(bean(page, "Shelf").getByRole("button")).toHaveAccessibleName(/, 1\. with the value$/);
    const opacity = (id: string): Promise<string> => bean(page, id).evaluate((one) => getComputedStyle(one).opacity);
    expect([await opacity("Shelf"), await opacity("Labels"), await opacity("Idle")]).toEqual(["1", "1", "0.28"]);
    await expect(page.locator('[data-run="entry>Shelf"]')).toHaveAttribute("data-trail", "");
    expect(await page.locator('[data-run="entry>Idle"][data-trail]').count()).toBe(0);
    await expectNoViolation(page);

    const fields = pane.locator(".json-row", { hasText: "sku-4711" });
    await fields.hover();
    await fields.locator(".j-from").click();
    await expect(trail.locator("h3")).toHaveText("Where sku-4711 was");
    await expect(trail.locator("li").first()).toContainText("in the request");

    await trail.locator("li", { hasText: "sent in a statement" }).getByTitle("Shows it in the graph").click();
    const parameters = pane.getByRole("region", { name: "Parameters" });
    await expect(parameters).toContainText("[redacted]");
    await parameters.locator(".json-row", { hasText: "sku-4711" }).hover();
    await expect(parameters.locator(".j-from:visible")).toHaveCount(1);
    await expect(parameters.locator(".json-row", { hasText: "[redacted]" }).locator(".j-from")).toHaveCount(0);
    await trail.getByRole("button", { name: "Close the places of this value" }).click();
    await expect(bean(page, "Shelf")).not.toHaveAttribute("data-trail");
    await expect.poll(() => opacity("Idle")).toBe("1");
  } finally {
    await lab.stop();
  }
});

test("DASH-158: a run that the application has not explained says so, until it responds again", async ({ page }) => {
  const lab = await startOrders();
  try {
    await openDashboard(page, lab.origin);
    await select(page, "GET /orders");
    await send(page);
    await page.route("**/api/analyses/**", (route) => route.abort());
    await open(page, "Why");
    const notice = page.getByRole("alert").filter({ hasText: "The application has not explained this run" });
    await expect(notice).toBeVisible();
    await expect(page.locator(".finding")).toHaveCount(0);
    await open(page, "History");
    await page.getByRole("searchbox", { name: "Filter runs" }).fill("bean:Orders");
    await expect(page.getByRole("alert").filter({ hasText: "Nothing was searched" })).toBeVisible();
    await expectNoViolation(page);
    await page.getByRole("searchbox", { name: "Filter runs" }).fill("");
    await open(page, "Requests");

    await page.unroute("**/api/analyses/**");
    await send(page);
    await open(page, "Why");
    await expect(finding(page, "swallowed")).toBeVisible();
    await expect(notice).toHaveCount(0);
  } finally {
    await lab.stop();
  }
});
