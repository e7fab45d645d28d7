/**
 * The page follows an application with a graph and routes that change while it is open.
 */
import { type BeanResolver, type BeansBuilder, Interface } from "framework";
import type { Page } from "@playwright/test";
import { expect, openDashboard, test, watch } from "./demo.ts";
import { type Lab, type LabPlan, startLab } from "./lab.ts";
import { bean, button, field, open, runEdges, runs, select, send } from "./page.ts";

interface Step {
  run(): string;
}
const [Orders, Prices, Stock] = [Interface<Step>("Orders"), Interface<Step>("Prices"), Interface<Step>("Stock")];

/** Orders and prices resolve the next bean inside a method, so their dependencies are unknown before the first call. */
const lateBeans = (builder: BeansBuilder): BeansBuilder => {
  const late = (b: BeanResolver, next: typeof Orders): Step => ({ run: () => b.get(next).run() });
  return builder
    .bind(Stock, () => ({ run: () => "in stock" }))
    .bind(Prices, (b) => late(b, Stock))
    .bind(Orders, (b) => late(b, Prices));
};
const plan: LabPlan = { beans: lateBeans, routes: (app) => app.post("/orders", (ctx) => ctx.get(Orders).run()) };

/** Runs `look` on the open dashboard of a fresh lab. */
async function onLab(page: Page, violations: string[], look: (lab: Lab) => Promise<void>): Promise<void> {
  const lab = await startLab(plan);
  try {
    await watch(page, lab.origin, violations);
    await openDashboard(page, lab.origin);
    await look(lab);
  } finally {
    await lab.stop();
  }
}

/** The left side of a bean in the picture. */
const leftOf = async (page: Page, id: string): Promise<number> => (await bean(page, id).boundingBox())?.x ?? Number.NaN;

test("DASH-156 DASH-157: dependencies found at the first call are drawn so, and keep selection and typed text", async ({
  page,
  violations,
}) => {
  await onLab(page, violations, async () => {
    await select(page, "POST /orders");
    await field(page, "Body").fill('{ "typed": true }');
    await send(page);
    await expect(page.locator('.graph [data-edge="Orders>Prices"]')).toHaveCount(1);
    for (const edge of ["entry>Orders", "Orders>Prices", "Prices>Stock"]) {
      await expect(runEdges(page, edge)).toHaveCount(1);
      await expect(runEdges(page, edge)).not.toHaveAttribute("data-stray");
    }
    await expect.poll(async () => (await leftOf(page, "Orders")) < (await leftOf(page, "Prices"))).toBe(true);
    await expect.poll(async () => (await leftOf(page, "Prices")) < (await leftOf(page, "Stock"))).toBe(true);
    await expect(bean(page, "Stock")).toHaveAttribute("data-state", "path");
    await expect(page.locator('[data-route="POST /orders"]')).toHaveAttribute("aria-selected", "true");
    await expect(field(page, "Body")).toHaveValue('{ "typed": true }');
    await bean(page, "Prices").click();
    await expect(page.locator("#panel-node")).toContainText("Stock");
    await expect(page.locator("#panel-node").getByText("Depends on")).toBeVisible();
  });
});

test("DASH-157: dependencies found while a run is viewed leave the run, the bean and the camera unchanged", async ({
  page,
  violations,
}) => {
  await onLab(page, violations, async ({ origin }) => {
    await fetch(`${origin}/elsewhere`);
    await open(page, "History");
    await runs(page, "/elsewhere").click();
    await bean(page, "Stock").click();
    await button(page, "Zoom in").click();
    const camera = (): Promise<string | null> => page.locator(".graph .still > g").getAttribute("transform");
    const before = await camera();
    await fetch(`${origin}/orders`, { method: "POST" });
    await expect(page.locator('.graph [data-edge="Prices>Stock"]')).toHaveCount(1);
    await expect(runs(page, "/elsewhere")).toHaveAttribute("aria-selected", "true");
    await expect(page.locator("#panel-node")).toContainText("Stock");
    expect(await camera()).toBe(before);
  });
});
