/**
 * The parts of a request besides bean calls: forms with files, cookies and sessions, limits, validators, WebSockets.
 */
import type { Page } from "@playwright/test";
import { CompressionMiddleware, EtagMiddleware, type Framework, Interface } from "framework";
import { multipartForm } from "framework/multipart";
import { RateLimitMiddleware } from "framework/rate-limit";
import { MemorySessionStore, SessionMiddleware, sessionOf } from "framework/session";
import { webSocket } from "framework/websocket";
import { WebSocket } from "ws";
import { z } from "zod";
import { expect, openDashboard, test as base, watch } from "./demo.ts";
import { type Lab, startLab } from "./lab.ts";
import { bean, button, expectNoViolation, field, open, runEdges, runs, select, send, strokes } from "./page.ts";

interface Chat {
  say(text: string): Promise<string>;
}
const Chat = Interface<Chat>("ChatService", { stereotype: "service" });

const pictures: { alt: string; filename: string; type: string; bytes: number }[] = [];

function routes(app: Framework): void {
  app.use(new CompressionMiddleware()).use(new EtagMiddleware());
  app.get("/long", () => "a line that comes again\n".repeat(400));
  const body = multipartForm({
    fields: z.object({ alt: z.string().meta({ examples: ["A lamp"] }) }),
    files: { picture: { maxBytes: 100_000 } },
  });
  app.put("/picture", { body }, (ctx) => {
    const { fields, files } = ctx.input.body;
    const { filename, mediaType, bytes } = files.picture;
    pictures.push({ alt: fields.alt, filename, type: mediaType, bytes: bytes.length });
    return ctx.json({ bytes: bytes.length });
  });
  app.group("", (api) => {
    api.use(new SessionMiddleware({ store: new MemorySessionStore() }));
    api.post(
      "/login",
      { use: [new RateLimitMiddleware({ policyName: "login", limit: 2, windowMs: 60_000 })] },
      (ctx) => {
        ctx.annotations?.add("audit", { who: "ada" });
        sessionOf(ctx)
          .regenerate()
          .set("customerId" as never, "c-1" as never)
          .set("csrfToken" as never, "0123456789" as never);
        return ctx.json({ ok: true });
      },
    );
  });
  app.ws(
    "/chat/{room}",
    webSocket({ message: async (socket, message, ctx) => void socket.send(await ctx.get(Chat).say(String(message))) }),
  );
}

/** A page on an application with the essentials. */
const test = base.extend<{ readonly lab: Lab; readonly app: Page }>({
  // eslint-disable-next-line no-empty-pattern
  lab: async ({}, use) => {
    const lab = await startLab({
      routes,
      beans: (builder) => builder.bind(Chat, () => ({ say: async (text) => text.toUpperCase() })),
    });
    try {
      await use(lab);
    } finally {
      await lab.stop();
    }
  },
  app: async ({ page, lab, violations }, use) => {
    await watch(page, lab.origin, violations);
    await openDashboard(page, lab.origin);
    await use(page);
  },
});

/** Opens the tab Request. Its name is also a part of the list's name. */
const openRequest = (page: Page): Promise<void> => page.getByRole("tab", { name: "Request", exact: true }).click();
const annotation = (page: Page, name: string) => page.locator(`[data-annotation="${name}"]`);

test("DASH-090 DASH-151 DASH-152: a form with files is sent with its texts and files, and only its texts are kept", async ({
  app: page,
}) => {
  await select(page, "PUT /picture");
  await expect(field(page, "alt")).toHaveValue("A lamp");
  await field(page, "alt").fill("A lamp, lit");
  const file = { name: "lamp.png", mimeType: "image/png", buffer: Buffer.alloc(700, 7) };
  await page.locator("input[type=file]#file\\.picture").setInputFiles(file);
  await expect(page.getByText("lamp.png, 700 B, image/png")).toBeVisible();
  await expectNoViolation(page);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await button(page, "Copy cURL").click();
  const curl = await page.evaluate(() => navigator.clipboard.readText());
  expect(curl).toContain(`-F 'picture=@"lamp.png";type=image/png'`);
  expect(curl).toContain("--form-string 'alt=A lamp, lit'");
  expect(curl).not.toMatch(/content-type/i);
  await send(page);
  await expect(page.locator("#panel-response .status")).toHaveText("200");
  expect(pictures.splice(0)).toEqual([{ alt: "A lamp, lit", filename: "lamp.png", type: "image/png", bytes: 700 }]);
  await page.reload();
  await select(page, "PUT /picture");
  await expect(field(page, "alt")).toHaveValue("A lamp, lit");
  await expect(page.getByText("lamp.png")).toHaveCount(0);
  await send(page);
  await expect(page.locator("#panel-response .status")).toHaveText("422");
});

