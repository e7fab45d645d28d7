/**
 * `make screenshots`: the pictures of docs/, taken from the running demo.
 */
import { join } from "node:path";
import { expect, test } from "./demo.ts";

const docs = join(import.meta.dirname, "..", "docs");

for (const theme of ["light", "dark"] as const) {
  test.describe(theme, () => {
    test.use({ colorScheme: theme });

    test(`takes docs/dashboard-${theme}.png`, async ({ dashboard }) => {
      await dashboard.locator('[data-route="GET /products/{id}"]').click();
      await dashboard.getByRole("textbox", { name: "id", exact: true }).fill("p-0001");
      await dashboard.getByRole("button", { name: "Send", exact: true }).click();
      await expect(dashboard.locator('[data-run="entry>ProductController"]')).toHaveCount(1);
      await dashboard.getByRole("tab", { name: "Timeline" }).click();
      await expect(dashboard.locator("[data-still]")).toHaveCount(1);
      await dashboard.screenshot({ path: join(docs, `dashboard-${theme}.png`) });
    });
  });
}
