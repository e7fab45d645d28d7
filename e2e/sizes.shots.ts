/**
 * `make screenshots`: docs/sizes/, a run and its timeline in four window sizes, in both themes, with 25 and 150 beans.
 */
import { join } from "node:path";
import { expect, openDashboard, test } from "./demo.ts";
import { startMany } from "./many.ts";
import { open, select, send } from "./page.ts";

const folder = join(import.meta.dirname, "..", "docs", "sizes");
const sizes = ["1440x900", "1280x720", "1024x768", "720x900"] as const;

for (const theme of ["light", "dark"] as const)
  for (const [count, onPath] of [
    [25, 12],
    [150, 38],
  ] as const)
    test.describe(`${theme}, ${count} beans`, () => {
      test.use({ colorScheme: theme });

      test("takes a picture of each size", async ({ page }) => {
        const lab = await startMany(count, onPath);
        try {
          for (const size of sizes) {
            const [width = 0, height = 0] = size.split("x").map(Number);
            await page.setViewportSize({ width, height });
            await openDashboard(page, lab.origin);
            await select(page, "GET /path");
            await send(page);
            await expect(page.locator(".overlay[data-still]")).toHaveCount(1);
            await open(page, "Timeline");
            await page.mouse.move(0, 0);
            await page.screenshot({ path: join(folder, `${count}-${theme}-${size}.png`) });
          }
        } finally {
          await lab.stop();
        }
      });
    });
