/**
 * Cross-origin QUERY in a real browser: a page of one origin calls an app of another.
 *
 *   page on :A ── fetch(:B, { method: "QUERY" }) ──▶ preflight ──▶ default methods: blocked
 *                                                              └─▶ allowMethods("GET", "QUERY"): allowed
 */
import { CorsMiddleware, Framework } from "framework";
import { expect, test as base } from "@playwright/test";

/** An app of another origin that accepts QUERY. It keeps what its handler saw. */
interface Api {
  readonly url: string;
  readonly seen: readonly string[];
}

async function withApi(cors: CorsMiddleware, use: (api: Api) => Promise<void>): Promise<void> {
  const seen: string[] = [];
  const app = Framework.create({ host: "127.0.0.1" })
    .use(cors)
    .query("/search", async (ctx) => {
      seen.push(await ctx.bodyAsString());
      return { found: 1 };
    });
  await app.start(0);
  try {
    await use({ url: app.url, seen });
  } finally {
    await app.stop({ graceMs: 0 });
  }
}

const test = base.extend<{ readonly site: string }>({
  // eslint-disable-next-line no-empty-pattern
  site: async ({}, use) => {
    const app = Framework.create({ host: "127.0.0.1" }).get("/", (ctx) =>
      ctx.html("<!doctype html><title>site</title>"),
    );
    await app.start(0);
    await use(app.url);
    await app.stop({ graceMs: 0 });
  },
});

/** The result of a fetch in the page: the response's text, or the browser's rejection. */
const query = async (url: string): Promise<string> => {
  try {
    const response = await fetch(`${url}/search`, {
      method: "QUERY",
      headers: { "Content-Type": "application/json" },
      body: '{"text":"rake"}',
    });
    return await response.text();
  } catch (error) {
    return error instanceof Error ? error.name : String(error);
  }
};

test("CORS-008: the default methods block a cross-origin QUERY", async ({ page, site }) => {
  await withApi(CorsMiddleware.builder().allowOrigins(site).build(), async ({ url, seen }) => {
    await page.goto(site);
    expect(await page.evaluate(query, url)).toBe("TypeError");
    expect(seen).toEqual([]);
  });
});

test("CORS-009: allowMethods allows a cross-origin QUERY, with its body", async ({ page, site }) => {
  const cors = CorsMiddleware.builder().allowOrigins(site).allowMethods("GET", "QUERY").build();
  await withApi(cors, async ({ url, seen }) => {
    await page.goto(site);
    expect(await page.evaluate(query, url)).toBe('{"found":1}');
    expect(seen).toEqual(['{"text":"rake"}']);
  });
});
