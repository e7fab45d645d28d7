/**
 * Start: groups of beans with their traffic, the slowest routes, the newest errors, and the heat of beans in Live.
 */
import type { Locator, Page } from "@playwright/test";
import { Interface } from "framework";
import { expect, test as base, watch } from "./demo.ts";
import { startLab, type Lab, type LabPlan } from "./lab.ts";
import { startMany } from "./many.ts";
import { bean, button, expectNoViolation, faultsOf, order } from "./page.ts";
import { startDemo } from "./server.ts";

const start = "/framework/dev#place=start";
const folder = (page: Page, name: string): Locator => page.locator(`[data-folder="${name}"]`);
const head = (page: Page, name: string): Locator => folder(page, name).locator(".folder-head");
const isInspect = (page: Page): Promise<void> =>
  expect(page.getByRole("tab", { name: "Why" })).toHaveAttribute("aria-selected", "true");

interface Part {
  run(ms: number): Promise<number>;
}
const [Clerk, Shelf, Idle] = [Interface<Part>("Clerk"), Interface<Part>("Shelf"), Interface<Part>("Idle")];

/** `GET /work/{ms}` takes that long in Shelf, and `GET /fail` throws in it. */
const plan = (more: readonly string[] = []): LabPlan => ({
  beans: (builder) =>
    more.reduce(
      (all, name) => all.bind(Interface<Part>(name), () => ({ run: async (ms) => ms })),
      builder
        .bind(Idle, () => ({ run: async (ms) => ms }))
        .bind(Shelf, () => ({
          run: (ms) =>
            ms < 0 ? Promise.reject(new RangeError("no such shelf")) : new Promise((done) => setTimeout(done, ms, ms)),
        }))
        .bind(Clerk, (b) => ({ run: (ms) => b.get(Shelf).run(ms) })),
    ),
  routes: (app) => {
    app.get("/work/{ms}", (ctx) => ctx.get(Clerk).run(Number(ctx.pathParam("ms"))));
    app.get("/fail", (ctx) => ctx.get(Clerk).run(-1));
    for (const name of more) app.get(`/${name}`, () => name);
  },
});

const test = base.extend<{ readonly lab: Lab }>({
  lab: async ({ page, violations }, use) => {
    const lab = await startLab(plan());
    await watch(page, lab.origin, violations);
    await use(lab);
    await lab.stop();
  },
});

/** A shown duration, in milliseconds. */
const msOf = (text: string | null | undefined): number => {
  const [, value, unit = ""] = /([\d.]+) (µs|ms|s)$/.exec(text?.trim() ?? "") ?? [];
  return Number(value) * ({ µs: 0.001, ms: 1, s: 1_000 }[unit] ?? NaN);
};

/** Opens Start of a lab after these requests. */
async function openStart(page: Page, { origin }: { readonly origin: string }, paths: readonly string[] = []) {
  for (const path of paths) await page.request.get(origin + path);
  await page.goto(origin + start);
  await expect(page.locator("[data-folder]").first()).toBeVisible();
}

test("DASH-215: groups are folders of the sources, features first with rate, p95 and errors of the last minute", async ({
  page,
  violations,
}) => {
  // The demo of other tests has their requests in its last minute.
  const { origin, stop } = await startDemo();
  await watch(page, origin, violations);
  try {
    for (let sent = 0; sent < 12; sent += 1) await page.request.get(`${origin}/products/p-0001`);
    await page.request.post(`${origin}/orders`, { data: { ...order, customerId: "nobody" } });
    await openStart(page, { origin });
    const groups = page.getByRole("group", { name: "Groups" });
    await expect(groups.getByText("Folder", { exact: true })).toHaveAttribute("aria-pressed", "true");
    await expect(folder(page, "repositories")).not.toHaveAttribute("data-column", "feature");
    const features = page.locator('[data-column="feature"]');
    await expect(features.first()).toHaveAttribute("data-folder", "controllers");
    await expect(head(page, "controllers")).toContainText(/\d+ beans, \d+ routes/);
    const numbers = head(page, "controllers").locator(".folder-numbers > span");
    await expect(numbers).toHaveText([/^0\.\d/, /\d (µs|ms|s)$/, /^[1-9]\d*$/]);
    await expect(head(page, "repositories").locator(".folder-numbers > span").last()).toHaveText("0");
    // The lines of the group under the pointer are emphasised.
    await head(page, "controllers").hover();
    await expect(page.locator(".folders path[data-lit]")).not.toHaveCount(0);
    await groups.getByText("Stereotype").click();
    await expect(folder(page, "services")).toBeVisible();
    await expect(folder(page, "database")).toHaveCount(0);
    await groups.getByText("All beans").click();
    await expect(bean(page, "ProductController")).toBeVisible();
  } finally {
    await stop();
  }
});

