/**
 * Playwright's `test` with the demo behind it.
 *
 *   worker ──▶ node .build/examples/shop/main.js (PORT=0, data in memory) ──▶ its printed address
 *   test   ──▶ a page that opens the dashboard, and afterwards must have seen
 *              no CSP violation, no page error and no request to any other origin
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test as base, expect, type Page } from "@playwright/test";

const root = join(import.meta.dirname, "..");
const startTimeoutMs = 60_000;

interface WorkerFixtures {
  /** The demo's origin, for example `http://localhost:41234`. */
  readonly origin: string;
}

interface TestFixtures {
  /** What the page did that it must not do; asserted empty after every test. */
  readonly violations: string[];
  /** The dashboard, open and loaded. */
  readonly dashboard: Page;
}

/** Tests against a running demo: `test("…", async ({ dashboard, origin }) => …)`. */
export const test = base.extend<TestFixtures, WorkerFixtures>({
  origin: [
    // eslint-disable-next-line no-empty-pattern -- Playwright reads the fixture names from the pattern
    async ({}, use) => {
      const demo = spawn(process.execPath, ["--enable-source-maps", join(root, ".build/examples/shop/main.js")], {
        env: { ...process.env, PORT: "0", DATA_DIR: "", NODE_ENV: "development", FRAMEWORK_DEVTOOLS: "true" },
        stdio: ["ignore", "pipe", "inherit"],
      });
      try {
        await use(await addressOf(demo));
      } finally {
        await stop(demo);
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
    await page.goto(`${origin}/framework/dev`);
    await expect(page.locator("[data-route]").first()).toBeVisible();
    await expect(page.locator("[data-bean]").first()).toBeAttached();
    await use(page);
  },
});

/** Playwright's assertions. */
export { expect } from "@playwright/test";

/** Reports every policy violation, uncaught error and foreign request of the page into `violations`. */
async function watch(page: Page, origin: string, violations: string[]): Promise<void> {
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

/** Reads the demo's output until it names its address. */
async function addressOf(demo: ChildProcess): Promise<string> {
  if (!demo.stdout) throw new Error("the demo has no output");
  const said: string[] = [];
  const lines = createInterface({ input: demo.stdout });
  for await (const line of lines) {
    said.push(line);
    const address = /https?:\/\/[^/\s]+(?=\/framework\/dev)/.exec(line);
    if (address) {
      demo.stdout.resume();
      return address[0];
    }
  }
  throw new Error(`the demo ended without naming its dashboard:\n${said.join("\n")}`);
}

async function stop(demo: ChildProcess): Promise<void> {
  if (demo.exitCode !== null || demo.signalCode !== null) return;
  const ended = once(demo, "exit");
  demo.kill("SIGTERM");
  const timer = setTimeout(() => demo.kill("SIGKILL"), 15_000);
  await ended;
  clearTimeout(timer);
}
