/**
 * Tests on a page with their own lab as its application.
 */
import type { Page } from "@playwright/test";
import { openDashboard, test as base, watch } from "./demo.ts";
import { type LabPlan, startLab } from "./lab.ts";

/** The tests of demo.ts, with `lab`: the dashboard of a fresh lab of that plan, open in the test's page. */
export const labTest = (plan: LabPlan) =>
  base.extend<{ readonly lab: Page }>({
    lab: async ({ page, violations }, use) => {
      const lab = await startLab(plan);
      try {
        await watch(page, lab.origin, violations);
        await openDashboard(page, lab.origin);
        await use(page);
      } finally {
        await lab.stop();
      }
    },
  });
