/**
 * A run and its request: the Request tab, edit and resend, and an application that a host has mounted.
 */
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { Devtools } from "@framework/devtools";
import { Beans, Framework, Interface } from "framework";
import { expect, openDashboard, test } from "./demo.ts";
import { startLab, type LabPlan } from "./lab.ts";
import { bean, button, field, open, runs, select, send } from "./page.ts";

test.describe("mounted below /api of a host", () => {
  /** Serves an application with the context path /shop below /api, and a host that responds to every other path. */
  async function mounted(): Promise<{ readonly origin: string; readonly close: () => Promise<void> }> {
    const beans = Beans.builder().start();
    const app = Framework.create({ contextPath: "/shop", logger: { warn() {}, error() {} } });
    app.get("/things/{id}", (ctx) => ({ from: "the application", id: ctx.pathParam("id") }));
    app.post("/things", (ctx) => ctx.redirect("things/7", 303));
    Devtools.create().install(app, beans);
    const listener = app.listener();
    // As Express and Connect do below `use("/api", …)`.
    const host: RequestListener = (req, res) => {
      if (req.url?.startsWith("/api/") !== true) return void res.end('{"from":"the host"}');
      req.url = req.url.slice("/api".length);
      listener(req, res);
    };
    const server = createServer(host).listen(0, "127.0.0.1");
    await once(server, "listening");
    const close = async (): Promise<void> => {
      server.closeAllConnections();
      server.close();
      await app.stop({ graceMs: 0 });
    };
    return { origin: `http://localhost:${(server.address() as AddressInfo).port}`, close };
  }

  test("DASH-036: Send, Copy and Follow go to the application, not to the host's own routes", async ({ page }) => {
    const { origin, close } = await mounted();
    try {
      await openDashboard(page, `${origin}/api/shop`);
      await select(page, "GET /shop/things/{id}");
      await field(page, "id").fill("3");
      await send(page);
      await expect(page.getByRole("region", { name: "Response body" })).toContainText('"the application"');
      await expect(page.locator(".url-bar code")).toHaveText("/api/shop/things/3");
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await button(page, "Copy cURL").click();
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      expect(copied).toContain(`'${origin}/api/shop/things/3'`);
      await select(page, "POST /shop/things");
      await send(page);
      await button(page, "Follow").click();
      await expect(page.getByRole("region", { name: "Response body" })).toContainText('"id": "7"');
    } finally {
      await close();
    }
  });
});

test.describe("a run of another client", () => {
  const plan: LabPlan = {
    devtools: { limits: { stringChars: 1_000 } },
    routes: (app) =>
      app
        .post("/notes/{id}", async (ctx) => ({ saved: await ctx.body() }))
        .post("/text", async (ctx) => ctx.text(await ctx.bodyAsString())),
  };
  const note = { $ref: "#/a", text: "x".repeat(3_000), password: "hunter2", tags: ["a", "b"] };
  const headers = { "Content-Type": "application/json", Authorization: "Bearer abcdef", "X-Tenant": "acme" };

  test("DASH-037 DASH-130: edit and resend fills in the sent request, leaves out unrecorded parts, and names them", async ({
    page,
  }) => {
    const lab = await startLab(plan);
    try {
      await fetch(`${lab.origin}/notes/4?a=1`, { method: "POST", headers, body: JSON.stringify(note) });
      await openDashboard(page, lab.origin);
      await open(page, "History");
      await runs(page, "/notes/4").click();
      await button(page, "Edit and resend").click();
      await expect(page.locator(".origin li")).toHaveText([
        "header authorization: hidden",
        "text: too long, so only its beginning was recorded",
        "password: hidden",
      ]);
      await expect(field(page, "Body")).toHaveValue(JSON.stringify({ $ref: "#/a", tags: ["a", "b"] }, null, 2));
      await send(page);
      await expect(page.getByRole("region", { name: "Response body" })).toContainText('"$ref": "#/a"');
      await expect(page.getByRole("region", { name: "Response body" })).not.toContainText("redacted");
    } finally {
      await lab.stop();
    }
  });

  test("DASH-038 DASH-131: a run shows its own request, independent of the editor", async ({ page }) => {
    const lab = await startLab(plan);
    try {
      await openDashboard(page, lab.origin);
      await select(page, "POST /notes/{id}");
      await field(page, "id").fill("mine");
      await fetch(`${lab.origin}/notes/4?a=1&a=2`, { method: "POST", headers, body: '{"n":1}' });
      await open(page, "History");
      await runs(page, "/notes/4").click();
      await page.getByRole("tab", { name: "Request", exact: true }).click();
      const panel = page.locator("#panel-request");
      await expect(panel.locator(".target")).toHaveText("/notes/4?a=1&a=2");
      await expect(panel.getByRole("region", { name: "Request body" })).toContainText('"n": 1');
      await expect(panel.getByRole("row", { name: "x-tenant acme" })).toBeVisible();
      await expect(page.locator(".origin", { hasText: "Draft." })).toBeVisible();
      await expect(field(page, "id")).toHaveValue("mine");
      await button(page, "Fill in its request").click();
      await expect(page.locator(".origin", { hasText: "Draft." })).toHaveCount(0);
      await expect(field(page, "id")).toHaveValue("4");
    } finally {
      await lab.stop();
    }
  });
});

test.describe("five concurrent calls", () => {
  interface Worker {
    work(done: () => void): Promise<number>;
    same(n: number): number;
  }
  const Worker: Interface<Worker> = Interface<Worker>("Worker");
  /** Each of five calls ends when all have begun, so that they overlap on any machine. */
  class Overlapping implements Worker {
    #begun = 0;
    #all: (() => void)[] = [];
    async work(): Promise<number> {
      this.#begun += 1;
      const turn = new Promise<void>((resolve) => this.#all.push(resolve));
      if (this.#begun === 5) for (const resolve of this.#all) resolve();
      await turn;
      await new Promise((resolve) => setTimeout(resolve, 20));
      return 1;
    }
    same(n: number): number {
      return n;
    }
  }

  test("DASH-039 DASH-132: a bean takes no longer than its request, and no closure counts as the same argument", async ({
    page,
  }) => {
    const lab = await startLab({
      beans: (builder) => builder.bind(Worker, () => new Overlapping()),
      routes: (app) =>
        app.get("/all", async (ctx) => {
          const worker = ctx.get(Worker);
          await Promise.all(Array.from({ length: 5 }, () => worker.work(() => undefined)));
          return [worker.same(1), worker.same(1)];
        }),
    });
    try {
      const before = performance.now();
      await fetch(`${lab.origin}/all`);
      const roundTripMs = performance.now() - before;
      await openDashboard(page, lab.origin);
      await open(page, "History");
      await runs(page, "/all").click();
      const shown = /(\d+(?:\.\d+)?) ms/.exec((await bean(page, "Worker").textContent()) ?? "")?.[1];
      expect(Number(shown)).toBeGreaterThanOrEqual(19);
      expect(Number(shown)).toBeLessThanOrEqual(roundTripMs);
      await open(page, "Timeline");
      const repeats = page.locator("#panel-timeline .notice");
      await expect(repeats).toContainText("Worker.same() 2×, the repeats");
      await expect(repeats).not.toContainText("Worker.work()");
    } finally {
      await lab.stop();
    }
  });
});
