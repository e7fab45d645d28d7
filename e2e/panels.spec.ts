/**
 * The Panels tab: data that plugins show, in both themes.
 */
import type { Page } from "@playwright/test";
import { definePlugin, type Framework, type PanelKind } from "framework";
import { expect, openDashboard, watch } from "./demo.ts";
import { labTest } from "./lab-test.ts";
import { startLab } from "./lab.ts";
import { button, faultsOf } from "./page.ts";

const plugin = (name: string, kind: PanelKind, title: string, read: () => unknown) =>
  definePlugin({ name, panel: { title, kind, read } });

let reads = 0;

function routes(app: Framework): void {
  app
    .plugin(
      plugin("stock", "table", "Low stock", () => [
        { product: "p-0001", name: "Tea", left: 2, since: new Date(0) },
        { product: "p-0002", name: "<b>Cups</b>", left: 3, password: "hunter2hunter2" },
      ]),
    )
    .plugin(
      plugin("steps", "graph", "Steps of an order", () => ({
        nodes: [
          { id: "new", label: "New" },
          { id: "paid", label: "Paid" },
          { id: "sent", label: "Sent" },
        ],
        edges: [
          { from: "new", to: "paid" },
          { from: "paid", to: "sent" },
          { from: "paid", to: "new" },
        ],
      })),
    )
    .plugin(plugin("cache", "json", "Cache", () => ({ reads: ++reads, keys: new Set(["a", "b"]) })))
    .plugin(plugin("broken", "table", "Broken", () => Promise.reject(new RangeError("no table"))))
    .get("/", () => "hello");
}

const test = labTest({ routes });

const choose = (page: Page, title: string) => page.getByLabel("Panel", { exact: true }).selectOption(title);

for (const colorScheme of ["light", "dark"] as const)
  test.describe(colorScheme, () => {
    test.use({ colorScheme });

    test(`PLUGIN-020: panels are rows, a drawing or a tree, ${colorScheme}`, async ({ lab }) => {
      await lab.getByRole("tab", { name: "Panels" }).click();
      const panel = lab.locator("#panel-panels");
      const table = panel.getByRole("table", { name: "Low stock" });
      await expect(table.getByRole("columnheader")).toHaveText(["product", "name", "left", "since", "password"]);
      await expect(table.getByRole("row").nth(2).getByRole("cell")).toHaveText([
        "p-0002",
        "<b>Cups</b>",
        "3",
        "",
        "[redacted]",
      ]);
      const found: string[] = [];
      const check = async (): Promise<void> => void found.push(...(await faultsOf(lab)));
      await check();

      await choose(lab, "Steps of an order");
      const drawing = panel.getByRole("img", { name: "Steps of an order: 3 nodes, 3 edges" });
      await expect(drawing.locator("text")).toHaveText(["New", "Paid", "Sent"]);
      await expect(drawing.locator("path")).toHaveCount(3);
      await check();

      await choose(lab, "Cache");
      const tree = panel.getByRole("tree", { name: "Cache, tree" });
      await expect(tree).toContainText('"reads": 1');
      await button(lab, "Read again").click();
      await expect(tree).toContainText('"reads": 2');
      reads = 0;

      await choose(lab, "Broken");
      await expect(panel.getByRole("alert")).toHaveText("RangeError no table");
      await check();
      expect(found).toEqual([]);
    });
  });

test("PLUGIN-020: an application without panels has no such tab", async ({ page, violations }) => {
  const lab = await startLab({ routes: (app) => void app.get("/", () => "hello") });
  try {
    await watch(page, lab.origin, violations);
    await openDashboard(page, lab.origin);
    await expect(page.getByRole("tab", { name: "Compare" })).toBeVisible();
    await expect(page.getByRole("tab", { name: "Panels" })).toHaveCount(0);
  } finally {
    await lab.stop();
  }
});
