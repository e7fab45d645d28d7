/**
 * The site that `make site` has built: fifteen questions of every day are found, and its pages fit and read well.
 *
 *   .build/site ──▶ a server of files ──▶ the index, and the search of the site
 */
import { createReadStream, existsSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, type Page, test as base } from "@playwright/test";
import { faultsOf } from "./page.ts";

const folder = fileURLToPath(new URL("../.build/site", import.meta.url));
const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
};

/** Serves the files of the site; a path without an ending is a page. */
async function serveSite(): Promise<Server> {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? "/", "http://localhost").pathname));
    const wanted = path.endsWith("/") ? `${path}index.html` : extname(path) === "" ? `${path}.html` : path;
    const file = join(folder, wanted);
    if (!existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { "Content-Type": types[extname(file)] ?? "application/octet-stream" });
    return createReadStream(file).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

const test = base.extend<object, { readonly site: string }>({
  site: [
    // eslint-disable-next-line no-empty-pattern -- Playwright reads the fixture names from the pattern
    async ({}, use) => {
      const server = await serveSite();
      await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
      server.close();
      server.closeAllConnections();
    },
    { scope: "worker" },
  ],
});

/** A question as somebody types it, the page that has the response, and a heading or words on it. */
const questions: readonly (readonly [question: string, page: string, words: RegExp])[] = [
  ["set a cookie", "cookies-and-sessions", /setCookie/],
  ["respond with status 201", "routing-and-context", /\b201\b/],
  ["environment variables", "configuration", /process\.env/],
  ["validate a query", "contracts", /query: z\.object/],
  ["fake repository in a test", "testing", /fake/i],
  ["nginx", "reverse-proxies", /proxy_pass/],
  ["database transactions", "databases", /transaction/i],
  ["stream a file", "static-files", /download/],
  ["versions of an API", "versions", /v2/],
  ["write a middleware", "routing-and-context", /next\(\)/],
  ["client IP address", "reverse-proxies", /trustProxy/],
  ["Prisma Drizzle Kysely", "orm", /Kysely/],
  ["turn devtools off", "devtools", /FRAMEWORK_DEVTOOLS/],
  ["SQL in the dashboard", "databases", /SQL in the dashboard/],
  ["run a job every hour", "work", /[Ee]very/],
];

const hits = (page: Page) => page.locator(".VPLocalSearchBox .result");

for (const [question, to, words] of questions)
  test(`the search finds "${question}" within three hits, and the index leads there`, async ({ page, site }) => {
    await page.goto(`${site}/guides`);
    await expect(page.locator(`.vp-doc a[href="/${to}"]`), "one click from the index").not.toHaveCount(0);
    await page
      .getByRole("button", { name: /search/i })
      .first()
      .click();
    await page.locator(".VPLocalSearchBox input").fill(question);
    await expect(hits(page).first()).toBeVisible();
    const first = await hits(page).evaluateAll((list) => list.slice(0, 3).map((one) => one.getAttribute("href") ?? ""));
    expect(first.map((href) => href.replace(/#.*$/, ""))).toContain(`/${to}`);
    await page.goto(`${site}/${to}`);
    await expect(page.locator(".vp-doc")).toContainText(words);
  });

for (const path of ["/", "/guides", "/contracts", "/api/framework", "/spec/"])
  test(`${path} fits from 390 to 2560 pixels and has no violation that axe finds`, async ({ page, site }) => {
    for (const [width, height] of [
      [390, 844],
      [720, 900],
      [1440, 900],
      [2560, 1440],
    ] as const) {
      await page.setViewportSize({ width, height });
      await page.goto(`${site}${path}`);
      await expect(page.locator(".vp-doc h1")).toBeVisible();
      expect(await page.evaluate(() => document.documentElement.scrollWidth), `${width} pixels`).toBeLessThanOrEqual(
        width,
      );
    }
    for (const theme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
      await page.goto(`${site}${path}`);
      // VitePress' own search button: its name lacks the key that styles write into it.
      expect(await faultsOf(page, ["label-content-name-mismatch"]), theme).toEqual([]);
    }
  });