test("DASH-215: the busiest feature comes first", async ({ page, violations }) => {
  const Orders = Interface<Part>("OrderController");
  const lab = await startLab({
    beans: (builder) =>
      builder.bind(Clerk, () => ({ run: async (ms) => ms })).bind(Orders, () => ({ run: async (ms) => ms })),
    routes: (app) => {
      app.get("/clerk", { beans: [Clerk] }, (ctx) => ctx.get(Clerk).run(1));
      app.get("/orders", { beans: [Orders] }, (ctx) => ctx.get(Orders).run(1));
    },
  });
  await watch(page, lab.origin, violations);
  const first = page.locator('[data-column="feature"]').first();
  try {
    await openStart(
      page,
      lab,
      Array.from({ length: 3 }, () => "/orders"),
    );
    const [busy = "", quiet = ""] = await page
      .locator('[data-column="feature"]')
      .evaluateAll((all) => all.map((one) => one.getAttribute("data-folder") ?? ""));
    expect(new Set([busy, quiet])).toEqual(new Set(["beans", "controllers"]));
    await expect(first).toHaveAttribute("data-folder", "controllers");
    for (let sent = 0; sent < 9; sent += 1) await page.request.get(`${lab.origin}/clerk`);
    await expect(first).toHaveAttribute("data-folder", "beans");
  } finally {
    await lab.stop();
  }
});

for (const beans of [25, 150, 500])
  test(`DASH-216: with ${beans} beans groups open by click and Enter, find opens the bean's group, names are readable`, async ({
    page,
    violations,
  }) => {
    const lab = await startMany(beans, Math.round(beans / 4));
    await watch(page, lab.origin, violations);
    try {
      await openStart(page, lab, ["/path"]);
      await head(page, "services").focus();
      await page.keyboard.press("Enter");
      await expect(head(page, "services")).toHaveAttribute("aria-expanded", "true");
      await expect(folder(page, "services").locator(".folder-bean")).toHaveCount(
        Number.parseInt((await head(page, "services").textContent())?.match(/\d+(?= beans)/)?.[0] ?? "", 10),
      );
      const wanted = beans - 1;
      await page.keyboard.press("/");
      await page.getByRole("searchbox", { name: "Find bean" }).fill(`${wanted}Repository`);
      await expect(folder(page, "repositories")).toHaveAttribute("data-found");
      await page.keyboard.press("Enter");
      await expect(page.locator(".folder-bean:focus")).toContainText(`${wanted}Repository`);
      await expect(page.locator(".folder-bean:focus")).toBeInViewport();
      const sizes = await page
        .locator(".folder b, .folder small, .folder-name, .folder-numbers")
        .evaluateAll((all) => all.map((one) => Number.parseFloat(getComputedStyle(one).fontSize)));
      expect(sizes.length).toBeGreaterThan(beans / 2);
      expect(Math.min(...sizes)).toBeGreaterThanOrEqual(11);
      await head(page, "services").click();
      await expect(head(page, "services")).toHaveAttribute("aria-expanded", "false");
      await page.locator(".folder-bean").first().click();
      await expect(page.locator("#tab-node")).toHaveAttribute("aria-selected", "true");
    } finally {
      await lab.stop();
    }
  });

test("DASH-217: the strip has the rate, p50, p95 and failures of the last minute, and follows", async ({
  page,
  lab,
}) => {
  await openStart(page, lab);
  const strip = page.getByRole("region", { name: "Requests of the last minute" });
  await expect(strip).toContainText("No request ended in the last minute.");
  for (const path of ["/work/1", "/work/40", "/fail", "/work/1", "/work/1", "/work/1"])
    await page.request.get(lab.origin + path);
  await expect(strip).toContainText("1 of 6");
  await expect(strip.locator("b").first()).toHaveText("0.1");
  await expect(strip).toContainText(/p50 \d/);
  expect(msOf(await strip.locator("p", { hasText: "p95" }).textContent())).toBeGreaterThanOrEqual(40);
  const bars = await strip
    .locator("rect")
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height).filter((height) => height > 5).length);
  expect(bars).toBeGreaterThanOrEqual(1);
});

