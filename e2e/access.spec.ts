/**
 * Accessibility and isolation: rules of axe-core in every state and theme, reduced motion, narrow windows, no foreign request.
 */
import type { Page } from "@playwright/test";
import { expect, test } from "./demo.ts";
import {
  bean,
  bodyText,
  button,
  faultsOf,
  field,
  open,
  order,
  runEdges,
  runs,
  select,
  send,
  sendBody,
  sendProduct,
} from "./page.ts";

/** Every state of the page that looks different, and the step to it from the previous one. */
const states: readonly (readonly [name: string, reach: (page: Page) => Promise<void>])[] = [
  ["just opened", (page) => expect(page.getByText("Pick a route", { exact: true })).toBeVisible()],
  ["a filter without a hit", (page) => page.getByRole("searchbox", { name: "Filter routes" }).fill("no such route")],
  ["all routes", (page) => page.getByRole("searchbox", { name: "Filter routes" }).fill("")],
  ["a route selected", (page) => select(page, "GET /products/{id}")],
  ["a parameter missing", (page) => field(page, "id").fill("")],
  ["a response", (page) => sendProduct(page)],
  ["its timeline", (page) => open(page, "Timeline")],
  ["a statement", (page) => page.locator("#panel-timeline [data-leaf]").first().click()],
  ["the flame view", (page) => button(page, "Flame").click()],
  [
    "a run without log lines",
    async (page) => {
      await button(page, "Rows").click();
      await open(page, "Logs");
    },
  ],
  ["a bean", (page) => bean(page, "CatalogService").click()],
  ["a bean that is not spied", (page) => bean(page, "Postgres").click()],
  ["a step of the path", (page) => button(page, "Previous call").click()],
  ["the search for a bean", (page) => page.getByRole("searchbox", { name: "Find bean" }).fill("repository")],
  [
    "invalid JSON",
    async (page) => {
      await select(page, "POST /orders");
      await (await bodyText(page)).fill("{");
    },
  ],
  [
    "a draft that lacks something",
    async (page) => {
      await select(page, "GET /products/{id}");
      await field(page, "id").fill("");
      await send(page);
      await expect(page.getByRole("alert")).toBeVisible();
      await field(page, "id").fill("p-0001");
    },
  ],
  ["a POST sent", (page) => sendBody(page, "POST /orders", "OrderController", order)],
  ["a QUERY sent", (page) => sendBody(page, "QUERY /products/search", "SearchController", { text: "pro" })],
  [
    "a call that threw",
    async (page) => {
      await select(page, "GET /products/{id}");
      await field(page, "id").fill("no-such-product");
      await send(page);
      await expect(page.locator(".graph [data-threw]")).toHaveCount(1);
    },
  ],
  ["the request of a run", (page) => page.getByRole("tab", { name: "Request", exact: true }).click()],
  [
    "a draft beside a run",
    async (page) => {
      await field(page, "id").fill("p-0001");
      await expect(page.locator(".origin", { hasText: "Draft." })).toBeVisible();
      await page.getByText("Headers of every request").click();
    },
  ],
  [
    "two runs compared",
    async (page) => {
      await button(page, "Compare as A").click();
      await sendProduct(page);
      await button(page, "Compare as B").click();
      await open(page, "Compare");
      await expect(runEdges(page, "CatalogService>PricingService")).toHaveAttribute("data-side", "b");
    },
  ],
  [
    "history",
    async (page) => {
      await open(page, "History");
      await runs(page).nth(1).click();
    },
  ],
  [
    "Inspect",
    async (page) => {
      await page.getByRole("link", { name: "Inspect" }).click();
      await expect(page.getByRole("grid", { name: "Runs" })).toBeVisible();
    },
  ],
  [
    "Inspect without a match",
    async (page) => {
      await page.getByRole("searchbox", { name: "Filter runs" }).fill("no such run");
      await expect(page.getByText("No run matches")).toBeVisible();
    },
  ],
  [
    "Compose again",
    async (page) => {
      await page.getByRole("searchbox", { name: "Filter runs" }).fill("");
      await page.getByRole("link", { name: "Compose" }).click();
    },
  ],
  ["history paused", (page) => button(page, "Pause").click()],
  [
    "the palette",
    async (page) => {
      await page.keyboard.press("Control+k");
      await expect(page.getByRole("dialog", { name: "Go to" })).toBeVisible();
    },
  ],
  [
    "the keys",
    async (page) => {
      await page.keyboard.press("Escape");
      await button(page, "Help").click();
      await expect(page.getByRole("dialog", { name: "Keys" })).toBeVisible();
    },
  ],
];

