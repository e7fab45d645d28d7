/**
 * Attacks by other pages on a running dashboard: nine kinds of requests, from four places. None can read anything.
 *
 *   another name · another port · a sandboxed frame of the app's own page · a name rebound to this machine
 */
import type { Frame, Page } from "@playwright/test";
import { Framework } from "framework";
import { expect, test as base } from "@playwright/test";
import { startLab } from "./lab.ts";
import { tryAll } from "./vectors.ts";
import { startWitness, type Witness } from "./witness.ts";

const secret = "kept-in-a-trace-4711";
const nothing = Object.fromEntries(
  ["fetch", "EventSource", "script", "image", "iframe", "form", "link", "WebSocket", "QUERY"].map((way) => [way, ""]),
);

interface Stage {
  /** The origin of an application with devtools and a trace that contains the secret. */
  readonly origin: string;
  readonly witness: Witness;
  /** A server of another origin. */
  readonly evil: Framework;
}

const html = "<!doctype html><title>a page</title><body>";

const test = base.extend<{ readonly stage: Stage }>({
  // eslint-disable-next-line no-empty-pattern
  stage: async ({}, use) => {
    const app = await startLab({
      routes: (app) =>
        app
          .get("/own", (ctx) => ctx.html(html))
          .get("/frame", (ctx) =>
            ctx.html(`${html}<iframe sandbox="allow-scripts allow-forms" srcdoc="<body>"></iframe>`),
          )
          .get("/secret/{id}", (ctx) => ctx.pathParam("id")),
    });
    const evil = Framework.create({ host: "127.0.0.1" }).get("/", (ctx) => ctx.html(html));
    await evil.start(0);
    await (await fetch(`${app.origin}/secret/${secret}`)).text();
    const witness = await startWitness(app.app.port);
    await use({ origin: `http://localhost:${witness.port}`, witness, evil });
    await witness.stop();
    await evil.stop({ graceMs: 0 });
    await app.stop();
  },
});

/** The places of attackers: each opens a page, and returns the frame to run in and the target. */
const places: Readonly<Record<string, (page: Page, stage: Stage) => Promise<{ frame: Frame; target: string }>>> = {
  "GUARD-006 GUARD-007 GUARD-010: a page of another name": async (page, { origin, evil }) => {
    await page.goto(`http://evil.test:${evil.port}/`);
    return { frame: page.mainFrame(), target: origin };
  },
  "GUARD-006 GUARD-007 GUARD-010: a page of another port": async (page, { origin, evil }) => {
    await page.goto(`http://localhost:${evil.port}/`);
    return { frame: page.mainFrame(), target: origin };
  },
  "GUARD-006 GUARD-007 GUARD-011: a sandboxed frame in the application's own page": async (page, { origin }) => {
    await page.goto(`${origin}/frame`);
    const frame = page.frames().find((one) => one !== page.mainFrame());
    if (frame === undefined) throw new Error("the page has no frame");
    await frame.waitForLoadState();
    return { frame, target: origin };
  },
  "GUARD-004: a page whose name was rebound to this machine, so that the browser takes both for one origin": async (
    page,
    { witness },
  ) => {
    const target = `http://app.test:${witness.port}`;
    await page.goto(`${target}/own`);
    return { frame: page.mainFrame(), target };
  },
};

for (const [place, open] of Object.entries(places)) {
  test(`${place} reads nothing in nine ways`, async ({ page, stage }) => {
    const { frame, target } = await open(page, stage);
    const read = await frame.evaluate(tryAll, { base: `${target}/framework/dev`, secret });
    expect(read).toEqual(nothing);
    const asked = stage.witness.seen.filter((one) => one.includes(" /framework/dev"));
    expect(asked.length).toBeGreaterThan(8);
    expect(asked.filter((one) => !one.endsWith(" 403"))).toEqual([]);
  });
}

test("GUARD-011 GUARD-012: the application's own page can send requests, but not frame, run or paint the responses", async ({
  page,
  stage,
}) => {
  await page.goto(`${stage.origin}/own`);
  const read = await page.mainFrame().evaluate(tryAll, { base: `${stage.origin}/framework/dev`, secret });
  expect(read["fetch"]).toContain("200 [");
  expect(read["EventSource"]).toBe("opened");
  expect(read["link"]).toMatch(/^\d+ bytes$/);
  for (const way of ["script", "image", "iframe", "form", "WebSocket", "QUERY"])
    expect([way, read[way]]).toEqual([way, ""]);
});

test("GUARD-013: a page that opens the dashboard gets no handle of it", async ({ page, context, stage }) => {
  await page.goto(`http://evil.test:${stage.evil.port}/`);
  const opened = context.waitForEvent("page");
  await page.evaluate((url) => {
    Reflect.set(window, "victim", window.open(url));
  }, `${stage.origin}/framework/dev`);
  const victim = await opened;
  await expect(victim.locator("[data-route]").first()).toBeVisible();
  await expect
    .poll(() => page.evaluate(() => (Reflect.get(window, "victim") as Window | null)?.closed ?? true))
    .toBe(true);
  expect(await victim.evaluate(() => window.opener === null)).toBe(true);
});