test("DASH-091: a run shows the bucket of its limit, the validator of its 304, and the savings of compression", async ({
  app: page,
  lab: { origin },
  request,
}) => {
  await select(page, "POST /login");
  for (const status of ["200", "200", "429"]) {
    await send(page);
    await expect(page.locator("#panel-response .status")).toHaveText(status);
  }
  await expect(annotation(page, "rateLimit")).toHaveText(
    /Rate limit login: rejected, allowed again in \d[\d.]+ m?s; 0 of 2 left in the bucket of 127\.0\.0\.1, full in \d[\d.]+ m?s/,
  );
  const first = await request.get(`${origin}/long`, { headers: { "Accept-Encoding": "gzip" } });
  const etag = first.headers()["etag"] ?? "";
  await request.get(`${origin}/long`, { headers: { "If-None-Match": etag } });
  await open(page, "History");
  await runs(page, "304").click();
  await expect(annotation(page, "conditional")).toContainText(
    `not modified: If-None-Match has ${etag}, the ETag is ${etag}`,
  );
  await runs(page, "/long").filter({ hasText: "200" }).click();
  await expect(annotation(page, "compression")).toContainText(/by gzip: 9\.6 kB → \d+ B, 9\d % saved/);
});

test("DASH-092: a request shows its cookies and its session, but no secret value", async ({ app: page }) => {
  await select(page, "POST /login");
  await send(page);
  await expect(annotation(page, "audit")).toContainText("ada");
  await send(page);
  await expect(page.locator("#panel-response .status")).toHaveText("200");
  await openRequest(page);
  const panel = page.locator("#panel-request");
  await expect(panel.locator("details", { hasText: "1 cookie set" })).toContainText(
    /__Host-session\[redacted\]; Path=\/; Max-Age=\d+; Secure; HttpOnly; SameSite=Lax/,
  );
  await expect(panel.locator("details", { has: page.getByText("1 cookie", { exact: true }) })).toContainText("session");
  const session = annotation(page, "session");
  await expect(session).toContainText("found, it has a new id; it holds customerId, csrfToken");
  await session.getByText("Values", { exact: true }).click();
  await expect(session.getByRole("tree")).toContainText('"c-1"');
  await expect(session.getByRole("tree")).not.toContainText("0123456789");
  await expectNoViolation(page);
});

test("DASH-093: a message of a WebSocket is a run that lights its path and leads to its connection", async ({
  app: page,
  lab: { origin },
}) => {
  await open(page, "History");
  const client = new WebSocket(`${origin.replace("http", "ws")}/chat/one`);
  const reply = new Promise((resolve) => client.once("message", (data) => resolve(String(data))));
  client.once("open", () => client.send('{"text":"hello","password":"hunter2"}'));
  expect(await reply).toBe('{"TEXT":"HELLO","PASSWORD":"HUNTER2"}');
  const run = runs(page, "/chat/one").filter({ hasText: "message" });
  await expect(run).toHaveCount(1);
  await expect(run.locator(".method")).toHaveText("WS");
  await run.click();
  await expect(bean(page, "ChatService")).toHaveAttribute("data-state", "path");
  await expect(runEdges(page, "entry>ChatService")).toHaveCount(1);
  const [colour] = await strokes(runEdges(page, "entry>ChatService"));
  const token = await page
    .locator(".graph [data-method=WS]")
    .first()
    .evaluate((pill) => getComputedStyle(pill).getPropertyValue("--m"));
  const rgb = [1, 3, 5].map((at) => Number.parseInt(token.trim().slice(at, at + 2), 16));
  expect(colour).toBe(`rgb(${rgb.join(", ")})`);
  await openRequest(page);
  const panel = page.locator("#panel-request");
  await expect(panel).toContainText("still open");
  await expect(panel.getByRole("tree")).toContainText("hello");
  await expect(panel.getByRole("tree")).not.toContainText("hunter2");
  client.close(1000, "bye");
  await panel.getByRole("button", { name: "Its connection" }).click();
  await open(page, "Response");
  await expect(page.locator("#panel-response .status")).toHaveText("101");
  await expect(annotation(page, "webSocket")).toContainText("closed by the client with 1000 (bye); 1 message came");
  await open(page, "History");
  await page.getByRole("combobox", { name: "Method" }).selectOption("WS");
  await expect(runs(page)).toHaveCount(1);
});