test("DASH-243: the strip has the delay of the event loop, measured while a page is open", async ({
  page,
  violations,
}) => {
  const lab = await startLab({
    routes: (app) =>
      app.get("/block", () => {
        for (const end = performance.now() + 80; performance.now() < end;);
        return "done";
      }),
  });
  await watch(page, lab.origin, violations);
  const metrics = async (): Promise<object> =>
    (await (await fetch(`${lab.origin}/framework/dev/api/metrics`)).json()) as object;
  try {
    expect(await metrics()).not.toHaveProperty("loopP99Us");
    await page.goto(lab.origin + start);
    const delay = page
      .getByRole("region", { name: "Requests of the last minute" })
      .locator("p", { hasText: "Event loop, p99" });
    await expect(delay).toHaveText(/^Event loop, p99 (0|[\d.]+) (µs|ms)$/);
    const shown = async (): Promise<number> => {
      for (let sent = 0; sent < 5; sent += 1) await page.request.get(`${lab.origin}/block`);
      return Number.parseFloat((await delay.textContent())?.match(/[\d.]+(?= ms)/)?.[0] ?? "0");
    };
    await expect.poll(shown).toBeGreaterThan(40);
    await page.goto("about:blank");
    await expect.poll(async () => "loopP99Us" in (await metrics())).toBe(false);
  } finally {
    await lab.stop();
  }
});

test("DASH-218: the slowest routes are listed by p95, and a click opens the slowest run of one", async ({
  page,
  lab,
}) => {
  await openStart(page, lab, ["/fail", "/work/5", "/work/1000", "/work/5"]);
  const rows = page.getByRole("region", { name: "Slowest routes" }).locator("tbody tr");
  const work = rows.filter({ hasText: /\/work\/\{ms\}3\d/ });
  await expect(work).toHaveCount(1);
  await expect(rows.filter({ hasText: /\/fail1\d/ })).toHaveCount(1);
  const times = (await rows.locator("b").allTextContents()).map(msOf);
  expect(Math.max(...times)).toBeGreaterThanOrEqual(1_000);
  expect(times).toEqual(times.toSorted((a, b) => b - a));
  await work.getByRole("button").click();
  await isInspect(page);
  await expect(page.locator('[data-trace][aria-selected="true"]')).toContainText("/work/1000");
});

test("DASH-218: a slowest run that the page no longer has is read from the application", async ({ page, lab }) => {
  await page.request.get(`${lab.origin}/work/70`);
  await openStart(page, lab);
  const row = page.getByRole("region", { name: "Slowest routes" }).getByRole("button", { name: "/work/{ms}" });
  await expect(row).toBeVisible();
  // A page that forgot all its runs.
  await page.goto(`${lab.origin}/framework/dev#place=compose&list=history`);
  await button(page, "Clear").click();
  await page.getByRole("link", { name: "Start", exact: true }).click();
  await row.click();
  await isInspect(page);
  await expect(page.locator('[data-trace][aria-selected="true"]')).toContainText("/work/70");
});

test("DASH-219: the newest errors are grouped by message, and a click opens the newest run on Why", async ({
  page,
  lab,
}) => {
  await openStart(page, lab, ["/fail", "/work/1", "/fail"]);
  const errors = page.getByRole("region", { name: "Newest errors" });
  await expect(errors).toContainText("1 kind, 2 runs");
  await expect(errors.locator("li")).toHaveText([
    /500RangeError: no such shelf2× \d\d:\d\d:\d\dGET\/fail.*start\.spec\.ts:\d+/,
  ]);
  await errors.getByRole("button", { name: "RangeError: no such shelf" }).click();
  await isInspect(page);
  await expect(page.locator(".finding").first()).toContainText("no such shelf");
});