for (const theme of ["light", "dark"] as const) {
  test.describe(theme, () => {
    test.use({ colorScheme: theme });

    test(`DASH-033: axe-core finds nothing in ${states.length} states of the ${theme} theme`, async ({ dashboard }) => {
      test.setTimeout(240_000);
      expect(states.length).toBeGreaterThanOrEqual(12);
      const found: string[] = [];
      for (const [name, reach] of states) {
        await reach(dashboard);
        for (const fault of await faultsOf(dashboard)) found.push(`${name}: ${fault}`);
      }
      expect(found).toEqual([]);
    });
  });
}

test.describe("with reduced motion", () => {
  test.use({ contextOptions: { reducedMotion: "reduce" } });

  test("DASH-034: the path is drawn without motion, complete and in its widths", async ({ dashboard }) => {
    await sendProduct(dashboard);
    const drawn = await runEdges(dashboard).evaluateAll((edges) =>
      edges.map((edge) => ({
        animations: edge.getAnimations().length,
        dashes: getComputedStyle(edge).strokeDasharray,
        isWide: parseFloat(getComputedStyle(edge).strokeWidth) >= 2 === edge.hasAttribute("data-critical"),
        opacity: getComputedStyle(edge).opacity,
      })),
    );
    expect(drawn.length).toBeGreaterThan(5);
    for (const edge of drawn) expect(edge).toEqual({ animations: 0, dashes: "none", isWide: true, opacity: "1" });
    expect(await dashboard.evaluate(() => document.getAnimations().length)).toBe(0);
  });
});

test("DASH-031 DASH-128: the page requests nothing from another origin, and never violates its policy", async ({
  dashboard,
  origin,
  violations,
}) => {
  const asked = new Set<string>();
  dashboard.on("request", (one) => asked.add(new URL(one.url()).origin));
  await dashboard.reload();
  for (const [, reach] of states) await reach(dashboard);
  expect([...asked].filter((one) => one !== "null")).toEqual([origin]);
  expect(violations).toEqual([]);
});

test("DASH-031 DASH-128: the policy blocks what an attacker would inject", async ({ dashboard, violations }) => {
  const ran = await dashboard.evaluate(async () => {
    const script = document.createElement("script");
    try {
      script.textContent = "document.title = 'injected'";
      document.body.append(script);
    } catch {
      // Trusted Types reject the assignment.
    }
    await new Promise((resolve) => requestAnimationFrame(resolve));
    return document.title === "injected";
  });
  expect(ran).toBe(false);
  await expect.poll(() => violations.length).toBeGreaterThan(0);
  expect(violations.every((violation) => violation.startsWith("CSP: "))).toBe(true);
  violations.length = 0;
});

for (const [width, height] of [
  [1440, 900],
  [1020, 800],
  [720, 800],
] as const) {
  test.describe(`${width} × ${height}`, () => {
    test.use({ viewport: { width, height } });

    test(`DASH-035: everything is usable at a width of ${width} pixels`, async ({ dashboard }) => {
      await sendProduct(dashboard);
      await expect(dashboard.locator("#panel-response .summary")).toBeInViewport();
      const [scrolled, editor, detail] = await dashboard.evaluate(() => [
        document.documentElement.scrollWidth - innerWidth,
        document.querySelector(".editor")?.getBoundingClientRect().x ?? 0,
        document.querySelector(".detail")?.getBoundingClientRect().x ?? 0,
      ]);
      expect(scrolled).toBe(0);
      if (width <= 1020) expect(detail).toBe(editor);
      else expect(detail).toBeGreaterThan(editor ?? 0);
      for (const tab of ["Timeline", "Logs", "Bean", "Compare", "Response"]) {
        await open(dashboard, tab);
        await expect(dashboard.getByRole("tabpanel", { name: tab })).toBeVisible();
      }
      for (const name of ["Send", "Copy cURL", "Reset to example"]) {
        await button(dashboard, name).scrollIntoViewIfNeeded();
        await button(dashboard, name).click({ trial: true });
      }
      for (const name of ["Theme", "Help", "Fit", "Replay", "Only reachable"])
        await button(dashboard, name).click({ trial: true });
      await open(dashboard, "History");
      await runs(dashboard).first().click();
      await expect(runs(dashboard).first()).toHaveAttribute("aria-selected", "true");
    });
  });
}
