/**
 * Playwright's `test` with a running demo.
 *
 *   worker ──▶ node .build/examples/shop/main.js (PORT=0, data in memory) ──▶ its printed address
 *   test   ──▶ a page that opens the dashboard, and afterwards must have seen
 *              no CSP violation, no page error and no request to any other origin
 */
import { test as base, expect, type Page } from "@playwright/test";
import { startDemo } from "./server.ts";

const startTimeoutMs = 90_000;

/** Shared by the tests of a worker. */
export interface WorkerFixtures {
  /** The demo's origin, for example `http://localhost:41234`. */
  readonly origin: string;
}

/** Separate for each test. */
export interface TestFixtures {
  /** Forbidden actions of the page. Asserted empty after every test. */
  readonly violations: string[];
  /** The dashboard, open and loaded. */
  readonly dashboard: Page;
}

/** Tests against a running demo: `test("…", async ({ dashboard, origin }) => …)`. */
export const test = base.extend<TestFixtures, WorkerFixtures>({
  origin: [
    // eslint-disable-next-line no-empty-pattern -- Playwright reads the fixture names from the pattern
    async ({}, use) => {
      const demo = await startDemo();
      try {
        await use(demo.origin);
      } finally {
        await demo.stop();
      }
    },
    { scope: "worker", timeout: startTimeoutMs },
  ],
  // eslint-disable-next-line no-empty-pattern
  violations: async ({}, use) => {
    const violations: string[] = [];
    await use(violations);
    expect(violations).toEqual([]);
  },
  dashboard: async ({ page, origin, violations }, use) => {
    await watch(page, origin, violations);
    await openDashboard(page, origin);
    await use(page);
  },
});

/** Playwright's assertions. */
export { expect } from "@playwright/test";

/** Opens the dashboard of a server and waits for its routes and its graph. */
export async function openDashboard(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/framework/dev`);
  await expect(page.locator("[data-route]").first()).toBeVisible();
  await expect(page.locator("[data-bean], .graph-empty").first()).toBeAttached();
}

/** Reports every policy violation, uncaught error and foreign request of the page into `violations`. */
export async function watch(page: Page, origin: string, violations: string[]): Promise<void> {
  page.on("pageerror", (error) => violations.push(`page error: ${error.message}`));
  page.on("request", (request) => {
    const url = request.url();
    if (!/^(data|blob):/.test(url) && new URL(url).origin !== origin) violations.push(`foreign request: ${url}`);
  });
  await page.exposeBinding("reportViolation", (_source, text: string) => void violations.push(text));
  await page.addInitScript(() => {
    const report = Reflect.get(window, "reportViolation") as (text: string) => void;
    document.addEventListener("securitypolicyviolation", (event) => {
      report(`CSP: ${event.effectiveDirective} blocked ${event.blockedURI} ${event.sample}`);
    });
  });
}
