/**
 * Playwright's configuration: the browser that `browser.ts` finds, one demo server per worker (`demo.ts`),
 * no retries, so that a flaky test is a failing test.
 */
import { defineConfig } from "@playwright/test";
import { requireBrowser } from "./browser.ts";

const { args, ...browser } = requireBrowser();
const launchOptions = { ...browser, args: [...args, "--host-resolver-rules=MAP *.test 127.0.0.1"] };
/** One process for the pages of all tests, instead of two new ones for each test. */
const shared = { ...launchOptions, args: [...launchOptions.args, "--renderer-process-limit=1"] };

// Drawing each path for three seconds takes a third of the time, so only the tests of paths enable motion.
const still = { contextOptions: { reducedMotion: "reduce" as const }, launchOptions: shared };

// eslint-disable-next-line import/no-default-export -- Playwright reads the default export
export default defineConfig({
  testDir: ".",
  outputDir: "../test-results",
  timeout: 90_000,
  expect: { timeout: 20_000 },
  retries: 0,
  fullyParallel: true,
  workers: 2,
  reporter: [["list"], ["../scripts/e2e-reporter.mjs"]],
  forbidOnly: Boolean(process.env["CI"]),
  use: {
    browserName: "chromium",
    viewport: { width: 1440, height: 900 },
    launchOptions,
    screenshot: "only-on-failure",
    // Recording one for each test costs a fifth of the time; CI has the screenshot.
    trace: process.env["CI"] === undefined ? "retain-on-failure" : "off",
  },
  projects: [
    { name: "e2e", testMatch: "*.spec.ts", use: still },
    // The tests for every change: the path, the colours and the themes, the keys and links.
    { name: "short", testMatch: /(path|themes|keys)\.spec\.ts$/, use: still },
    { name: "e2e-budget", testMatch: "*.budget.ts", fullyParallel: false, use: { trace: "off" } },
    { name: "pack-test", testMatch: "*.pack.ts" },
    { name: "site-test", testMatch: "*.pages.ts" },
    { name: "screenshots", testMatch: "*.shots.ts" },
  ],
});