test("DASH-220: beans and routes that changed since the last start are named, and nothing before a second start", async ({
  page,
  violations,
}) => {
  const first = await startLab(plan());
  const port = first.app.port ?? 0;
  await watch(page, first.origin, violations);
  const changes = page.getByRole("region", { name: "Since the last start" });
  await openStart(page, first);
  await expect(page.getByRole("region", { name: "Newest errors" })).toContainText("none");
  await expect(page.locator(".rail")).not.toContainText("Reading");
  await expect(changes).toHaveCount(0);
  await first.stop();
  const second = await startLab({ ...plan(["Fresh"]), port });
  try {
    // The open page finds the new process by itself.
    await expect(changes.locator("li")).toHaveText(["new route GET /Fresh", "new bean Fresh"]);
    await page.reload();
    await expect(changes.locator("li")).toHaveCount(2);
  } finally {
    await second.stop();
  }
});

test("DASH-221 DASH-242: Live is the graph with the heat of each bean, at most twice a second, and a click opens the slowest run", async ({
  page,
  lab,
}) => {
  await openStart(page, lab, ["/work/500"]);
  await button(page, "Live").click();
  await expect(bean(page, "Idle")).not.toHaveAttribute("data-heat");
  await expect(bean(page, "Idle").locator(".fill")).toHaveCount(0);
  const line = bean(page, "Shelf").locator(".time");
  await expect(line).toHaveText(/^<?0\.\d\/s [5-9]\d\d ms$/);
  await page.request.get(`${lab.origin}/fail`);
  await expect(bean(page, "Shelf").locator(".count")).toHaveText("1");
  await expect(bean(page, "Shelf").getByRole("button")).toHaveAccessibleName(/, p95 [5-9]\d\d ms, 1 error$/);
  let isOver = false;
  const changed = page.evaluate(
    () =>
      new Promise<{ updates: number; ms: number }>((done) => {
        const from = performance.now();
        const times = [-Infinity];
        // What changes shortly after a change belongs to the same update.
        const watcher = new MutationObserver(() => {
          if (performance.now() - (times.at(-1) ?? 0) > 200) times.push(performance.now());
        });
        watcher.observe(document.querySelector(".start .graph") ?? document.body, {
          subtree: true,
          characterData: true,
          attributes: true,
        });
        setTimeout(() => done({ updates: times.length - 1, ms: performance.now() - from }), 2_000);
      }),
  );
  const over = changed.then(() => (isOver = true));
  await expect
    .poll(async () => ((await page.request.get(`${lab.origin}/work/1`)).ok() ? isOver : true), { intervals: [10] })
    .toBe(true);
  await over;
  const { updates, ms } = await changed;
  expect(updates).toBeGreaterThan(0);
  expect(updates).toBeLessThanOrEqual(1 + ms / 500);
  await page.keyboard.press("/");
  await page.keyboard.type("shel");
  await expect(bean(page, "Shelf")).toHaveAttribute("data-found");
  await page.keyboard.press("Enter");
  await expect(page.locator(".handle:focus")).toHaveAccessibleName(/^Shelf/);
  await button(page, "p95").click();
  // Its calls contain those of Shelf.
  await expect(bean(page, "Clerk")).toHaveAttribute("data-heat", "4");
  await button(page, "Errors").click();
  await expect(bean(page, "Clerk")).toHaveAttribute("data-heat", "4");
  // The heat is also a length, so that colour is not its only sign.
  const widths = await page
    .locator(".graph .fill")
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().width));
  expect(widths.length).toBe(2);
  expect(Math.min(...widths)).toBeGreaterThan(60);
  await expectNoViolation(page);
  await bean(page, "Shelf").locator(".handle").focus();
  await page.keyboard.press("Enter");
  await isInspect(page);
  await expect(page.locator('[data-trace][aria-selected="true"]')).toContainText("/work/500");
  await expect(bean(page, "Shelf")).not.toHaveAttribute("data-heat");
  await expect(bean(page, "Shelf")).toHaveAttribute("data-state", "path");
});

test("DASH-242: of more beans than the graph shows, groups and their beans are hot", async ({ page, violations }) => {
  const lab = await startMany(150, 20);
  await watch(page, lab.origin, violations);
  try {
    await openStart(page, lab, ["/path", "/one"]);
    await expect(folder(page, "services")).not.toHaveAttribute("data-heat");
    await button(page, "Live").click();
    await expect(folder(page, "services")).toHaveAttribute("data-heat", /[34]/);
    await head(page, "controllers").click();
    const rows = folder(page, "controllers").locator(".folder-bean");
    await expect(rows.filter({ hasText: "Order0Controller" })).toHaveAttribute("data-heat", /[34]/);
    await rows.filter({ hasText: "Order0Controller" }).click();
    await isInspect(page);
  } finally {
    await lab.stop();
  }
});

test("DASH-222: axe-core finds nothing on Start in both themes, and keys lead to it and through it", async ({
  page,
  lab,
}) => {
  await openStart(page, lab, ["/work/5", "/fail"]);
  await expect(head(page, "beans")).toHaveAttribute("aria-expanded", "true");
  await expectNoViolation(page);
  await page.keyboard.press("c");
  await expect(page.locator(".compose")).toBeVisible();
  await page.keyboard.press("s");
  await expect(page.getByRole("link", { name: "Start", exact: true })).toHaveAttribute("aria-current", "page");
  await page.goBack();
  await expect(page.locator(".compose")).toBeVisible();
  await page.goForward();
  await head(page, "beans").focus();
  await page.keyboard.press("Tab");
  await expect(page.locator(".folder-bean").first()).toBeFocused();
  const rail = page.getByRole("separator", { name: "Width of the lists" });
  const before = (await page.locator(".rail").boundingBox())?.width ?? 0;
  await rail.focus();
  await page.keyboard.press("ArrowLeft");
  await expect.poll(async () => (await page.locator(".rail").boundingBox())?.width).toBe(before + 20);
});

test.describe("390 × 800", () => {
  test.use({ viewport: { width: 390, height: 800 } });

  test("DASH-222: at 390 pixels Start never scrolls sideways", async ({ page, lab }) => {
    await openStart(page, lab, ["/work/5", "/fail"]);
    await head(page, "beans").click();
    const scrolled = (): Promise<number> =>
      page.locator(".app *").evaluateAll((all) => {
        let most = 0;
        for (const one of all) {
          one.scrollIntoView({ inline: "end", block: "end" });
          for (const box of [
            document.documentElement,
            document.querySelector(".app"),
            document.querySelector(".start"),
          ])
            most = Math.max(most, box?.scrollLeft ?? 0, (box?.scrollWidth ?? 0) - (box?.clientWidth ?? 0));
        }
        return most;
      });
    expect(await scrolled()).toBe(0);
    expect(await faultsOf(page)).toEqual([]);
    await button(page, "Live").click();
    expect(await scrolled()).toBe(0);
    await expect(page.getByRole("region", { name: "Newest errors" }).locator("li")).toHaveCount(1);
  });
});

test.describe("with forced colours", () => {
  test.use({ forcedColors: "active" });

  test("DASH-222: heat, lines and bars have colours of the system", async ({ page, lab }) => {
    await openStart(page, lab, ["/work/5", "/fail"]);
    const canvas = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const fills = await page
      .locator(".strip rect, .rail svg rect, .folder-stripe rect")
      .evaluateAll((all) => [...new Set(all.map((one) => getComputedStyle(one).fill))]);
    expect(fills.length).toBe(1);
    expect(fills).not.toContain(canvas);
    await button(page, "Live").click();
    const fill = bean(page, "Shelf").locator(".fill");
    await expect(fill).toHaveCount(1);
    expect(await fill.evaluate((one) => getComputedStyle(one).fill)).not.toBe(canvas);
    await expect(bean(page, "Idle").locator(".fill")).toHaveCount(0);
  });
});

test("DASH-223: Start says that there are no beans, that it is loading, and that the application does not respond", async ({
  page,
  violations,
}) => {
  const lab = await startLab({ routes: (app) => app.get("/x", () => 1) });
  await watch(page, lab.origin, violations);
  await page.goto(lab.origin + start);
  await expect(page.getByText("No beans yet")).toBeVisible();
  await expect(page.getByText("No request is kept yet.")).toBeVisible();
  expect(await faultsOf(page)).toEqual([]);
  let release = (): void => undefined;
  const held = new Promise<void>((done) => (release = done));
  await page.route("**/api/graph", async (route) => {
    await held;
    await route.abort();
  });
  await page.route("**/api/aggregates", (route) => route.abort());
  await page.reload();
  await expect(page.getByText("Reading the beans…")).toBeVisible();
  release();
  await expect(page.getByText("No beans are known")).toBeVisible();
  await expect(page.locator(".rail").getByRole("alert")).toBeVisible();
  expect(await faultsOf(page)).toEqual([]);
  await lab.stop();
});
